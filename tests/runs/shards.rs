//! Shards of a run: each is a run of its own, merged to the results of the same suite in one piece.

use referee::suite::{Outcome, RunFolder, RunWriter, Times};
use support::prelude::*;

/// The results of a run by game, without times and places.
fn results(place: &Place, run: &str) -> Vec<Outcome> {
    let mut outcomes = place.results(run);
    for outcome in &mut outcomes {
        outcome.times = Times::default();
        outcome.session = None;
        // Such as `the bot exited with status 3 after 954 µs`.
        let told = outcome.diagnosis.take();
        outcome.diagnosis = told.map(|told| told.split(" after ").next().unwrap_or("").to_owned());
    }
    outcomes
}

const BOTS: [&str; 3] = ["@greedy", "@random --seed 7", "./loser"];

/// Plays a suite of three bots, of which one loses, on ten boards.
fn suite(place: &Place, run: &str, more: &[&str]) -> Referee {
    place.script("loser", "exit 3");
    let suite = place.command(&["suite", "--run", run, "--seed", "1..10", "--logs", "all"]);
    suite.args(BOTS.iter().flat_map(|bot| ["--bot", bot])).args(more).patient()
}

#[test]
fn shards_that_are_merged_are_the_whole() {
    let place = Place::new();
    assert_code(&suite(&place, "whole", &[]).run(), 1);
    for number in 1..=3 {
        let shard = format!("{number}/3");
        let run = format!("big.shards/{number}");
        assert_code(&suite(&place, &run, &["--shard", &shard]).run(), 1);
    }
    // A shard verifies alone, and its list entry says which one it is.
    let verified = place.referee(&["verify", "big.shards/2"]).exits(0).out();
    assert!(verified.starts_with("9 of 9 games"), "{verified}");
    let listed =
        place.command(&["runs"]).current_dir(place.path("big.shards")).run().exits(0).out();
    assert!(listed.contains("seeds 1..10, shard 2/3"), "{listed}");
    fs::create_dir(place.path("big.shards/2/games/000004.pictures")).expect("made");
    fs::write(place.path("big.shards/2/games/000004.pictures/0.svg"), "").expect("written");
    fs::write(place.path("big.shards/2/comment.txt"), "wider\n").expect("written");
    let shards = [3, 1, 2].map(|number| format!("big.shards/{number}"));
    let of = |command: &[&str], shards: &[String]| place.command(command).args(shards).run();
    let merged = of(&["merge", "--run", "big"], &shards).exits(1).out();
    assert!(merged.starts_with("30 games of samegame, 10 lost"), "{merged}");
    assert_eq!(results(&place, "big"), results(&place, "whole"));
    assert_code(&place.referee(&["verify", "big"]), 0);
    assert!(place.path("big/games/000004.pictures/0.svg").exists());
    assert_eq!(place.run("big").comment().as_deref(), Some("wider"));
    let sessions = place.sessions("big");
    assert_eq!(sessions.iter().map(|session| session.number).collect::<Vec<_>>(), [1, 2, 3]);

    // Unmerged they are compared and shown as one run, with a warning if one is missing.
    let compared = |runs: &[String]| of(&["compare", "--format", "json"], runs);
    let whole = compared(&["whole".to_owned()]).exits(0).json();
    let joined = compared(&shards).exits(0).json();
    for figure in ["pairs", "mean", "adjusted_p", "conclusion"] {
        assert_eq!(joined[0][figure], whole[0][figure], "{figure}");
    }
    let said = compared(&shards[..2]).err();
    assert!(said.contains("shard 2/3 is missing"), "{said}");
    let report = of(&["report", "--games", "--html", "page.html"], &shards).exits(0).out();
    assert!(report.starts_with("30 games of samegame, 10 lost"), "{report}");
    assert!(report.contains("30 games are in page-games.html"), "{report}");
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let place = Place::new();
    for (run, shard) in [("one", "1/2"), ("two", "2/2"), ("again", "2/2")] {
        assert_code(&suite(&place, run, &["--shard", shard]).run(), 1);
    }
    fs::write(place.path("two/results.jsonl"), "").expect("written");
    let merge = |shards: &[&str]| {
        let merge = place.command(&["merge", "--run", "merged"]).args(shards);
        merge.run().exits(2).err()
    };
    for (shards, problem) in [
        (&["one"][..], "shard 2/2 is missing; play it with `referee suite --shard`"),
        (&["one", "two"], "two, shard 2/2, lacks 15 of 15 games; `referee resume two` plays them"),
        (&["one", "again", "again"], "again and again are both shard 2/2"),
    ] {
        let said = merge(shards);
        assert!(said.contains(problem), "{shards:?}: {said}");
    }
    let played = RunWriter::resume(place.run("again"), |_| false).expect("it is free");
    assert!(merge(&["one", "again"]).contains("another process is playing the run"));
    drop(played);
    assert_code(&place.referee(&["resume", "two"]), 1);

    // A bot that was built again is another one.
    fs::write(place.path("bot"), "exit 1").expect("written");
    let shard = |run: &str, shard: &str| {
        let words = ["suite", "--bot", "sh bot", "--seed", "1..2", "--run", run, "--shard", shard];
        assert_code(&place.command(&words).patient().run(), 1);
    };
    shard("old", "1/2");
    fs::write(place.path("bot"), "exit 2").expect("written");
    shard("new", "2/2");
    let changed = "old and new are shards of different plans: the bot `sh bot` has changed: bot is not the same";
    for command in [&["merge", "old", "new"][..], &["compare", "old", "new"]] {
        let said = place.referee(command).exits(2).err();
        assert!(said.contains(changed), "{said}");
    }
    let said = place.referee(&["merge", "one", "two", "--run", "old"]).exits(2).err();
    assert!(said.contains("old exists"), "{said}");
    assert!(!place.path("merged").exists());
    // What an earlier version did not finish, it must finish.
    fs::create_dir(place.path("new/parts")).expect("made");
    fs::remove_file(place.path("new/results.jsonl")).expect("removed");
    let said = place.referee(&["show", "new"]).exits(2).err();
    assert!(said.contains("is in parts, which only version 1 of the referee can merge"), "{said}");
}

