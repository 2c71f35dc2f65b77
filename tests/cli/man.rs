//! Manual pages.

use clap::CommandFactory as _;
use referee::cli::Cli;
use support::prelude::*;

#[test]
fn each_command_has_a_manual_page_with_its_flags() {
    let folder = tempdir().expect("a folder");
    let pages = folder.path().join("new/man");
    let man = Path::new(program()).with_file_name("examples/man");
    assert_code(&Command::new(man).arg(&pages).run(), 0);
    let page = |name: &str| fs::read_to_string(pages.join(name)).expect(name);
    assert!(page("referee.1").contains("Exit codes:"));
    assert!(page("referee-play.1").contains("first\\-turn"));
    assert!(page("referee-runs-note.1").contains("comment"));
    for command in Cli::command().get_subcommands() {
        let name = format!("referee-{}.1", command.get_name());
        assert!(page(&name).contains("NAME"), "{name}");
    }
    let Some([groff]) = need("the form of manual pages", ["groff"]) else { return };
    for entry in fs::read_dir(&pages).expect("a folder") {
        let path = entry.expect("an entry").path();
        let mut groff = Command::new(groff);
        let groff = groff.args(["-man", "-Tutf8", "-ww", "-z"]).arg(&path);
        let warnings = groff.run().stderr;
        assert!(warnings.is_empty(), "{}: {}", path.display(), String::from_utf8_lossy(&warnings));
    }
}
