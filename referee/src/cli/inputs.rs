//! The inputs of commands: settings, boards, bot commands. Every error says what would be right.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;

use super::{Failure, is_quiet, refuse};
use contain::bot::{BotCommand, Confinement};
use engine::build::build;
use engine::config::{Config, Layer, Project, ShellSyntax, find_project};
use engine::play::Seated;
use results::gamelog::outputs;
use results::suite::{Plan, Records, Rules};
use rules::game::{GameKind, SeedOptions, TestCase, UnknownGame, games};
use terms::seed::Seed;
use terms::text::{printable, without_byte_order_mark};

/// Far larger than any test case or settings file. A longer input is a mistake, such as a device file.
const MAX_INPUT_BYTES: u64 = 1 << 20;

/// Reads a whole text file that a user named, without the byte order mark before it.
pub(super) fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes = read_bytes(path, MAX_INPUT_BYTES)?;
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| Failure::file(path, "not a text file (not UTF-8)"))?;
    Ok(without_byte_order_mark(text))
}

/// Whether no file has this name, as opposed to one that cannot be reached.
pub(super) fn is_missing(path: &Path) -> bool {
    let missing = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
    path.metadata().is_err_and(|error| missing.contains(&error.kind()))
}

/// Reads a whole file of at most `max` bytes that a user named.
pub(super) fn read_bytes(path: &Path, max: u64) -> Result<Vec<u8>, Failure> {
    let refused = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Failure::file(path, "no such file"),
        io::ErrorKind::IsADirectory => Failure::file(path, "is a directory, not a file"),
        _ => Failure::file(path, error),
    };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(refused)?;
    file.take(max + 1).read_to_end(&mut bytes).map_err(refused)?;
    if bytes.len() as u64 > max {
        return Err(Failure::file(path, format!("larger than {} MiB", max >> 20)));
    }
    Ok(bytes)
}

/// The user's settings file: the named one, or the project's.
pub(super) fn config_path(named: Option<&Path>) -> Option<PathBuf> {
    let project = || find_project(&std::env::current_dir().ok()?);
    named.map(Path::to_owned).or_else(project)
}

/// Reads the user's settings file; without a file, the layer is empty.
pub(super) fn config_file(named: Option<&Path>) -> Result<Layer, Failure> {
    let Some(path) = config_path(named) else { return Ok(Layer::default()) };
    layer(&path)
}

/// Reads a settings file.
fn layer(path: &Path) -> Result<Layer, Failure> {
    parse_layer(path, &read_text(path)?)
}

/// The settings in the text of a settings file.
pub(super) fn parse_layer(path: &Path, text: &str) -> Result<Layer, Failure> {
    let parsed = text.parse::<Layer>();
    Ok(parsed.map_err(|error| Failure::place(path, error))?.in_file(path))
}

/// The settings that a value of `--game` means: a game's name, or a settings file with a game of the user's own.
pub(super) fn game_layer(value: &str) -> Result<Layer, Failure> {
    let path = Path::new(value);
    if path.extension().is_none_or(|extension| extension != "toml") {
        return Ok(Layer::of_game(value));
    }
    let games = layer(path)?.games();
    if games.has_game() {
        return Ok(games);
    }
    let problem = "--game accepts a file with one table [game.NAME], or with `default` in [game]";
    Err(Failure::file(path, problem))
}

/// The settings of the game of a run, which need not know its judge.
pub(super) fn settings_of_plan(
    plan: &Plan,
    layers: impl IntoIterator<Item = Layer>,
) -> Result<Config, Failure> {
    let unknown = || Failure::user(UnknownGame::new(&plan.game));
    let game = plan.kind().ok_or_else(unknown)?;
    Ok(Config::for_game(game, layers)?)
}

/// The rules of a plan, as settings.
pub(super) fn stored(plan: &Plan) -> Layer {
    let rules = Rules { limits: plan.limits_to_set(), ..plan.rules };
    Layer::of_rules(&plan.game, &rules)
}

/// Resolves these layers of settings, the first one on top.
pub(super) fn settings(layers: impl IntoIterator<Item = Layer>) -> Result<Config, Failure> {
    Ok(Config::resolve(layers)?)
}

/// The project of the working directory.
pub(super) fn project() -> Result<Project, Failure> {
    Ok(settings([config_file(None)?])?.project)
}

/// The user's best scores: those in the named file, or the project's.
pub(super) fn records(named: Option<&Path>) -> Result<Records, Failure> {
    let path = match named {
        // A named file that is missing is a mistake.
        Some(path) if is_missing(path) => return Err(Failure::file(path, "no such file")),
        Some(path) => Some(path.to_owned()),
        None => record_file(&project()?),
    };
    Ok(path.as_deref().map(Records::read).transpose()?.unwrap_or_default())
}

/// The file of the project's records, if it has one.
pub(super) fn record_file(project: &Project) -> Option<PathBuf> {
    project.suite.records.as_ref().map(|records| project.folder.join(records))
}

