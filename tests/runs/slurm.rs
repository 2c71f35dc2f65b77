//! What is submitted to Slurm, with fakes of Slurm's programs that record their calls. `heavy` has real clusters.

use std::time::SystemTime;

use insta::assert_snapshot;
use libc::SYS_flock;
use referee::suite::RunWriter;
use support::prelude::*;

/// Its jobs are numbered from 17, and it names the cluster, as it does where there are several. If the test has made
/// `before`, that is done once before the number is told, with the arguments of the batch script.
const SBATCH: &str = r#"[ "$1" = --version ] && exit
echo "$*" >>submitted
mv before doing 2>/dev/null && . ./doing
echo "$((16 + $(wc -l <submitted)));cluster""#;

/// Lists the jobs in `queue`, each with `job|index|user|state|reason|script argument`, the jobs of the users that it is
/// asked for. As the real one, it heeds its variables.
const SQUEUE: &str = r#"[ "$1" = --version ] && exit
echo "$*" >>asked
[ -z "$SQUEUE_STATES" ] || exit 0
while [ -e blocked ] && [ "$(wc -l <asked)" -gt 2 ]; do sleep 0.05; done
users=$(echo "$*" | sed -n 's/.*--user=\([0-9,]*\).*/\1/p')
while IFS='|' read -r job index user state reason command; do
    case ",${users:-$(id -u)}," in *",$user,"*) ;; *) continue ;; esac
    case "$*" in
        *%o*) echo "$job|$index|$user|$state|$reason|$command" ;;
        *) echo "$job|$index|$state|$reason" ;;
    esac
done <queue"#;

/// A folder with a Slurm whose arrays have 11 tasks at most, and a bot that loses.
fn scene() -> Place {
    let place = Place::new();
    fs::create_dir(place.path("bin")).expect("made");
    place.script("bin/sbatch", SBATCH);
    place.script("bin/scontrol", "echo 'MaxArraySize            = 11'");
    place.script("bin/squeue", SQUEUE);
    place.script("bin/scancel", "[ \"$1\" = --version ] || echo \"$*\" >>cancelled");
    place.script("loser", "exit 3");
    fs::write(place.path("queue"), "").expect("written");
    place
}

/// The referee, with the fake programs of Slurm first in its `PATH`.
fn beside_slurm(place: &Place, args: &[&str]) -> Referee {
    let path = std::env::var("PATH").expect("PATH");

    place.command(args).env("PATH", format!("{}:{path}", place.path("bin").display()))
}

fn output(place: &Place, args: &[&str]) -> Output {
    beside_slurm(place, args).run()
}

fn submit_to(place: &Place, run: &str, parts: &str, more: &[&str]) -> Output {
    let run = ["suite", "--bot", "./loser", "--seed", "1..50", "--jobs", "1", "--run", run];
    output(place, &[&run[..], &["--slurm", "--parts", parts], more].concat())
}

/// Submits two parts of three games each, which are played.
#[track_caller]
fn submit_few(place: &Place) {
    let run = ["suite", "--bot", "./loser", "--seed", "1..6", "--jobs", "1", "--run", "run"];
    assert_code(&output(place, &[&run[..], &["--slurm", "--parts", "2"]].concat()), 0);
}

fn submit(place: &Place, parts: &str, more: &[&str]) -> Output {
    submit_to(place, "run", parts, more)
}

#[test]
fn games_of_several_players_are_submitted_as_games() {
    let place = scene();
    place.double("judge", "duel");
    let settings = "[game.duel]\nkind = \"judge\"\ncommand = \"./judge\"\nplayers = 2\n";
    fs::write(place.path("referee.toml"), settings).expect("written");
    let suite = ["suite", "--game", "duel", "--bot", "./loser", "--bot", "sh loser", "--jobs", "1"];
    let parts = ["--memory", "512MiB", "--seed", "1..6", "--run", "run", "--slurm", "--parts", "2"];
    let said = beside_slurm(&place, &[&suite[..], &parts].concat()).run().exits(0).out();
    assert!(said.starts_with("12 games in 2 parts (1-2) are submitted"), "{said}");
    let script = fs::read_to_string(place.path("run/slurm.sh")).expect("a script");
    assert!(script.contains("\n#SBATCH --mem=1280M\n"), "512 MiB for each player: {script}");
}

