//! Runs made by hand: what bots have on boards, which no process has played.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use results::suite::{
    Margin, Opponent, Outcome, Plan, PlannedBot, Rules, Run, RunFolder, Seat, Seats, Seeds,
    SuiteVerdict, Times,
};
use rules::game::GAMES;
use rules::game::judge::{JudgeProgram, Reading};
use rules::measure::Measure;
use rules::score::Direction;
use serde::de::DeserializeOwned;
use statistics::Risk;
use terms::limits::{Limits, OnHostDelay, Profile, Resources};
use terms::verdict::{Culprit, Verdict};

/// A run of `SameGame` on the boards of seeds 1, 2, ….
#[derive(Debug)]
pub struct MadeRun {
    run: Run,
    /// By game.
    pub outcomes: Vec<Outcome>,
}

impl MadeRun {
    /// Bots that have won each game, with their scores by board.
    pub fn new(bots: &[(&str, &[i64])]) -> Self {
        let boards = bots[0].1.len();
        let name = |name: &str| PlannedBot {
            name: name.to_owned(),
            command: vec![name.to_owned()],
            ..PlannedBot::default()
        };
        let last = i64::try_from(boards).expect("few");
        let plan = Plan {
            game: "samegame".to_owned(),
            better: Direction::Higher,
            measure: None,
            judge: None,
            rules: Rules {
                profile: Profile::Official,
                on_host_delay: OnHostDelay::Fail,
                limits: Limits::default(),
                fixed: Limits::default(),
                resources: Resources::default(),
            },
            repeat: 1,
            shuffle: None,
            seeds: Some(Seeds::new([(1, last)]).expect("seeds")),
            players: NonZeroUsize::MIN,
            seats: Seats::default(),
            bots: bots.iter().map(|(bot, _)| name(bot)).collect(),
            boards: Vec::new(),
        };
        let games = (0..boards).flat_map(|board| bots.iter().map(move |bot| (board, bot)));
        let outcomes = (1..)
            .zip(games)
            .map(|(game, (board, (bot, scores)))| won(game, bot, board, scores[board]));
        Self { outcomes: outcomes.collect(), run: Run::new(plan, None) }
    }

    /// Games of several players. The bots of the pool come after the others; `rank` gives the places at a table, by seat and from 1, on the
    /// board of an index.
    pub fn of_tables(
        players: usize,
        [bots, pool]: [&[&str]; 2],
        boards: usize,
        mut rank: impl FnMut(usize, &[usize]) -> Vec<u32>,
    ) -> Self {
        let scores = vec![0; boards];
        let all: Vec<(&str, &[i64])> =
            bots.iter().chain(pool).map(|bot| (*bot, &scores[..])).collect();
        let mut made = Self::new(&all);
        let plan = &mut made.run.plan;
        for bot in &mut plan.bots[bots.len()..] {
            bot.pool = true;
        }
        plan.measure = Some(Measure::Place);
        plan.players = NonZeroUsize::new(players).expect("some");
        plan.judge = Some(JudgeProgram {
            kind: "json".to_owned(),
            command: vec!["judge".to_owned()],
            settings: BTreeMap::from([("players".to_owned(), players.to_string())]),
            files: BTreeMap::new(),
            reading: Reading::default(),
        });
        made.outcomes = (1..=plan.games())
            .step_by(players)
            .flat_map(|first| {
                let table = plan.table(first);
                let board = plan.assignment(first).board;
                seats(first, board, &table, &rank(board, &table), &plan.bots)
            })
            .collect();
        made
    }

    /// Boards have the ids that their seeds give them, so that games on them can be paired with these.
    #[must_use]
    pub fn on_real_boards(mut self) -> Self {
        for outcome in &mut self.outcomes {
            let board = self.run.plan.assignment(outcome.game).board;
            let case = self.run.plan.case(&GAMES[0], board).expect("a board");
            (outcome.board_id, outcome.record_id) = (case.board_id, case.record_id);
        }
        self
    }

    /// A late reply ends these games, by number, for which either the bot or the host is to blame.
    #[must_use]
    pub fn late(mut self, games: &[usize], culprit: Culprit) -> Self {
        for game in games {
            let outcome = &mut self.outcomes[game - 1];
            outcome.verdict = SuiteVerdict::Played(Verdict::Timeout);
            (outcome.won, outcome.counts) = (false, false);
            match culprit {
                Culprit::Bot => outcome.times.bot_overruns = 1,
                Culprit::Host => outcome.times.host_overruns = 1,
            }
        }
        self
    }