/// A bot of the project, ready to be started.
pub(super) struct ProjectBot {
    pub(super) words: Vec<OsString>,
    pub(super) cwd: PathBuf,
    pub(super) env: BTreeMap<String, String>,
}

/// The project's bot of this name, built first if it has a build command.
pub(super) fn project_bot(config: &Config, name: &str) -> Result<Option<ProjectBot>, Failure> {
    let Some(bot) = config.project.bots.get(name) else { return Ok(None) };
    let words = split_words(&format!("the bot `{name}`"), &bot.command)?;
    let split: Option<Vec<&str>> = words.iter().map(|word| word.to_str()).collect();
    if let Some(found) = split.and_then(|words| ShellSyntax::find(&bot.command, &words)) {
        let problem = found.in_settings();
        return refuse(format!("the bot `{name}`: {problem}"));
    }
    let cwd = std::path::absolute(config.project.folder.join(&bot.cwd)).map_err(Failure::user)?;
    if let Some(command) = &bot.build {
        let notify = || {
            if !is_quiet() {
                // If standard error is closed, the line is lost.
                let _ = writeln!(
                    io::stderr(),
                    "building {}",
                    printable(&format!("`{name}`: {command}"))
                );
            }
        };
        build(name, command, &cwd, notify).map_err(Failure::user)?;
    }
    Ok(Some(ProjectBot { words, cwd, env: bot.env.clone() }))
}

/// The help of `--game`, which names the games and the default.
pub(super) fn game_help(what: &str) -> String {
    let games = games();
    let known: Vec<_> = games.iter().map(|kind| kind.name.as_str()).collect();
    format!(
        "{what}: {}, a table [game.NAME] of the settings, or a file with one [default: {}]",
        known.join(", "),
        known[0]
    )
}

/// The game that `--game` names, or the settings' default.
pub(super) fn game(name: Option<&str>) -> Result<Arc<GameKind>, Failure> {
    let named = name.map(game_layer).transpose()?.unwrap_or_default();
    Ok(settings([named, config_file(None)?])?.game)
}

/// The bot that plays if none is named: the project's only one, or else the game's.
pub(super) fn default_bot(config: &Config) -> Result<&str, Failure> {
    let own: Vec<&str> = config.project.bots.keys().map(String::as_str).collect();
    match (&own[..], &config.game.default_bot) {
        ([only], _) => Ok(only),
        (_, Some(bot)) => Ok(bot),
        ([], None) => refuse("name the bot with --bot CMD or -- CMD"),
        (_, None) => refuse(format!("name the bot with --bot: {}", own.join(", "))),
    }
}

/// The test case of `--board`: a file, or `@NAME` for a bundled board.
pub(super) fn load_board(kind: &GameKind, board: &Path) -> Result<TestCase, Failure> {
    let text = match board.to_str().and_then(|name| name.strip_prefix('@')) {
        Some(name) => bundled_board(kind, name)?.to_owned(),
        None if !is_missing(board) => read_text(board)?,
        // Without a file of that name, it may be a case of the game.
        None => match board.to_str().and_then(|name| kind.bundled(name)) {
            Some(text) => text.to_owned(),
            None => return Err(no_board(kind, board)),
        },
    };
    (kind.parse)(&text).map_err(|error| {
        let other = games().into_iter().find(|other| (other.parse)(&text).is_ok());
        let hint =
            other.map(|other| format!(" (it is a board of another game: --game {})", other.name));
        Failure::place(board, format!("{error}{}", hint.unwrap_or_default()))
    })
}

/// The name of a board: a case of a custom game has none of the bundled boards' sign before its name, as in suites.
fn board_name(kind: &GameKind, board: &Path) -> String {
    let name = board.display().to_string();
    match name.strip_prefix('@').filter(|_| kind.judge.is_some()) {
        Some(case) => case.to_owned(),
        None => name,
    }
}

/// The name of a board, and its test case.
pub(super) fn named_case(kind: &GameKind, board: &Path) -> Result<(String, String), Failure> {
    Ok((board_name(kind, board), load_board(kind, board)?.text))
}

/// The name of the test case, and the test case: of a board or a seed, or else the first that comes with the game, or seed 1.
pub(super) fn case(
    kind: &GameKind,
    board: Option<&Path>,
    seed: Option<Seed>,
    options: SeedOptions,
) -> Result<(String, String), Failure> {
    let first = kind.bundled.first().map(|(name, _)| PathBuf::from(format!("@{name}")));
    match (board, seed, first) {
        (Some(board), _, _) => named_case(kind, board),
        (None, None, Some(first)) => named_case(kind, &first),
        (None, seed, _) => {
            let seed = seed.unwrap_or(Seed::of(1));
            Ok((format!("seed {seed}"), seeded_case(kind, seed, options)?))
        }
    }
}

/// The error for a board that is neither a file nor a case.
fn no_board(kind: &GameKind, board: &Path) -> Failure {
    let seed = board.to_str().and_then(|name| name.parse::<Seed>().ok());
    match seed.filter(|seed| kind.test_case(*seed, SeedOptions::default()).is_ok()) {
        Some(seed) => Failure::file(
            board,
            format!("no such file; for the board of this seed write --seed {seed}"),
        ),
        None => Failure::file(board, "no such file"),
    }
}

