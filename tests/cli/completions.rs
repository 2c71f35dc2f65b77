//! Completion: the referee's answers to a shell, and a real bash with its Tab key.

use support::prelude::*;

/// The completions that bash offers for the last word of this line.
fn offered(folder: &Path, line: &str) -> Vec<String> {
    let mut words = shlex::split(line).expect("words");
    if line.ends_with(' ') {
        words.push(String::new());
    }
    let output = referee()
        .env("REFEREE_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", (words.len() - 1).to_string())
        .arg("--")
        .args(&words)
        .current_dir(folder)
        .run();
    assert!(output.status.success(), "{line}: {output:?}");
    output.out().lines().map(str::to_owned).collect()
}

#[track_caller]
fn assert_offered(folder: &Path, line: &str, expected: &[&str]) {
    assert_eq!(offered(folder, line), expected, "{line}");
}

const PROJECT: &str = "\
[bots.mine]
command = './mine'
[bots.older]
command = './older'
[boards.validators]
files = ['boards']
[suite]
runs = 'kept'
";

/// A project with two runs, a bot and some boards.
fn project() -> TempDir {
    let folder = tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("referee.toml"), PROJECT).expect("settings");
    fs::write(at("mine.py"), "").expect("a bot");
    fs::create_dir(at("boards")).expect("a folder");
    fs::write(at("boards/a b.txt"), "").expect("a board");
    fs::create_dir(at("kept")).expect("a folder");
    for run in ["kept/one", "kept/two"] {
        let suite =
            referee().suite(["--bot", "@first", "--bot", "@greedy", "--seed", "1", "--run", run]);
        assert_code(&suite.args(PATIENT).current_dir(&folder).run(), 0);
    }
    folder
}

#[test]
fn commands_and_flags_complete() {
    let folder = tempdir().expect("a folder");
    assert_offered(folder.path(), "referee pl", &["play"]);
    assert_offered(folder.path(), "referee play --first", &["--first-turn"]);
    assert_offered(folder.path(), "referee play --profile un", &["unlimited"]);
    assert_offered(folder.path(), "referee --color=al", &["--color=always"]);
    assert_offered(folder.path(), "referee completions ba", &["bash"]);
    let games = offered(folder.path(), "referee suite --game ");
    assert_eq!(games, ["samegame", "square-remover"]);
}

#[test]
fn bundled_bots_and_boards_complete() {
    let folder = tempdir().expect("a folder");
    assert_offered(folder.path(), "referee play --bot=@gr", &["--bot=@greedy"]);
    for line in ["play --bot @gr", "suite -b @gr", "timing --bot x --bot @gr"] {
        assert_offered(folder.path(), &format!("referee {line}"), &["@greedy"]);
    }
    assert_offered(folder.path(), "referee play --board @cl", &["@clearable"]);
    assert_offered(folder.path(), "referee suite --board x @cl", &["@clearable"]);
    assert_offered(folder.path(), "referee bot squares-b", &["squares-beam"]);
    assert_offered(folder.path(), "referee bot misbehaving chat", &["chatter"]);
    assert_offered(folder.path(), "referee bot misbehaving exit 3 --on", &["--on-turn"]);
}

#[test]
fn values_of_the_project_complete() {
    let project = project();
    let folder = project.path();
    assert_offered(folder, "referee play --bot mi", &["mine", "mine.py"]);
    assert_offered(folder, "referee suite --board val", &["validators"]);
    assert_offered(folder, "referee play --board boards/", &["boards/a b.txt"]);
    let runs = offered(folder, "referee resume ");
    assert_eq!(runs[..3], ["latest", "kept/two", "kept/one"], "the newest first");
    assert_offered(folder, "referee compare lat", &["latest"]);
    assert_offered(folder, "referee compare latest:@gr", &["latest:@greedy"]);
    assert_offered(folder, "referee runs note kept/o", &["kept/one/"]);
    for command in ["merge", "compare", "report", "suite --run", "suite --against"] {
        assert_offered(folder, &format!("referee {command} kept/tw"), &["kept/two/"]);
    }
    assert_offered(folder, "referee compare kept/one:@gr", &["kept/one:@greedy"]);
    let below = folder.join("boards");
    assert_offered(&below, "referee play --bot old", &["older"]);
}