    /// The run is played against a bot of another run.
    #[must_use]
    pub fn against(mut self, run: PathBuf, bot: &str) -> Self {
        self.run.against = Some(Opponent {
            run,
            bot: bot.to_owned(),
            margin: Margin::default(),
            risk: Risk::default(),
            measure: Measure::default(),
        });
        self
    }

    /// Its bots are compared with the opponent by places.
    #[must_use]
    pub fn measured_in_places(mut self) -> Self {
        if let Some(opponent) = &mut self.run.against {
            opponent.measure = Measure::Place;
        }
        self
    }

    /// The run is played until it is decided between its first bot and this one.
    #[must_use]
    pub fn against_rival(self, bot: &str) -> Self {
        self.against(PathBuf::new(), bot).measured_in_places()
    }

    /// The run is this share of its plan.
    #[must_use]
    pub fn in_shard(mut self, shard: &str) -> Self {
        self.run.shard = Some(shard.parse().expect("a shard"));
        self
    }

    /// What is played.
    pub fn plan(&mut self) -> &mut Plan {
        &mut self.run.plan
    }

    /// Makes the run's folder.
    pub fn save(&self, path: &Path) -> RunFolder {
        let folder = RunFolder::create(path, self.run.clone()).expect("nothing is there");
        self.write(path, folder.schedule());
        folder
    }

    /// Makes the run's folder with these results, which may be fewer than planned.
    pub fn save_games(&self, path: &Path) -> RunFolder {
        let folder = RunFolder::create(path, self.run.clone()).expect("nothing is there");
        self.write(path, 1..=self.outcomes.len());
        folder
    }

    /// Makes the run's folder without results.
    pub fn save_none(&self, path: &Path) -> RunFolder {
        let folder = RunFolder::create(path, self.run.clone()).expect("nothing is there");
        self.write(path, std::iter::empty());
        folder
    }

    fn write(&self, place: &Path, games: impl Iterator<Item = usize>) {
        let line =
            |game: usize| serde_json::to_string(&self.outcomes[game - 1]).expect("memory") + "\n";
        fs::write(place.join("results.jsonl"), games.map(line).collect::<String>()).expect("room");
    }
}

/// The results of the seats of a game.
fn seats(
    first: usize,
    board: usize,
    table: &[usize],
    places: &[u32],
    bots: &[PlannedBot],
) -> Vec<Outcome> {
    let names: Vec<String> = table.iter().map(|&bot| bots[bot].name.clone()).collect();
    let of = |seat: usize| {
        let others = places.iter().enumerate().filter(|(at, _)| *at != seat);
        let points = others.map(|(_, place)| match place.cmp(&places[seat]) {
            Ordering::Greater => 100.0,
            Ordering::Equal => 50.0,
            Ordering::Less => 0.0,
        });
        let count = f64::from(u32::try_from(places.len() - 1).expect("few"));
        let place = Some(points.sum::<f64>() / count);
        let number = (first - 1) / places.len() + 1;
        let seat_of = Seat { number, seat, bots: names.clone(), place, spoilt: false };
        Outcome {
            seat: Some(seat_of),
            counts: false,
            ..won(first + seat, &names[seat], board, i64::from(10 - places[seat]))
        }
    };
    (0..table.len()).map(of).collect()
}

/// A game that was won on a board, whose index is from 0.
fn won(game: usize, bot: &str, board: usize, score: i64) -> Outcome {
    let number = board + 1;
    Outcome {
        game,
        session: None,
        bot: bot.to_owned(),
        seat: None,
        board: format!("seed {number}"),
        set: None,
        board_id: id(&format!("b{number}")),
        record_id: id(&format!("r{number}")),
        traits: BTreeMap::from([(
            "colors".to_owned(),
            if number.is_multiple_of(2) { 4 } else { 5 },
        )]),
        repeat: 1,
        verdict: SuiteVerdict::Played(Verdict::Completed),
        won: true,
        forfeit: false,
        score: Some(score.into()),
        best_known: None,
        counts: true,
        official: "Endgame.".to_owned(),
        diagnosis: None,
        turns: 40,
        said: BTreeMap::new(),
        times: Times::default(),
    }
}

/// An id that no board has.
fn id<T: DeserializeOwned>(name: &str) -> T {
    serde_json::from_value(name.into()).expect("any text is one")
}
