//! `suite --param`: each combination of values is a bot.

use support::prelude::*;

#[test]
fn each_combination_of_values_is_a_bot_that_compare_knows() {
    let folder = tempdir().expect("a folder");
    let run = |args: &[&str]| {
        let output = referee().args(args).current_dir(&folder).run();
        let said = output.err();
        (output.status.code(), output.out(), said)
    };
    // It plays as the seed in its arguments says, and shows what its environment says.
    let bot = "sh -c 'echo @referee rate=$RATE >&2; exec \"$0\" bot random --seed {S}'";
    let bot = format!("{bot} {}", program());
    let suite = ["suite", "--bot", &bot, "--param", "S=1,2", "--param", "RATE=0.5..1.5:0.5"];
    let more = ["--seed", "1..2", "--run", "run", "--format", "json"];
    let (code, text, said) = run(&[&suite[..], &more, &PATIENT].concat());
    assert_eq!(code, Some(0), "{said}");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let bots = report["bots"].as_array().expect("bots");
    let params: Vec<&Value> = bots.iter().map(|bot| &bot["params"]).collect();
    let expected =
        [("1", "0.5"), ("1", "1.0"), ("1", "1.5"), ("2", "0.5"), ("2", "1.0"), ("2", "1.5")]
            .map(|(seed, rate)| json!({"S": seed, "RATE": rate}));
    assert_eq!(params, expected.iter().collect::<Vec<_>>());
    let name = bots[5]["bot"].as_str().expect("a name");
    assert!(name.contains("--seed 2") && name.ends_with(" RATE=1.5"), "{name}");
    for (bot, rate) in bots.iter().zip([0.5, 1.0, 1.5, 0.5, 1.0, 1.5]) {
        assert_eq!(bot["said"]["rate"]["mean"].as_f64(), Some(rate), "it is in the environment");
        let twin = if bot["params"]["S"] == "1" { 0 } else { 3 };
        assert_eq!(bot["sum"], bots[twin]["sum"], "only the seed matters");
    }
    assert_ne!(bots[0]["sum"], bots[3]["sum"]);

    run(&["report", "run", "--html", "page.html"]);
    let page = fs::read_to_string(folder.path().join("page.html")).expect("a page");
    let pictures = page.split("<svg class=\"tried\"").skip(1);
    let pictures: Vec<&str> = pictures.filter_map(|it| it.split("</svg>").next()).collect();
    let count = |text: &str| pictures.iter().map(|it| it.matches(text).count()).collect::<Vec<_>>();
    assert_eq!(count("<circle class=\"s0\""), [6, 6], "a point for each bot");
    // RATE has three values, and S two.
    assert_eq!(
        (count("<line class=\"mean\""), count("class=\"record\"")),
        (vec![2, 1], vec![1, 1])
    );
    assert!(page.contains("RATE, from 0.5 on the left to 1.5 on the right, against"), "{page}");
    if let Some(browser) = Browser::open() {
        let url = format!("file://{}", folder.path().join("page.html").display());
        let picture = |steps, best| json!({ "points": 6, "steps": steps, "best": best });
        let pictures = json!({
            "RATE": picture(2, "^RATE: the best mean, [0-9.]+, has (0.5|1.0|1.5) of 3 values$"),
            "S": picture(1, "^S: the best mean, [0-9.]+, has [12] of 2 values$"),
        });
        browser.check("report_tries", &json!({ "url": url, "pictures": pictures }));
    }

    let (_, text, said) = run(&["compare", "run:RATE=0.5,S=2", "run:S=1", "--format", "json"]);
    let compared: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{said}"));
    assert_eq!(compared.as_array().expect("an array").len(), 3);
    assert!(compared[0]["baseline"].as_str().expect("a name").contains("--seed 2' "), "{compared}");
    let (code, _, said) = run(&["compare", "run:S=9"]);
    assert!(code == Some(2) && said.contains("run has no bot `S=9`"), "{said}");
    let listed = run(&["runs", "--format", "json"]).1;
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(listed[0]["bots"][0]["params"]["S"], "1");
}

#[test]
fn a_value_that_a_bot_may_not_read_is_told_to_be_in_its_environment() {
    let place = Place::new();
    place.script("deaf", "exec cat");
    place.script("reads", "echo $DEPTH; exec cat");
    let said = |bot: &str| {
        let suite = ["--bot", bot, "--param", "DEPTH=1,2", "--seed", "1"];
        place.suite(&suite).run().err()
    };
    let told = "`./deaf` has no {DEPTH} in its command, so it gets an environment variable DEPTH";
    assert_eq!(said("./deaf").matches(told).count(), 1, "{}", said("./deaf"));
    for bot in ["./reads", "./deaf {DEPTH}", "sh -c './deaf $DEPTH'"] {
        let said = said(bot);
        assert!(!said.contains("environment variable"), "{bot}: {said}");
    }
}

#[test]
fn what_cannot_be_tried_is_refused() {
    let folder = tempdir().expect("a folder");
    for (flags, problem) in [
        (&["--param", "X=4..1"][..], "from the smaller number to the larger one"),
        (&["--param", "X=1", "--param", "X=2"], "--param X: it is given twice"),
        (
            &["--param", "X=1", "--env", "X=2"],
            "--param X: the environment of `@first` sets it as well",
        ),
        (&["--param", "X=1..40", "--param", "Y=1..40"], "these are 1600 combinations"),
    ] {
        let suite = [&["suite", "--bot", "@first"], flags].concat();
        let output = referee().args(suite).current_dir(&folder).run();
        let said = output.err();
        assert!(output.status.code() == Some(2) && said.contains(problem), "{flags:?}: {said}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}
