//! What a list of runs shows of a run, so that it need not read every result.
//!
//! `listing.json` is made of `run.toml` and the results, and holds for as long as these have the size and
//! the time of change that it names. It can be deleted at any moment. Points are kept by board, since the
//! best known scores that they are compared with change from day to day.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

use serde::{Deserialize, Serialize};

use super::comment::comment_in;
use super::commit::Commit;
use super::files::new_file;
use super::folder::{FolderError, PART_FOLDERS, RESULTS, RUN, RunFolder};
use super::ids::RecordId;
use super::outcome::Outcome;
use super::plan::{Plan, PlannedBot};
use super::records::Bests;
use terms::millis::Millis;

const LISTING: &str = "listing.json";

/// The version of the format; a listing of another one is made anew.
const FORMAT: u32 = 1;

/// What a list shows of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Listing {
    format: u32,
    stamps: Stamps,
    /// When it was started, in UTC.
    pub started: jiff::Timestamp,
    /// The game.
    pub game: String,
    /// The commit of the user's repository that it was started from.
    pub git: Option<Commit>,
    /// The run of the opponent, if it has one.
    pub against: Option<PathBuf>,
    /// The number of boards.
    pub boards: usize,
    /// The first and the last seed, if boards come from seeds.
    pub seeds: Option<(i64, i64)>,
    /// The board sets that its boards come from.
    pub sets: Vec<String>,
    /// The games of the plan.
    pub planned: usize,
    /// How many parts it has that are not merged.
    pub parts: u32,
    /// The bots.
    pub bots: Vec<ListedBot>,
    /// The user's comment, which is read anew each time.
    #[serde(skip)]
    pub comment: Option<String>,
    /// The boards that were played, by what their records have in common.
    played: Vec<RecordId>,
}

/// What a list shows of a bot.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ListedBot {
    /// What it is called.
    pub bot: String,
    /// The values that it was tried with, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, String>,
    /// The games that it has played.
    pub games: usize,
    /// The games that could not be played.
    pub not_played: usize,
    /// Those that it lost.
    pub lost: usize,
    /// The sum of the scores of the games that it won.
    pub sum: i64,
    /// The slowest response: of the later ones, or if there are none of the first ones.
    pub slowest: Option<Millis>,
    /// Its points on each of the boards that were played.
    points: Vec<Points>,
}

/// The games of a bot on a board, the sum of their points above 0, and the most that one of them brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Points(u32, i64, i64);

/// The size of a file, and when its content was changed, in seconds and nanoseconds.
type Stamp = (u64, i64, i64);

/// The stamps of the files that a listing is made of; `None` for one that is not there.
type Stamps = Vec<Option<Stamp>>;

fn stamp(file: &Path) -> Option<Stamp> {
    let data = fs::metadata(file).ok()?;
    let changed = jiff::Timestamp::try_from(data.modified().ok()?).ok()?;
    Some((data.len(), changed.as_second(), changed.subsec_nanosecond().into()))
}

/// The stamps of the run in `path`, which was planned in so many parts.
fn stamps(path: &Path, parts: u32) -> Stamps {
    let own = [RUN, RESULTS].map(|name| stamp(&path.join(name)));
    let folders = path.join(PART_FOLDERS);
    let parts = if own[1].is_some() { 0 } else { parts };
    let of_part = |part| stamp(&folders.join(format!("{part:04}")).join(RESULTS));
    own.into_iter().chain((1..=parts).map(of_part)).collect()
}

impl Listing {
    /// The listing of the run in `path`: the one that is kept there if it still holds, or else a new one,
    /// which is kept if the folder can be written.
    ///
    /// # Errors
    /// When the folder holds no run, or it cannot be read or is damaged.
    pub fn of(path: &Path) -> Result<Self, FolderError> {
        Ok(Self { comment: comment_in(path), ..Self::kept_or_read(path)? })
    }

