//! Runs of thousands of games, made by hand: what a page of them lists.

use referee::suite::SuiteVerdict;
use referee::verdict::Verdict;
use support::prelude::*;

/// A run of one bot, whose lowest score is on its last board and whose highest is on the one before.
fn long_run(games: i64) -> MadeRun {
    let score = |game: i64| if game == games { 1 } else { 1000 + game };
    MadeRun::new(&[("bot", &(1..=games).map(score).collect::<Vec<_>>())])
}

/// The page of a run, which has this name.
fn page(place: &Place, run: &MadeRun) -> String {
    run.save(&place.path("run"));
    assert_code(&place.command(&["report", "run", "--html", "page.html"]).run(), 0);
    fs::read_to_string(place.path("page.html")).expect("a page")
}

/// The rows of the table in the section of this id, by their headings.
fn rows(page: &str, section: &str) -> Vec<String> {
    let (_, table) = page.split_once(&format!(" id=\"{section}\">")).expect("a section");
    let (table, _) = table.split_once("</table>").expect("a table");
    let heading = |row: &str| row.split_once("</th>").expect("a heading").0.to_owned();
    table.split("<th scope=\"row\">").skip(1).map(heading).collect()
}

#[test]
fn a_page_of_a_long_run_lists_the_games_and_boards_that_matter_and_says_so_at_the_top() {
    let place = Place::new();
    let page = page(&place, &long_run(2500));
    // The last board has the lowest score, the first one the next.
    let worst = || (1..1000).chain([2500]);
    assert_eq!(rows(&page, "games"), worst().map(|game| game.to_string()).collect::<Vec<_>>());
    let boards: Vec<_> = worst().map(|seed| format!("seed {seed}")).collect();
    assert_eq!(rows(&page, "boards"), boards);
    let (top, _) = page.split_once("id=\"totals\"").expect("totals");
    for said in [
        "Of 2500 won games this page lists the 1000 with the worst scores.",
        "Of 2500 boards it shows the 1000 on which the first bot has the worst means.",
    ] {
        assert!(top.contains(said), "{said}: {top}");
    }
}

#[test]
fn a_page_with_a_thousand_games_lists_them_all_and_says_nothing_of_others() {
    let place = Place::new();
    let page = page(&place, &long_run(1000));
    assert_eq!((rows(&page, "games").len(), rows(&page, "boards").len()), (1000, 1000));
    assert!(!page.contains("id=\"chosen\"") && !page.contains("more games"));
}

#[test]
fn every_kind_of_loss_of_a_long_run_is_on_its_page_and_all_are_counted() {
    let place = Place::new();
    let mut run = long_run(2500);
    for outcome in &mut run.outcomes {
        (outcome.won, outcome.verdict) = (false, SuiteVerdict::Played(Verdict::Crash));
        let kind = if outcome.game == 2400 { "SIGSEGV" } else { "SIGABRT" };
        outcome.diagnosis = Some(format!("turn 3: the bot was killed by {kind}"));
    }
    let page = page(&place, &run);
    assert!(page.contains("the bot was killed by SIGSEGV"), "the kind of game 2400 alone");
    assert!(page.contains("2498 more games like it"), "the other kind is counted whole");
    let (top, _) = page.split_once("id=\"totals\"").expect("totals");
    assert!(top.contains("1499 lost games are counted below, without a link."), "{top}");
}
