//! What is submitted to Slurm, with programs in place of Slurm's that note what they are told. `heavy` has real clusters.

use std::fs;
use std::process::{Command, Output};

use insta::assert_snapshot;

use crate::support::PATIENT;
use crate::support::place::{Place, assert_code, stderr};

/// Its jobs are numbered from 17, and it names the cluster, as it does where there are several.
const SBATCH: &str = "[ \"$1\" = --version ] && exit; echo \"$*\" >>submitted; \
    echo \"$((16 + $(wc -l <submitted)));cluster\"";

/// A folder with a Slurm whose arrays have 11 tasks at most, and a bot that loses.
fn scene() -> Place {
    let place = Place::new();
    fs::create_dir(place.path("bin")).expect("made");
    place.script("bin/sbatch", SBATCH);
    place.script("bin/scontrol", "echo 'MaxArraySize            = 11'");
    place.script("bin/squeue", "exit 0");
    place.script("bin/scancel", "exit 0");
    place.script("loser", "exit 3");
    place
}

fn submit(place: &Place, parts: &str, limits: &[&str]) -> Output {
    let path = std::env::var("PATH").expect("PATH");
    let path = format!("{}:{path}", place.path("bin").display());
    let run = ["suite", "--bot", "./loser", "--seed", "1..50", "--jobs", "1", "--run", "run"];
    let mut submit: Command = place.command(&[&run[..], limits].concat());
    submit.args(["--slurm", "--parts", parts]).env("PATH", path).output().expect("runs")
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
    --parsable --array=0-10 run/slurm.sh 1
    --parsable --array=0-10 run/slurm.sh 12
    --parsable --array=0 run/slurm.sh 23
    --parsable --dependency=afterany:17:18:19 --cpus-per-task=1 --mem=256M --output=./run/merge.out run/slurm.sh merge
    ");
    let known = fs::read_to_string(place.path("run/submissions.jsonl")).expect("jobs");
    assert_snapshot!(known.trim_end(), @r#"
    {"job":17,"first_part":1}
    {"job":18,"first_part":12}
    {"job":19,"first_part":23}
    {"job":20}
    "#);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("squeue --jobs=17,18,19,20\n"), "{said}");
}

#[test]
fn without_slurm_nothing_is_made_and_the_way_round_is_told() {
    let place = Place::new();
    let args = ["suite", "--bot", "@first", "--seed", "1..4", "--slurm", "--run", "run"];
    let output = place.command(&args).env("PATH", "/nowhere").output().expect("runs");
    assert_code(&output, 2);
    assert_snapshot!(stderr(&output).trim_end(), @"error: there is no sbatch in PATH, so this machine does not belong to a Slurm cluster; submit from a login node, or plan with --parts and play with --part elsewhere");
    assert!(!place.path("run").exists());
}