#[test]
fn the_latest_runs_are_merged_by_their_names() {
    let place = Place::new();
    for shard in ["1/2", "2/2"] {
        let words = ["suite", "--bot", "@first", "--seed", "1..2", "--shard", shard];
        assert_code(&place.command(&words).args(["--logs", "all"]).patient().run(), 0);
    }
    let merged = place.referee(&["merge", "latest", "latest~1", "--run", "both"]).exits(0).out();
    assert!(merged.starts_with("2 games of samegame, 0 lost"), "{merged}");
    assert_code(&place.referee(&["verify", "latest"]), 0);
    assert_code(&place.referee(&["status", "latest"]), 0);
}

/// An `sbatch` that notes what is submitted.
const SBATCH: &str = r#"[ "$1" = --version ] && exit
[ -e refuse ] && { echo "sbatch: error: invalid partition" >&2; exit 1; }
echo "$@" >>submitted; echo $((40 + $(wc -l <submitted)))"#;

#[test]
fn submitted_scripts_play_the_shards_and_merge_them() {
    let place = Place::new();
    fs::create_dir(place.path("bin")).expect("made");
    place.script("bin/sbatch", SBATCH);
    let path =
        format!("{}:{}", place.path("bin").display(), std::env::var("PATH").expect("a path"));
    let submit = |run: &str| {
        let submit = ["submit", "--seed", "1..10", "--run", run, "--shards", "3", "--jobs", "1"];
        place.command(&submit).args(PATIENT).args(BOTS.iter().flat_map(|bot| ["--bot", bot]))
    };
    place.script("loser", "exit 3");
    fs::write(place.path("refuse"), "").expect("written");
    let refused = submit("big").env("PATH", &path).run().exits(2).err();
    assert!(refused.contains("nothing is submitted: sbatch failed: "), "{refused}");
    assert!(!place.path("big.shards").exists());
    fs::remove_file(place.path("refuse")).expect("removed");
    let settings = "[cluster]\nargs = [\"--account=games\"]\nmax-tasks = 2\n";
    fs::write(place.path("referee.toml"), settings).expect("written");
    let more = ["--slurm-arg=--qos=low", "--comment", "wider", "--config", "containment=plain"];
    let said = submit("big").args(more).env("PATH", &path).run().exits(0).out();
    assert!(
        said.starts_with("30 games in 3 shards are submitted as job 41, and job 42 merges them."),
        "{said}"
    );
    let submitted = fs::read_to_string(place.path("submitted")).expect("jobs");
    let lines: Vec<&str> = submitted.lines().collect();
    assert!(lines[0].starts_with("--parsable --array=1-3%2 "), "{submitted}");
    assert!(lines[1].starts_with("--parsable --dependency=afterany:41 "), "{submitted}");
    let script = fs::read_to_string(place.path("big.shards/shard.sh")).expect("a script");
    let [account, qos] =
        ["#SBATCH --account=games\n", "#SBATCH --qos=low\n"].map(|it| script.find(it));
    assert!(account.is_some() && account < qos, "a later option holds: {script}");
    assert!(script.ends_with(" --jobs 1 --config 'containment=plain'\n"), "{script}");
    let run = |script: &str, task: &str| {
        let mut shell = Command::new("sh");
        shell.arg(place.path("big.shards").join(script)).current_dir(place.folder());
        shell.env("SLURM_ARRAY_TASK_ID", task).output().expect("a shell")
    };
    for task in ["2", "3"] {
        assert_code(&run("shard.sh", task), 1);
    }
    let missing = run("merge.sh", "").exits(2).err();
    assert!(missing.contains("/big.shards/1, shard 1/3, lacks 12 of 12 games"), "{missing}");
    assert_code(&run("shard.sh", "1"), 1);
    assert_code(&run("merge.sh", ""), 1);
    assert_code(&suite(&place, "whole", &[]).run(), 1);
    assert_eq!(results(&place, "big"), results(&place, "whole"));
    assert_eq!(place.run("big").comment().as_deref(), Some("wider"));
    let refused = submit("big").env("PATH", &path).run().exits(2).err();
    assert!(refused.contains("big exists"), "{refused}");
    let without = submit("other").env("PATH", "/nowhere").run().exits(2).err();
    assert!(without.contains("there is no sbatch in PATH"), "{without}");
}