    fn kept_or_read(path: &Path) -> Result<Self, FolderError> {
        let kept = fs::read(path.join(LISTING)).ok();
        let kept = kept.and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        let holds = |kept: &Self| kept.format == FORMAT && kept.stamps == stamps(path, kept.parts);
        if let Some(kept) = kept.filter(holds) {
            return Ok(kept);
        }
        let listing = Self::read(&RunFolder::open(path)?)?;
        // Without it the next list takes longer, and shows the same.
        if let Err(error) = listing.keep(path) {
            log::debug!("{}: {error}", path.display());
        }
        Ok(listing)
    }

    /// Reads the results of a run.
    fn read(folder: &RunFolder) -> Result<Self, FolderError> {
        let plan = &folder.run.plan;
        let parts = folder.parts();
        // Taken first, so that a result that comes meanwhile makes the listing out of date.
        let stamps = stamps(&folder.path, parts);
        let mut tallies = Tallies::of(plan);
        // A run that was killed at once has no results yet.
        if parts > 0 || stamps[1].is_some() {
            for outcome in folder.outcomes()? {
                tallies.add(&outcome?);
            }
        }
        let (played, bots) = tallies.finish();
        Ok(Self {
            format: FORMAT,
            stamps,
            started: folder.run.started,
            game: plan.game.clone(),
            git: folder.run.git.clone(),
            against: folder.run.against.as_ref().map(|opponent| opponent.run.clone()),
            boards: plan.boards(),
            seeds: plan.seeds.as_ref().map(|seeds| (seeds.first, seeds.last)),
            sets: sets(plan),
            planned: plan.games(),
            parts,
            bots,
            comment: None,
            played,
        })
    }

    /// Puts the file in place of the old one. It is not synced to the disk: one that a loss of power
    /// damages is made anew.
    fn keep(&self, path: &Path) -> io::Result<()> {
        let path = path.join(LISTING);
        let mut file = new_file(&path)?;
        file.write_all(&serde_json::to_vec(self).expect("memory"))?;
        file.persist(path).map(drop).map_err(|error| error.error)
    }

    /// The mean of yours/best over the games of the bot of this index, as a
    /// [summary](super::Summary) has it; `None` if no best score is known of any of its boards.
    pub fn ratio(&self, bot: usize, bests: &Bests) -> Option<f64> {
        let (mut games, mut sum) = (0, 0.0);
        for (points, best) in self.compared(bot, bests) {
            games += points.0;
            sum += points.ratio_sum(best);
        }
        (games > 0).then(|| sum / f64::from(games))
    }

    /// The mean of yours/best of the bot of this index on each board that has a best score.
    pub fn board_ratios(&self, bot: usize, bests: &Bests) -> Vec<f64> {
        let compared = self.compared(bot, bests);
        compared.map(|(points, best)| points.ratio_sum(best) / f64::from(points.0)).collect()
    }

    /// The points of a bot on each board that has a best score, with that score: the highest of what is
    /// known and of this run's own games; a lone bot on a board without a record has none.
    fn compared<'a>(
        &'a self,
        bot: usize,
        bests: &'a Bests,
    ) -> impl Iterator<Item = (Points, i64)> + 'a {
        let has_rivals = self.bots.len() > 1;
        let boards = self.bots[bot].points.iter().zip(&self.played).enumerate();
        boards.filter(|(_, (points, _))| points.0 > 0).filter_map(move |(board, (points, id))| {
            let known = bests.best(id);
            let most = self.bots.iter().map(|bot| bot.points[board].2).max().unwrap_or(0);
            (has_rivals || known.is_some()).then(|| (*points, known.unwrap_or(0).max(most)))
        })
    }

    /// Whether a bot's name contains `text`.
    pub fn has_bot(&self, text: &str) -> bool {
        self.bots.iter().any(|bot| bot.bot.contains(text))
    }

    /// What its boards are called: its board sets, its seeds, or how many there are.
    pub fn board_names(&self) -> String {
        let seeds = self.seeds.filter(|_| self.sets.is_empty());
        match seeds {
            Some((first, last)) if first == last => format!("seed {first}"),
            Some((first, last)) => format!("seeds {first}..{last}"),
            None if self.sets.is_empty() => self.boards.to_string(),
            None => self.sets.join(", "),
        }
    }

    /// Whether its boards come from the set of this name, or from exactly these seeds, such as `1..100`.
    pub fn has_boards(&self, set: &str) -> bool {
        let seeds = self.seeds.map(|(first, last)| format!("{first}..{last}"));
        self.sets.iter().any(|name| name == set) || seeds.is_some_and(|seeds| seeds == set)
    }
}