#[test]
fn a_malformed_project_takes_nothing_from_the_rest() {
    let folder = tempdir().expect("a folder");
    fs::write(folder.path().join("referee.toml"), "[bots").expect("settings");
    assert_offered(folder.path(), "referee play --bot @gr", &["@greedy"]);
    assert_offered(folder.path(), "referee suite --board refe", &["referee.toml"]);
}

#[test]
fn a_script_for_each_shell_names_the_program_that_printed_it() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = referee().args(["completions", shell]).run().out();
        assert!(script.contains(program()), "{shell}: {script}");
        assert!(script.contains("REFEREE_COMPLETE"), "{shell}: {script}");
    }
    assert_code(&referee().args(["completions", "tcsh"]).run(), 2);
}

#[test]
fn the_tab_key_of_a_real_bash_completes() {
    let project = project();
    let program = program();
    let script = Command::new(program).args(["completions", "bash"]).run();
    fs::write(project.path().join("script"), script.stdout).expect("a script");
    let Some(terminal) = Terminal::of_size(120, 24) else { return };
    terminal.run(&format!("cd '{}' && exec bash --norc --noprofile", project.path().display()));
    terminal.run("PS1='bash: '; . ./script; COMP_WORDBREAKS=${COMP_WORDBREAKS//[@:]}; clear");
    terminal.wait_until("a prompt of bash", |screen| screen.trim_end() == "bash:");
    for (typed, completed) in [
        ("referee pl", "referee play "),
        ("referee play --bot @gree", "referee play --bot @greedy "),
        ("referee play --bot 'py x' --bot mine.", "referee play --bot 'py x' --bot mine.py "),
        ("referee resume kept/tw", "referee resume kept/two/"),
        ("referee compare kept/one:@gre", "referee compare kept/one:@greedy "),
    ] {
        terminal.press(&["C-u", "C-l"]);
        terminal.type_text(typed);
        terminal.press(&["Tab"]);
        // The next typed text shows whether a blank was added.
        terminal.type_text("X");
        terminal.wait_for(&format!("bash: {completed}X"));
    }
}

#[test]
fn the_tab_key_of_a_real_zsh_completes() {
    let Some([zsh]) = need("completion in zsh", ["zsh"]) else { return };
    let project = project();
    let program = program();
    let script = Command::new(program).args(["completions", "zsh"]).run();
    fs::write(project.path().join("script"), script.stdout).expect("a script");
    let Some(terminal) = Terminal::of_size(120, 24) else { return };
    terminal.run(&format!("cd '{}' && exec {zsh} -f", project.path().display()));
    terminal
        .run("PS1='zsh: '; bindkey -e; autoload -U compinit; compinit -D -u; . ./script; clear");
    terminal.wait_until("a prompt of zsh", |screen| screen.trim_end() == "zsh:");
    for (typed, completed) in [
        ("referee pl", "referee play "),
        ("referee play --bot @gree", "referee play --bot @greedy "),
        ("referee resume kept/tw", "referee resume kept/two/"),
        ("referee compare kept/one:@gre", "referee compare kept/one:@greedy "),
        ("referee compare latest:@gre", "referee compare latest:@greedy "),
        ("referee show lates", "referee show latest "),
        ("referee bot misbehaving chat", "referee bot misbehaving chatter "),
    ] {
        terminal.press(&["C-u", "C-l"]);
        terminal.type_text(typed);
        terminal.press(&["Tab"]);
        terminal.type_text("X");
        terminal.wait_for(&format!("zsh: {completed}X"));
    }
}