mod heavy {
    use super::{Outcome, Place, RunFolder, results};
    use rand_core::{Rng as _, SeedableRng as _};
    use rand_pcg::Pcg32;
    use support::prelude::*;
    use support::slurm::Cluster;

    /// On two machines with a shared folder, of which each has names and process numbers of its own.
    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn shards_that_are_killed_at_random_moments_are_in_the_end_the_run_of_one_machine() {
        let place = Place::new();
        let suite = ["--bot", "@greedy", "--bot", "@random --seed 7", "--seed", "1..40"];
        let whole = place.command(&["suite", "--run", "whole"]).args(suite).args(PATIENT);
        assert_code(&whole.run(), 0);
        let whole = results(&place, "whole");
        let mut random = Pcg32::seed_from_u64(73);
        let machine = |words: &[&str]| {
            let mut machine = Command::new("unshare");
            machine
                .args(["-r", "--uts", "--pid", "--mount-proc", "--fork", "--kill-child"])
                .arg(program());
            machine.args(words).current_dir(place.folder()).env("REFEREE_LOG", "error");
            machine.stdout(Stdio::null()).start()
        };
        let mut kills = 0;
        for round in 0..20 {
            let runs = [1, 2].map(|number| format!("{round}.shards/{number}"));
            let start = |index: usize| {
                if place.path(&runs[index]).join("run.toml").exists() {
                    return machine(&["resume", &runs[index], "--jobs", "1"]);
                }
                let shard = format!("{}/2", index + 1);
                let own = ["suite", "--run", &runs[index], "--shard", &shard, "--jobs", "1"];
                machine(&[&own[..], &suite, &PATIENT].concat())
            };
            for _ in 0..3 {
                let mut both = [start(0), start(1)];
                for child in &mut both {
                    sleep(Duration::from_millis(u64::from(random.next_u32() % 400)));
                    kills += usize::from(child.try_wait().expect("a child").is_none());
                    child.kill().expect("it is not waited for");
                }
                for child in both {
                    finished(child);
                }
            }
            for child in [start(0), start(1)] {
                assert_code(&finished(child), 0);
            }
            let run = round.to_string();
            let merge = place.command(&["merge", "--run", &run]).args(&runs);
            assert_code(&merge.run(), 0);
            assert_eq!(results(&place, &run), whole, "round {round}");
        }
        println!("{kills} kills");
        assert!(kills >= 20, "{kills}");
    }

