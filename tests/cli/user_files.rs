//! Files of the user's: none is overwritten or deleted that the referee did not make.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, lchown, symlink};

use flate2::Compression;
use flate2::write::GzEncoder;
use referee::gamelog::Log;
use support::prelude::*;

/// A folder with the log of a game, `game.jsonl`.
fn with_log() -> (TempDir, PathBuf) {
    let folder = tempdir().expect("a folder");
    let log = folder.path().join("game.jsonl");
    assert_code(&referee().play(["--log"]).arg(&log).args(PATIENT).run(), 0);
    (folder, log)
}

/// Has the command write `option` to this file, which it refuses to touch.
#[track_caller]
fn expect_refused(command: Referee, file: &Path) {
    let before = fs::read(file).expect("a file");
    let output = command.run();
    let said = output.err();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(said.contains("is not marked as made by the referee"), "{said}");
    assert!(said.contains("--force"), "{said}");
    assert_eq!(fs::read(file).expect("still there"), before);
}

fn succeeded(command: Referee) -> Output {
    command.run().exits(0)
}

#[test]
fn a_page_replaces_a_page_and_nothing_else() {
    let (folder, log) = with_log();
    let page = folder.path().join("game.html");
    let replay = |html: &Path| referee().replay(&log).arg("--html").arg(html);
    expect_refused(replay(&log), &log);
    fs::write(&page, "<html>mine</html>").expect("written");
    expect_refused(replay(&page), &page);
    succeeded(replay(&page).arg("--force"));
    let made = fs::read(&page).expect("a page");
    fs::write(&page, [&made[..], b"<!-- an earlier one -->"].concat()).expect("written");
    succeeded(replay(&page));
    assert_eq!(fs::read(&page).expect("a page"), made);
    let names = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(names, 2, "the log and the page, and nothing half-made");
}

#[test]
fn pages_of_runs_games_and_manuals_replace_only_their_like() {
    let (folder, log) = with_log();
    let run = folder.path().join("run");
    let suite =
        referee().suite(["--seed", "1..2", "--logs", "all", "--run"]).arg(&run).args(PATIENT);
    succeeded(suite);
    expect_refused(referee().arg("report").arg(&run).arg("--html").arg(&log), &log);
    let page = folder.path().join("run.html");
    let report = || referee().arg("report").arg(&run).arg("--games").arg("--html").arg(&page);
    succeeded(report());
    succeeded(report());
    let game = folder.path().join("run-games.html");
    fs::write(&game, "mine").expect("written");
    expect_refused(report(), &game);
}

#[test]
fn a_page_is_written_through_a_link_with_the_rights_that_the_file_had_and_into_a_pipe() {
    let (folder, log) = with_log();
    let (page, link) = (folder.path().join("game.html"), folder.path().join("link.html"));
    symlink("game.html", &link).expect("a link");
    let replay = |html: &Path| {
        let replay = referee().replay(&log).arg("--html").arg(html);
        succeeded(replay)
    };
    replay(&link);
    fs::set_permissions(&page, fs::Permissions::from_mode(0o604)).expect("mine");
    replay(&link);
    assert!(link.is_symlink());
    let mode = fs::metadata(&page).expect("a page").permissions().mode();
    assert_eq!(mode & 0o777, 0o604);
    let piped = replay(Path::new("/dev/stdout")).stdout;
    assert!(piped.starts_with(b"<!doctype html>"));
}

#[test]
fn a_name_that_is_not_utf_8_is_as_good_as_any() {
    let (folder, log) = with_log();
    let odd = |name: &[u8]| folder.path().join(OsStr::from_bytes(name));
    let (copy, page) = (odd(b"\xff.jsonl"), odd(b"\xff.html"));
    fs::copy(&log, &copy).expect("copied");
    let compared = referee().replay(&log).arg(&copy).arg("--html").arg(&page).json();
    assert_eq!(compared["first_different_move"], Value::Null, "{compared}");
    assert!(compared["page"].as_str().is_some_and(|page| page.contains('\u{fffd}')), "{compared}");
    assert!(page.exists());
}

#[test]
fn records_are_kept_through_a_link() {
    let place = Place::new();
    fs::create_dir(place.path("shared")).expect("made");
    for (link, target) in [("one.toml", "two.toml"), ("two.toml", "shared/records.toml")] {
        symlink(target, place.path(link)).expect("a link");
    }
    // Only scores under limits as strict as the official ones are records; this game's hold on a busy machine.
    let suite = place.command(&["suite", "--game", "square-remover", "--bot", "@squares-random"]);
    let kept = ["--seed", "1", "--run", "runs/best", "--records", "one.toml"];
    assert_code(&suite.args(kept).run(), 0);
    assert!(place.path("one.toml").is_symlink() && place.path("two.toml").is_symlink());
    let records = fs::read_to_string(place.path("shared/records.toml")).expect("records");
    assert!(records.contains("[[record]]"), "{records}");
}