impl Points {
    /// Σ yours/best over the games.
    #[expect(clippy::cast_precision_loss, reason = "scores are far below 2^53")]
    fn ratio_sum(self, best: i64) -> f64 {
        if best <= 0 { f64::from(self.0) } else { self.1 as f64 / best as f64 }
    }
}

fn sets(plan: &Plan) -> Vec<String> {
    let listed = plan.boards.iter().filter_map(|board| board.set.as_ref());
    let mut sets: Vec<String> =
        listed.chain(plan.seeds.as_ref().and_then(|seeds| seeds.set.as_ref())).cloned().collect();
    sets.sort();
    sets.dedup();
    sets
}

/// The bots of a run, while its results are read.
struct Tallies {
    bots: Vec<ListedBot>,
    /// The slowest of the first responses.
    first: Vec<Option<Millis>>,
    boards: BTreeMap<RecordId, Vec<Points>>,
}

impl Tallies {
    fn of(plan: &Plan) -> Self {
        let bot = |bot: &PlannedBot| ListedBot {
            bot: bot.name.clone(),
            params: bot.params.clone(),
            ..ListedBot::default()
        };
        Self {
            bots: plan.bots.iter().map(bot).collect(),
            first: vec![None; plan.bots.len()],
            boards: BTreeMap::new(),
        }
    }

    fn add(&mut self, outcome: &Outcome) {
        let Some(bot) = self.bots.iter().position(|bot| bot.bot == outcome.bot) else { return };
        let tally = &mut self.bots[bot];
        if !outcome.is_played() {
            tally.not_played += 1;
            return;
        }
        tally.games += 1;
        tally.lost += usize::from(!outcome.won);
        tally.sum += outcome.points();
        tally.slowest = tally.slowest.max(outcome.times.slowest);
        self.first[bot] = self.first[bot].max(outcome.times.first);
        let bots = self.bots.len();
        let board = self.boards.entry(outcome.record_id.clone());
        let Points(games, sum, most) =
            &mut board.or_insert_with(|| vec![Points::default(); bots])[bot];
        *games += 1;
        *sum += outcome.points().max(0);
        *most = outcome.points().max(*most);
    }

    fn finish(self) -> (Vec<RecordId>, Vec<ListedBot>) {
        let Self { mut bots, first, boards } = self;
        for (index, bot) in bots.iter_mut().enumerate() {
            bot.points = boards.values().map(|points| points[index]).collect();
            bot.slowest = bot.slowest.or(first[index]);
        }
        (boards.into_keys().collect(), bots)
    }
}

/// Has `show` make something of the listing of each run in `folder`, on all processors. What is hidden or
/// no folder is left out; the others are there with what is wrong with them. A missing folder has no runs.
///
/// # Errors
/// When `folder` cannot be read.
pub fn list_runs<T: Send>(
    folder: &Path,
    show: impl Fn(&Path, Listing) -> T + Sync,
) -> io::Result<Vec<(PathBuf, Result<T, FolderError>)>> {
    let mut paths = Vec::new();
    match fs_err::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        entries => {
            for entry in entries? {
                let entry = entry?;
                let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
                if !is_hidden && !entry.file_type()?.is_file() && entry.path().is_dir() {
                    paths.push(entry.path());
                }
            }
        }
    }
    let (next, shown) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        let mut mine = Vec::new();
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            mine.push((path.clone(), Listing::of(path).map(|listing| show(path, listing))));
        }
        shown.lock().expect("nobody panics").extend(mine);
    };
    let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    thread::scope(|scope| {
        for _ in 0..threads.min(paths.len()) {
            scope.spawn(work);
        }
    });
    Ok(shown.into_inner().expect("nobody panics"))
}