/// Makes the folder of `--outputs`, and refuses to replace a file of the user's there, such as a case, by one with these names.
pub(super) fn prepare_outputs(
    folder: &Path,
    names: impl Iterator<Item = String>,
) -> Result<(), Failure> {
    let made =
        std::fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder).map(drop));
    made.map_err(|error| {
        Failure::user(anyhow!(
            "--outputs {}: cannot write there: {error}; name another folder",
            folder.display()
        ))
    })?;
    let problem = "exists, and is not of a game; name another folder with --outputs";
    let obstacle = outputs::obstacle(folder, names);
    obstacle.map_or(Ok(()), |file| Err(Failure::file(file, problem)))
}

/// The test case of a seed, as text.
pub(super) fn seeded_case(
    kind: &GameKind,
    seed: impl Into<Seed>,
    options: SeedOptions,
) -> Result<String, Failure> {
    kind.test_case(seed, options).map_err(Failure::user)
}

fn bundled_board<'a>(kind: &'a GameKind, name: &str) -> Result<&'a str, Failure> {
    kind.bundled(name).ok_or_else(|| {
        let names: Vec<_> = kind.bundled.iter().map(|(name, _)| format!("@{name}")).collect();
        let names = names.join(", ");
        Failure::user(anyhow!("there is no bundled board `@{name}`; there are: {names}"))
    })
}

/// A bot: the user's name for it, and its command.
#[derive(Clone)]
pub(super) struct NamedBot {
    pub(super) name: String,
    pub(super) command: BotCommand,
}

impl NamedBot {
    pub(super) fn seated(&self) -> Seated<'_> {
        Seated { name: &self.name, command: &self.command }
    }
}

/// Splits the value of `--bot` or another `flag` into words as a shell would, or as programs on Windows do.
pub(super) fn split_words(flag: &str, line: &str) -> Result<Vec<OsString>, Failure> {
    let words = terms::system::split_words(line).ok_or_else(|| {
        Failure::user(anyhow!(
            "{flag}: a quote is not closed, or a backslash ends the line: {line}"
        ))
    })?;
    Ok(words.into_iter().map(OsString::from).collect())
}

/// Makes a command from words. A first word `@NAME` is a bundled bot, which this program itself runs.
pub(super) fn bot_command(
    words: Vec<OsString>,
    cwd: Option<PathBuf>,
    env: BTreeMap<OsString, OsString>,
    confinement: Confinement,
) -> Result<BotCommand, Failure> {
    let program = words.first().and_then(|word| word.to_str());
    if let Some(name) = program.and_then(|word| word.strip_prefix('@')) {
        bundled_bot(name)?;
    }
    Ok(engine::config::bot_command(words, cwd, env, confinement)?)
}

/// The bundled bot called `name`.
pub(super) fn bundled_bot(name: &str) -> Result<&'static example_bots::Bot, Failure> {
    example_bots::find(name).ok_or_else(|| {
        let names: Vec<_> = example_bots::BOTS.iter().map(|bot| bot.name).collect();
        let names = names.join(", ");
        Failure::user(anyhow!("there is no bundled bot `{name}`; there are: {names}"))
    })
}

/// Refuses a bundled bot that plays another game, or does not take its arguments.
pub(super) fn refuse_bundled(words: &[OsString], kind: &GameKind) -> Result<(), Failure> {
    let Some((program, args)) = words.split_first() else { return Ok(()) };
    let Some(name) = program.to_str().and_then(|word| word.strip_prefix('@')) else {
        return Ok(());
    };
    let bot = bundled_bot(name)?;
    bot.check(args).map_err(|problem| {
        Failure::user(anyhow!("@{name}: {problem}; see `referee bot {name} --help`"))
    })?;
    match bot.game {
        Some(game) if game != kind.name => {
            let bots = example_bots::BOTS.iter().filter(|bot| bot.game == Some(&*kind.name));
            let bots: Vec<_> = bots.map(|bot| format!("@{}", bot.name)).collect();
            let others = if bots.is_empty() {
                String::new()
            } else {
                format!("; it has: {}", bots.join(", "))
            };
            let problem = format!("@{name} plays {game}, and this game is {}{others}", kind.name);
            refuse(problem)
        }
        _ => Ok(()),
    }
}

/// An environment variable and its value.
pub(super) type Variable = (String, String);

/// Splits `NAME=VALUE`. `NAME` alone has the value of the referee's own environment.
pub(super) fn variable(text: &str) -> Result<Variable, String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        None if !text.is_empty() => match std::env::var(text) {
            Ok(value) => Ok((text.to_owned(), value)),
            Err(_) => Err(format!("`{text}` is not set here; write {text}=VALUE")),
        },
        _ => Err(format!("`{text}` is not of the form NAME=VALUE")),
    }
}