/// Everything below a folder, with its mode, owner and size.
fn everything(folder: &Path) -> Vec<(PathBuf, u32, u32, u64)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let data = fs::symlink_metadata(entry.path()).expect("it is there");
        all.push((entry.path(), data.mode(), data.uid(), data.len()));
        if data.is_dir() {
            all.extend(everything(&entry.path()));
        }
    }
    all.sort();
    all
}

/// Has a judge referee a game whose folder of temporary files holds folders of the user's, with names like a referee's.
fn temporary_files_survive(user: User, make_more: impl Fn(&Path)) {
    let place = Place::new();
    let temporary = place.path("temporary");
    for folder in ["referee-scratch-x/src", "referee-scratch-", "referee-scratch-Ab12Cd"] {
        fs::create_dir_all(temporary.join(folder)).expect("made");
    }
    fs::write(temporary.join("referee-scratch-x/src/main.rs"), "fn main() {}").expect("written");
    make_more(&temporary.join("referee-scratch-x.lock"));
    for (path, ..) in everything(place.folder()) {
        lchown(path, Some(uid(user)), None).expect("root may give, and others keep");
    }
    let game = "[game.any]\nkind = 'judge'\ncommand = 'sh judge.sh'\n";
    fs::write(place.path("referee.toml"), game).expect("written");
    fs::write(place.path("judge.sh"), "echo '{\"end\": \"completed\"}'").expect("written");
    fs::set_permissions(place.folder(), fs::Permissions::from_mode(0o755)).expect("its owner");
    let before = everything(&temporary);
    let play =
        referee_of(user).play(["--game", "any", "--seed", "1", "--bot", "cat"]).args(PATIENT);
    assert_code(&play.current_dir(place.folder()).env("TMPDIR", &temporary).run(), 0);
    assert_eq!(everything(&temporary), before, "{user:?}");
}

/// The number of this user.
fn uid(user: User) -> u32 {
    let own = rustix::process::getuid().as_raw();
    if user == User::Nobody && own == 0 { 65534 } else { own }
}

#[test]
fn folders_among_the_temporary_files_survive_whatever_their_names() {
    for user in USERS {
        temporary_files_survive(user, |_| {});
        temporary_files_survive(user, |place| {
            fs::create_dir(place).expect("made");
        });
        temporary_files_survive(user, |place| fs::write(place, "mine").expect("written"));
        temporary_files_survive(user, |place| symlink("referee-scratch-", place).expect("made"));
    }
}

#[test]
fn a_byte_order_mark_is_skipped_by_all_readers() {
    const MARK: &str = "\u{feff}";
    let place = Place::new();
    let mark = |file: &str, text: &str| {
        fs::write(place.path(file), format!("{MARK}{text}")).expect("written");
    };
    let run = |args: &[&str]| succeeded(place.command(args));
    mark("referee.toml", "[suite]\nrecords = 'records.toml'\n[bots.first]\ncommand = '@first'\n");
    mark("records.toml", "format = 1\n");
    mark("seeds.txt", "7,9\n");
    run(&["suite", "--bot", "first", "--seed", "seeds.txt", "--run", "run", "--turn", "60s"]);
    run(&["play", "--bot", "first", "--seed", "7", "--log", "log.jsonl", "--turn", "60s"]);
    let log = fs::read_to_string(place.path("log.jsonl")).expect("there");
    mark("marked.jsonl", &log);
    run(&["replay", "marked.jsonl"]);
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(format!("{MARK}{log}").as_bytes()).expect("room");
    fs::write(place.path("marked.jsonl.gz"), packer.finish().expect("room")).expect("written");
    run(&["replay", "marked.jsonl.gz"]);
    let moves: Vec<String> = Log::open(place.path("marked.jsonl"))
        .expect("a log")
        .turns
        .iter()
        .map(|turn| String::from_utf8_lossy(&turn.reply.0).trim().to_owned())
        .collect();
    mark("moves.txt", &moves.join("\n"));
    let board = run(&["generate", "--seed", "7"]).stdout;
    mark("board.txt", &String::from_utf8(board).expect("text"));
    run(&["replay", "moves.txt", "--board", "board.txt"]);
}

#[test]
fn a_script_with_a_byte_order_mark_is_told_what_is_wrong() {
    let place = Place::new();
    write_program(&place.path("bot"), "\u{feff}#!/bin/sh\necho 0 0\n");
    let output = place.referee(&["play", "--bot", "./bot"]);
    assert_code(&output, 2);
    let said = output.err();
    let command = "sed -i '1s/^\\xef\\xbb\\xbf//' ./bot";
    assert!(said.contains("begins with a byte order mark") && said.contains(command), "{said}");
    let mended = Command::new("sh").args(["-c", command]).current_dir(place.folder()).status();
    assert!(mended.expect("runs").success());
    let text = fs::read_to_string(place.path("bot")).expect("there");
    assert_eq!(text, "#!/bin/sh\necho 0 0\n");
}