    fn outcomes(cluster: &Cluster, run: &str) -> Vec<Outcome> {
        let folder = RunFolder::open(&cluster.path(run)).expect("a run");
        support::slurm::outcomes(&folder)
    }

    #[test]
    #[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
    fn a_run_on_a_cluster_whose_task_is_killed_and_submitted_again_is_that_of_one_machine() {
        let test = "a_run_on_a_cluster_whose_task_is_killed";
        let Some(cluster) = Cluster::start(test) else { return };
        let bots = ["--bot", "@greedy", "--bot", "@thinker --sleep 1", "--seed", "1..80"];
        let whole = cluster.referee(&["suite", "--run", "whole", "--jobs", "2"]);
        assert_code(&whole.args(bots).args(PATIENT).run(), 0);
        // The path has a blank, a quote, a hash, and a per cent sign, which Slurm reads as a placeholder.
        let run = "it's #1 %j";
        let submit = cluster.referee(&["submit", "--run", run, "--shards", "8"]).args(bots);
        let said = submit.args(PATIENT).run().exits(0).out();
        assert!(said.starts_with("160 games in 8 shards are submitted as job "), "{said}");
        let played = |shard: &str| cluster.results(&format!("{run}.shards/{shard}"));
        let mut killed = String::new();
        cluster.wait_until("a task plays", || {
            let tasks = cluster.tasks("RUNNING");
            let shard = |task: &str| task.split('_').nth(1).expect("an index").to_owned();
            let mut shards = tasks.iter().map(|(task, _)| (task, shard(task)));
            let found = shards.find(|(_, shard)| (1..=10).contains(&played(shard)));
            found.is_some_and(|(task, shard)| {
                cluster.slurm("scancel", &[task]);
                killed = shard;
                true
            })
        });
        cluster.wait_until_idle();
        let script = |name: &str| cluster.path(&format!("{run}.shards")).join(name);
        let said = fs::read_to_string(script("merge.out")).expect("what the merge printed");
        assert!(said.contains(&format!("shard {killed}/8, lacks ")), "{said}");
        let sbatch = |words: &[&str], name: &str| {
            let command = cluster.on(Command::new("sbatch")).args(words).arg(script(name)).output();
            assert_code(&command.expect("runs"), 0);
            cluster.wait_until_idle();
        };
        sbatch(&[&format!("--array={killed}")], "shard.sh");
        sbatch(&[], "merge.sh");
        assert_eq!(outcomes(&cluster, run), outcomes(&cluster, "whole"));
        let sessions = RunFolder::open(&cluster.path(run)).expect("a run").sessions();
        let sessions = sessions.expect("sessions");
        assert!(sessions.len() > 8, "one of each task, and two of the killed one: {sessions:?}");
    }
}