/// Puts tasks of the run's two parts into the queue, and the job that merges.
fn enqueue(place: &Place, job: u64, user: u32) {
    let script = fs::canonicalize(place.path("run")).expect("a run").join("slurm.sh");
    let script = script.display();
    let tasks = [("0", "RUNNING|None"), ("1", "PENDING|Resources")];
    let tasks = tasks.map(|(index, state)| format!("{job}|{index}|{user}|{state}|{script} 1\n"));
    let merging = format!("{}|N/A|{user}|PENDING|Dependency|{script} merge\n", job + 1);
    fs::write(place.path("queue"), tasks.concat() + &merging).expect("written");
}

fn own_user() -> u32 {
    rustix::process::getuid().as_raw()
}

/// The lines of a file that Slurm's programs write.
fn lines(place: &Place, name: &str) -> Vec<String> {
    let text = fs::read_to_string(place.path(name)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Checks that nothing is submitted, since all parts are in the queue.
#[track_caller]
fn assert_in_the_queue(place: &Place, resume: Referee) {
    let before = lines(place, "submitted");
    let said = resume.run().exits(0).out();
    assert!(said.contains("are in the queue already"), "{said}");
    assert_eq!(lines(place, "submitted"), before);
}

/// What was said to `sbatch`, job by job, with the folder as `.`.
fn submitted(place: &Place) -> String {
    let folder = fs::canonicalize(place.folder()).expect("a folder");
    let text = fs::read_to_string(place.path("submitted")).expect("jobs");
    text.replace(folder.to_str().expect("UTF-8"), ".")
}

#[test]
fn a_job_has_the_time_of_its_games_a_tenth_more_and_five_minutes() {
    let place = scene();
    // By its limits a game takes 6 s at most: 25 of them take 150 s, and 465 s with the margin.
    assert_code(&submit(&place, "2", &["--first-turn", "1s", "--turn", "50ms"]), 0);
    let script = fs::read_to_string(place.path("run/slurm.sh")).expect("a script");
    assert!(script.contains("\n#SBATCH --time=8\n"), "{script}");
}

#[test]
fn what_is_submitted_is_known_by_its_number_and_merged_after_it() {
    let place = scene();
    let output = submit(&place, "23", &PATIENT);
    assert_code(&output, 0);
    assert_snapshot!(submitted(&place).trim_end(), @"
    --parsable --array=0-10 ./run/slurm.sh 1
    --parsable --array=0-10 ./run/slurm.sh 12
    --parsable --array=0 ./run/slurm.sh 23
    --parsable --dependency=afterany:17:18:19 --cpus-per-task=1 --mem=256M --output=./run/merge.out ./run/slurm.sh merge
    ");
    let known = fs::read_to_string(place.path("run/submissions.jsonl")).expect("jobs");
    let known = known.replace(&format!("\"user\":{}}}", own_user()), "\"user\":[mine]}");
    assert_snapshot!(known.trim_end(), @r#"
    {"user":[mine]}
    {"job":17,"first_part":1}
    {"job":18,"first_part":12}
    {"job":19,"first_part":23}
    {"job":20}
    "#);
    let said = output.out();
    assert!(said.contains("squeue --jobs=17,18,19,20\n"), "{said}");
}

#[test]
fn tasks_are_at_most_as_many_at_a_time_as_was_said_also_over_several_arrays_and_later_on() {
    let place = scene();
    assert_code(&submit(&place, "23", &["--slurm=4"]), 0);
    assert_code(&output(&place, &["suite", "--resume", "run", "--slurm"]), 0);
    let submitted = submitted(&place);
    let arrays: Vec<&str> = submitted.lines().filter(|job| job.contains("--array")).collect();
    assert_snapshot!(arrays.join("\n"), @"
    --parsable --array=0-10%4 ./run/slurm.sh 1
    --parsable --array=0-10%4 --dependency=afterany:17 ./run/slurm.sh 12
    --parsable --array=0%4 --dependency=afterany:17:18 ./run/slurm.sh 23
    --parsable --array=0-10%4 ./run/slurm.sh 1
    --parsable --array=0-10%4 --dependency=afterany:21 ./run/slurm.sh 12
    --parsable --array=0%4 --dependency=afterany:21:22 ./run/slurm.sh 23
    ");
}

#[test]
fn a_run_may_have_quotes_and_hashes_in_its_name_but_nothing_that_slurm_cannot_name() {
    let place = scene();
    assert_code(&submit_to(&place, "it's #1", "2", &[]), 0);
    let script = fs::read_to_string(place.path("it's #1/slurm.sh")).expect("a script");
    assert!(script.contains("\n#SBATCH --job-name=\"it's #1\"\n"), "{script}");
    assert!(script.contains("/it's #1/parts/%A_%a.out\"\n"), "{script}");
    for name in ["a\\b", "a\"b", "a\nb"] {
        let refused = submit_to(&place, name, "2", &[]);
        assert_code(&refused, 2);
        assert!(refused.err().contains("choose another folder"), "{}", refused.err());
        assert!(!place.path(name).exists(), "nothing is made");
    }
}

#[test]
fn a_kill_before_the_number_of_a_job_is_noted_has_no_part_submitted_twice() {
    let place = scene();
    fs::write(place.path("before"), "kill -9 $PPID; exit 1").expect("written");
    let killed = submit(&place, "2", &[]);
    assert_eq!(killed.status.signal(), Some(Signal::KILL.as_raw()), "{}", killed.err());
    enqueue(&place, 17, own_user());
    let resume = ["suite", "--resume", "run", "--slurm"];
    assert_in_the_queue(&place, beside_slurm(&place, &resume));
}

#[test]
fn a_job_that_is_being_submitted_is_waited_for_even_if_its_referee_was_killed() {
    let place = scene();
    let wait = "kill -9 $PPID; while [ ! -e go ]; do sleep 0.01; done; mv waiting queue; exit 1";
    fs::write(place.path("before"), wait).expect("written");
    assert_eq!(submit(&place, "2", &[]).status.signal(), Some(Signal::KILL.as_raw()));
    enqueue(&place, 17, own_user());
    fs::rename(place.path("queue"), place.path("waiting")).expect("renamed");
    fs::write(place.path("queue"), "").expect("written");
    let resume = beside_slurm(&place, &["suite", "--resume", "run", "--slurm"]);
    let resume = resume.piped().start();
    let call = format!("/proc/{}/syscall", resume.id());
    wait_until("it waits for the lock", || {
        let call = fs::read_to_string(&call).unwrap_or_default();
        call.starts_with(&format!("{SYS_flock} "))
    });
    fs::write(place.path("go"), "").expect("written");
    let said = finished(resume).exits(0).out();
    assert!(said.contains("are in the queue already"), "{said}");
}

#[test]
fn tasks_of_another_user_and_those_that_variables_hide_are_seen() {
    let place = scene();
    assert_code(&submit(&place, "2", &[]), 0);
    enqueue(&place, 17, own_user());
    let resume = ["suite", "--resume", "run", "--slurm"];
    let hidden = beside_slurm(&place, &resume);
    assert_in_the_queue(&place, hidden.env("SQUEUE_STATES", "COMPLETED"));
    let notes = fs::read_to_string(place.path("run/submissions.jsonl")).expect("notes");
    let other = own_user() + 1;
    let notes = notes.replace(&format!("\"user\":{}", own_user()), &format!("\"user\":{other}"));
    fs::write(place.path("run/submissions.jsonl"), notes).expect("written");
    enqueue(&place, 17, other);
    assert_in_the_queue(&place, beside_slurm(&place, &resume));
    let cancelled = output(&place, &["cancel", "run"]);
    assert_code(&cancelled, 2);
    let said = cancelled.err();
    assert!(said.contains("2 jobs of other users stay in the queue"), "{said}");
    assert!(!place.path("cancelled").exists());
}

#[test]
fn a_job_that_only_has_the_number_of_one_of_the_run_is_left_alone() {
    let place = scene();
    submit_few(&place);
    let other = format!("17|0|{}|RUNNING|None|/elsewhere/slurm.sh 1\n", own_user());
    fs::write(place.path("queue"), other).expect("written");
    for part in ["1", "2"] {
        assert_code(&output(&place, &["suite", "--run", "run", "--part", part, "--jobs", "1"]), 0);
    }
    assert_code(&output(&place, &["merge", "run"]), 1);
    assert!(!place.path("cancelled").exists(), "{:?}", lines(&place, "cancelled"));
}

#[test]
fn the_job_that_merges_judges_by_the_flags_of_the_last_submission() {
    let place = scene();
    let flags = ["--fail-below", "0.95", "--records", "best"];
    assert_code(&submit(&place, "2", &flags), 0);
    let script = || fs::read_to_string(place.path("run/slurm.sh")).expect("a script");
    let merges = |flags: &str| {
        script().lines().any(|line| {
            line.contains("\" merge \"$run\" --records ")
                && line.ends_with(&format!("/best {flags}"))
        })
    };
    assert!(merges("--fail-below 0.95"), "{}", script());
    enqueue(&place, 17, own_user());
    let resume = ["suite", "--resume", "run", "--slurm"];
    assert_in_the_queue(&place, beside_slurm(&place, &resume));
    let before = lines(&place, "submitted").len();
    let again = ["--records", "best", "--fail-on-timeout"];
    assert_code(&output(&place, &[&resume[..], &again].concat()), 0);
    assert!(merges("--fail-on-timeout"), "{}", script());
    assert_eq!(lines(&place, "cancelled"), ["18"], "the job that merges by the earlier flags");
    let submitted = lines(&place, "submitted");
    assert!(submitted.len() == before + 1 && submitted[before].ends_with("/slurm.sh merge"));
}

#[test]
fn a_resumed_run_is_submitted_with_the_flags_and_settings_of_now() {
    let place = scene();
    let first = ["--logs", "all", "--slurm-arg=--constraint=epyc", "--records", "best"];
    let said = submit(&place, "2", &first).exits(0).out();
    let again = said.lines().find_map(|line| line.strip_prefix("  missing games     "));
    let again = again.expect("it is told").replace(&place.folder().display().to_string(), ".");
    let flags = "--jobs 1 --logs all --records ./best '--slurm-arg=--constraint=epyc'";
    assert_eq!(again, format!("referee suite --resume run --slurm {flags}"));
    fs::write(place.path("referee.toml"), "[cluster]\npartition = \"long\"\n").expect("written");
    let resume = ["suite", "--resume", "run", "--slurm", "--jobs", "2", "--compress"];
    assert_code(&output(&place, &resume), 0);
    let script = fs::read_to_string(place.path("run/slurm.sh")).expect("a script");
    for now in ["--partition=long\n", "--cpus-per-task=3\n", "--jobs 2 ", " --compress "] {
        assert!(script.contains(now), "{now}: {script}");
    }
    for before in ["epyc", "--logs", "--records"] {
        assert!(!script.contains(before), "{before}: {script}");
    }
}

/// The files below a folder, with the times of their last changes.
fn files(folder: &Path) -> BTreeMap<String, SystemTime> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut files = BTreeMap::new();
    for entry in entries {
        let changed = entry.metadata().and_then(|data| data.modified()).expect("a time");
        files.insert(entry.path().display().to_string(), changed);
        if entry.path().is_dir() {
            files.extend(self::files(&entry.path()));
        }
    }
    files
}

#[test]
fn status_shows_how_far_a_run_is_and_changes_nothing_and_cancel_takes_it_out_of_the_queue() {
    let place = scene();
    submit_few(&place);
    enqueue(&place, 17, own_user());
    assert_code(&output(&place, &["suite", "--run", "run", "--part", "1", "--jobs", "1"]), 0);
    let before = (files(&place.path("run")), lines(&place, "submitted"));
    let status = output(&place, &["status", "run"]);
    assert_code(&status, 1);
    assert_snapshot!(status.out().trim_end(), @"
    run: 3 of 6 games are played
    in the queue: 1 pending (Resources), 1 running, and 1 job to merge
    ");
    assert!((files(&place.path("run")), lines(&place, "submitted")) == before);

    let cancelled = output(&place, &["cancel", "run"]);
    assert_code(&cancelled, 0);
    assert_snapshot!(cancelled.out().trim_end(), @"2 tasks cancelled; `referee suite --resume run --slurm` and the flags of the submission submit the missing games of run");
    assert_eq!(lines(&place, "cancelled"), ["17 18"]);
    fs::write(place.path("queue"), "").expect("written");
    assert_code(&output(&place, &["suite", "--resume", "run"]), 1);
    let status = output(&place, &["status", "run"]);
    assert_code(&status, 0);
    assert_snapshot!(status.out().trim_end(), @"run: 6 of 6 games are played");
}

#[test]
fn a_wait_sees_the_games_while_the_queue_does_not_answer() {
    let place = scene();
    submit_few(&place);
    enqueue(&place, 17, own_user());
    fs::write(place.path("blocked"), "").expect("written");
    let waiting = beside_slurm(&place, &["suite", "--resume", "run", "--slurm", "--wait"]);
    let told = fs::File::create(place.path("told")).expect("made");
    let waiting = waiting.stdout(Stdio::piped()).stderr(told).start();
    wait_until("squeue is blocked", || lines(&place, "asked").len() > 2);
    assert_code(&output(&place, &["suite", "--run", "run", "--part", "1", "--jobs", "1"]), 0);
    let said = || fs::read_to_string(place.path("told")).expect("text");
    wait_until("it is told", || said().contains("3/6 games, 1 pending (Resources), 1 running"));
    fs::remove_file(place.path("blocked")).expect("removed");
    assert_code(&output(&place, &["suite", "--run", "run", "--part", "2", "--jobs", "1"]), 0);
    assert_code(&finished(waiting), 1);
    assert_eq!(lines(&place, "cancelled"), ["17 18"], "what is left in the queue goes");
}

#[test]
fn tasks_that_have_not_exited_yet_are_waited_for_before_their_parts_are_merged() {
    let place = scene();
    submit_few(&place);
    for part in ["1", "2"] {
        assert_code(&place.part("run", part), 0);
    }
    let part = RunWriter::resume(place.run("run").of_part(2), |_| false).expect("it is free");
    let told = fs::File::create(place.path("told")).expect("made");
    let merging = beside_slurm(&place, &["merge", "run"]).stdout(Stdio::null()).stderr(told);
    let merging = merging.start();
    let said = || fs::read_to_string(place.path("told")).expect("text");
    wait_until("it waits", || said().contains("is playing the run in run/parts/0002"));
    assert!(!place.path("run/results.jsonl").exists());
    drop(part);
    assert_code(&finished(merging), 1);
    assert_eq!(place.results("run").len(), 6);
}

#[test]
fn a_run_without_parts_is_not_submitted() {
    let place = scene();
    assert_code(&output(&place, &["suite", "--seed", "1..2", "--run", "whole"]), 0);
    let resume = ["suite", "--resume", "whole", "--slurm"];
    assert_code(&output(&place, &resume), 0);
    fs::write(place.path("whole/results.jsonl"), "").expect("written");
    let refused = output(&place, &resume).exits(2);
    assert_snapshot!(refused.err().trim_end(), @"error: --slurm: whole is not in parts, which tasks play; 2 of 2 games are missing; `referee suite --resume whole` plays them here");
    assert!(!place.path("submitted").exists());
}

#[test]
fn without_slurm_nothing_is_made_and_the_way_round_is_told() {
    let place = Place::new();
    let args = ["suite", "--bot", "@first", "--seed", "1..4", "--slurm", "--run", "run"];
    let output = place.command(&args).env("PATH", "/nowhere").run().exits(2);
    assert_snapshot!(output.err().trim_end(), @"error: there is no sbatch in PATH, so this machine does not belong to a Slurm cluster; submit from a login node, or plan with --parts and play with --part elsewhere");
    assert!(!place.path("run").exists());
}
