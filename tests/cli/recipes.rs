//! The recipes for CI of the guide: their scripts are run by a shell as the CI systems would.

use support::prelude::*;

/// The code block of the recipe below this heading.
fn recipe(heading: &str) -> String {
    let path = repository().join("docs/guide/src/ci.md");
    let page = fs::read_to_string(path).expect("the page");
    let (_, behind) = page.split_once(&format!("\n## {heading}\n")).expect("the heading");
    let (_, code) = behind.split_once("```yaml\n").expect("a recipe");
    code.split_once("```").expect("its end").0.to_owned()
}

/// The commands of each `run: |` of a workflow.
fn steps(workflow: &str) -> Vec<String> {
    const INDENT: &str = "          ";
    let behind = workflow.split("        run: |\n").skip(1);
    let lines = |text: &str| {
        let own = text.lines().take_while(|line| line.starts_with(INDENT));
        own.map(|line| line[INDENT.len()..].to_owned() + "\n").collect()
    };
    behind.map(lines).collect()
}

/// The lines of a job's `script`.
fn script(job: &str) -> String {
    let (_, behind) = job.split_once("  script:\n").expect("a script");
    let lines = behind.lines().map_while(|line| line.strip_prefix("    - "));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// A repository of a bot, and a stand-in for a release's archive.
struct Workplace(TempDir);

impl Workplace {
    fn new() -> Self {
        let place = Self(tempdir().expect("a folder"));
        let release = place.at("release/referee-0");
        fs::create_dir_all(&release).expect("a folder");
        let wrapper = format!("#!/bin/sh\nexec '{}' \"$@\"\n", program());
        write_program(&release.join("referee"), &wrapper);
        Self::sh(
            &place.at("release"),
            "tar --create --gzip --file ../release.tar.gz referee-0",
            &[],
        );
        fs::create_dir(place.at("checkout")).expect("a folder");
        place.write_bot("greedy");
        // Limits that hold on a machine that is busy with other tests.
        let patience = "[limits.samegame]\nfirst-turn = '60s'\nturn = '60s'\n";
        fs::write(place.at("checkout/referee.toml"), patience).expect("settings");
        let commit = "git init -q && git add . && git -c user.name=x -c user.email=x@x.invalid commit -qm bot";
        Self::sh(&place.at("checkout"), commit, &[]);
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs commands as GitHub does: in a shell that stops at the first failure.
    fn try_sh(folder: &Path, commands: &str, env: &[(&str, String)]) -> Output {
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", commands]).current_dir(folder);
        bash.envs(env.iter().map(|(name, value)| (name, value))).env("NO_COLOR", "1");
        bash.run()
    }

    #[track_caller]
    fn sh(folder: &Path, commands: &str, env: &[(&str, String)]) {
        let output = Self::try_sh(folder, commands, env);
        assert!(output.status.success(), "{commands}: {output:?}");
    }

    /// The variables of both recipes.
    fn env(&self) -> Vec<(&'static str, String)> {
        let path = std::env::var("PATH").expect("a path");
        vec![
            ("ARCHIVE", format!("file://{}", self.at("release.tar.gz").display())),
            ("BOT", "sh bot.sh".to_owned()),
            ("BUILD", "sh -n bot.sh && touch built".to_owned()),
            ("TRUSTED", "HEAD".to_owned()),
            ("SEEDS", "1..60".to_owned()),
            ("PATH", format!("{}:{path}", self.at("checkout/referee-release").display())),
            ("GITHUB_PATH", self.at("path").display().to_string()),
            ("GITHUB_STEP_SUMMARY", self.at("summary").display().to_string()),
        ]
    }

    fn write_bot(&self, bundled: &str) {
        let bot = format!("exec '{}' bot {bundled}\n", program());
        fs::write(self.at("checkout/bot.sh"), bot).expect("a bot");
    }
}

fn can_run(test: &str) -> bool {
    need(test, ["curl", "python3"]).is_some()
}

#[test]
fn the_workflow_for_github_tells_a_worse_bot() {
    if !can_run("the workflow for GitHub") {
        return;
    }
    let place = Workplace::new();
    let checkout = place.at("checkout");
    let steps = steps(&recipe("GitHub Actions"));
    let [install, trusted, now, compare] = steps.as_slice() else { panic!("{steps:#?}") };
    Workplace::sh(&checkout, install, &place.env());
    let added = fs::read_to_string(place.at("path")).expect("a folder for the path");
    assert!(Path::new(added.trim()).join("referee").exists(), "{added}");
    Workplace::sh(&checkout, trusted, &place.env());
    place.write_bot("first");
    Workplace::sh(&checkout, now, &place.env());
    assert!(checkout.join("built").exists() && checkout.join("trusted/built").exists());
    let junit = fs::read_to_string(checkout.join("junit.xml")).expect("a report");
    assert!(junit.contains("<testsuites"), "{junit}");
    let compared = Workplace::try_sh(&checkout, compare, &place.env());
    assert_eq!(compared.status.code(), Some(1), "{compared:?}");
    let summary = fs::read_to_string(place.at("summary")).expect("a summary");
    assert!(summary.contains("is worse than"), "{summary}");
}

#[test]
fn the_job_for_gitlab_keeps_the_trusted_run_and_tells_a_worse_bot() {
    if !can_run("the job for GitLab") {
        return;
    }
    let place = Workplace::new();
    let checkout = place.at("checkout");
    let script = script(&recipe("GitLab"));
    let branch = |name: &str| {
        let own = ("CI_COMMIT_BRANCH", name.to_owned());
        [place.env(), vec![own, ("CI_DEFAULT_BRANCH", "main".to_owned())]].concat()
    };
    Workplace::sh(&checkout, &script, &branch("main"));
    assert!(checkout.join("runs/trusted/run.toml").exists());
    Workplace::sh(&checkout, "rm -r referee-release", &[]);
    place.write_bot("first");
    let worse = Workplace::try_sh(&checkout, &script, &branch("topic"));
    assert_eq!(worse.status.code(), Some(1), "{worse:?}");
    let compared = fs::read_to_string(checkout.join("compare.md")).expect("a comparison");
    assert!(compared.contains("is worse than"), "{compared}");
}
