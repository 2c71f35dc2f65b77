//! The files of single games: logs, and a bundle for each lost game.
//!
//! A bundle has what is needed to examine a loss: `board.txt`, `game.jsonl` (the log, with the
//! certificate of each exchange), `stdin.txt` (all that the bot was sent, to feed a debugger with),
//! `stderr.txt`, and `again.sh`, the command that plays the game again.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use flate2::Compression;
use flate2::write::GzEncoder;
use fs_err as fs;

use super::bot_files::BotFiles;
use super::game::Finished;
use crate::config::Config;
use results::gamelog::{self, Event, drawings};
use results::suite::{
    BUNDLES, Logs, Outcome, Packing, PlannedBot, RunFolder, make_folder, packed_log,
};
use rules::game::{Answer, GameKind};
use terms::limits::LimitKind;
use terms::lines::Lines;
use terms::system::{AGAIN, IS_FOR_CMD, executable_by_all};
use terms::text::{exact_duration, exact_size, printable, shell_word};

/// The approximate maximum of bundles in a run; a bot that loses every game of a large suite would fill the disk.
const MAX_BUNDLES: usize = 100;

/// The files of a bundle.
const BUNDLE: [&str; 6] =
    ["board.txt", "game.jsonl", "stdin.txt", "stderr.txt", "again.sh", "again.cmd"];

/// Keeps games in a run folder.
pub(super) struct Archive<'a> {
    pub(super) folder: &'a RunFolder,
    pub(super) config: &'a Config,
    /// Which games are kept.
    pub(super) logs: Logs,
    /// How.
    pub(super) packing: Packing,
}

impl Archive<'_> {
    /// Keeps a game as the settings say; a game that was never started leaves nothing. What an earlier try of the game has
    /// left, which has no result any more, goes.
    pub(super) fn keep(&self, finished: &Finished, bots: &[&PlannedBot]) -> io::Result<()> {
        let outcome = &finished.outcomes[0];
        let lost = match finished.events.last() {
            // The judge failed after it.
            Some(Event::Turn(turn)) => Some(turn.seat),
            _ => finished.outcomes.iter().position(|outcome| !outcome.won),
        };
        let leaves_log = match self.logs {
            Logs::None => false,
            Logs::Failed => lost.is_some(),
            Logs::All => true,
        };
        let path = self.folder.log_path(outcome.game);
        let packed = packed_log(&path);
        self.remove_bundle(outcome.game)?;
        if !leaves_log || finished.events.is_empty() {
            drawings::keep(&path, &[])?;
            return [path, packed].iter().try_for_each(|log| remove_if_there(log));
        }
        let log = gamelog::log_of(&finished.events, &path, self.config.log_size)?;
        if let Some(lost) = lost {
            static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
            let _guard = ONE_AT_A_TIME.lock();
            if self.bundles() < MAX_BUNDLES {
                self.bundle(finished, lost, bots, &log)?;
            }
        }
        make_folder(path.parent().unwrap_or(&self.folder.path))?;
        drawings::keep(&path, finished.drawings())?;
        match self.packing {
            Packing::Plain => {
                remove_if_there(&packed)?;
                fs::write(path, log)
            }
            Packing::Gzip => {
                remove_if_there(&path)?;
                fs::write(packed, gzip(&log)?)
            }
        }
    }

    /// Removes the bundle of a game, and leaves what the user has put into its folder.
    fn remove_bundle(&self, game: usize) -> io::Result<()> {
        let folder = self.folder.bundle_path(game);
        if folder.is_dir() {
            BUNDLE.iter().try_for_each(|file| remove_if_there(&folder.join(file)))?;
            // Fails only if it is not empty.
            let _ = fs::remove_dir(folder);
        }
        Ok(())
    }

    /// The number of bundles in the run. Other processes may add some at the same moment.
    fn bundles(&self) -> usize {
        fs::read_dir(self.folder.path.join(BUNDLES)).map_or(0, Iterator::count)
    }

    /// Keeps a bundle for the first seat that failed.
    fn bundle(
        &self,
        finished: &Finished,
        lost: usize,
        bots: &[&PlannedBot],
        log: &[u8],
    ) -> io::Result<()> {
        let folder = self.folder.bundle_path(finished.outcomes[0].game);
        make_folder(&self.folder.path.join(BUNDLES))?;
        make_folder(&folder)?;
        let file = |name: &str, content: &[u8]| fs::write(folder.join(name), content);
        file("board.txt", finished.test_case.as_bytes())?;
        file("game.jsonl", log)?;
        file("stdin.txt", &stdin(&self.config.game, finished, lost))?;
        file("stderr.txt", &stderr(&finished.events, lost))?;
        let outcome = &finished.outcomes[lost];
        let again =
            if IS_FOR_CMD { self.again_in_cmd(bots, outcome) } else { self.again(bots, outcome) };
        file(AGAIN, again.as_bytes())?;
        if let Some(runnable) = executable_by_all() {
            // A file system that refuses this decides by itself what may be executed.
            let _ = fs::set_permissions(folder.join(AGAIN), runnable);
        }
        Ok(())
    }

    /// A shell script that plays the game again, from anywhere. Flags set the environment and working directory of all bots of a
    /// game, so bots that differ in these get them from `env`.
    fn again(&self, bots: &[&PlannedBot], outcome: &Outcome) -> String {
        let differ = bots.iter().any(|bot| (&bot.cwd, &bot.env) != (&bots[0].cwd, &bots[0].env));
        let command = |bot: &&PlannedBot| {
            let words = if differ { in_own_environment(bot) } else { bot.command.clone() };
            let words: Vec<_> = words.iter().map(|word| shell_word(word)).collect();
            for_shell(&words.join(" "))
        };
        let command = bots.iter().map(command).collect::<Vec<_>>().join(" --bot ");
        let common = PlannedBot { sandbox: bots[0].sandbox.clone(), ..PlannedBot::default() };
        let options = self.options(if differ { &common } else { bots[0] });
        let options: Vec<_> = options.iter().map(|word| for_shell(word)).collect();
        let loss = printable(&outcome.loss());
        format!(
            "#!/bin/sh\n# {loss}\nbundle=$(dirname \"$(realpath \"$0\")\")\n\
             # Another profile has its own limits.\n\
             limits='{}'\n\
             case \" $*\" in *' --profile'*) limits= ;; esac\n\
             exec referee play {} $limits --board \"$bundle/board.txt\" --bot {command} \"$@\"\n",
            self.limits().join(" "),
            options.join(" ")
        )
    }

    /// The same for the shell of Windows, which has no `env`: all bots have the surroundings of the first.
    fn again_in_cmd(&self, bots: &[&PlannedBot], outcome: &Outcome) -> String {
        let options = self.options(bots[0]);
        let options: Vec<_> = options.iter().map(|word| shell_word(&printable(word))).collect();
        let command = |bot: &&PlannedBot| {
            let words: Vec<_> = bot.command.iter().map(|word| shell_word(word)).collect();
            shell_word(&printable(&words.join(" ")))
        };
        let command = bots.iter().map(command).collect::<Vec<_>>().join(" --bot ");
        let limits = self.limits().join(" ");
        let line = for_cmd(&format!("{limits} {} --bot {command}", options.join(" ")));
        let loss = printable(&outcome.loss()).replace('%', "%%");
        format!(
            "@echo off\r\nchcp 65001 >nul\r\nrem {loss}\r\nreferee play --board \"%~dp0board.txt\" {line} %*\r\n"
        )
    }

    /// The flags that make the time limits the same. None has a blank.
    fn limits(&self) -> Vec<String> {
        let limits = self.folder.run.plan.limits_to_set();
        let flag = |kind: LimitKind| {
            Some(format!("--{}={}", kind.name(), exact_duration(limits.of(kind)?)))
        };
        self.config.game.limits.kinds().filter_map(flag).collect()
    }

    /// The flags that make the other rules and the bot's surroundings the same.
    fn options(&self, bot: &PlannedBot) -> Vec<String> {
        let (kind, rules) = (&self.config.game, &self.folder.run.plan.rules);
        let mut words: Vec<String> = Vec::new();
        let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
        option("game", kind.name.clone());
        let here = here();
        if let Some(own) = self.config.project.games.get(&kind.name) {
            option("config", here.join(&own.file).display().to_string());
        }
        option("profile", rules.profile.name().to_owned());
        let memory = rules.resources.memory;
        option("memory", memory.map_or_else(|| "none".to_owned(), exact_size));
        if let Some(stack) = rules.resources.stack {
            option("stack", exact_size(stack));
        }
        for (name, value) in &bot.env {
            option("env", format!("{name}={value}"));
        }
        let cwd = bot.cwd.as_ref().map_or_else(|| here.clone(), |cwd| here.join(cwd));
        option("cwd", cwd.display().to_string());
        words.extend(bot.sandbox.iter().map(|_| "--sandbox".to_owned()));
        let read = bot.sandbox.iter().flatten();
        words.extend(read.map(|path| format!("--sandbox={}", here.join(path).display())));
        words
    }
}

/// The command of a bot that `env` starts.
fn in_own_environment(bot: &PlannedBot) -> Vec<String> {
    let here = here();
    let mut words = vec!["env".to_owned()];
    if let Some(cwd) = &bot.cwd {
        words.extend(["-C".to_owned(), here.join(cwd).display().to_string()]);
    }
    words.extend(bot.env.iter().map(|(name, value)| format!("{name}={value}")));
    let mut command = match bot.sandbox {
        // It shows only files that words name from here.
        Some(_) => BotFiles::of(bot).absolute(&bot.command, &here),
        None => bot.command.clone(),
    };
    if let Some(bundled) = bot.command.first().and_then(|program| program.strip_prefix('@')) {
        command.splice(..1, ["referee", "bot", bundled].map(str::to_owned));
    }
    words.extend(command);
    words
}

fn here() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

/// Quotes a word for a shell. Control characters are escaped, in case the script is shown in a terminal;
/// then line breaks at the end are lost.
fn for_shell(word: &str) -> String {
    if printable(word) == word {
        return shell_word(word);
    }
    let escaped: Vec<_> = word.bytes().map(|byte| format!("\\{byte:03o}")).collect();
    format!("\"$(printf '{}')\"", escaped.concat())
}

/// Has `cmd` take a line of a script literally. It does not know that a backslash before a quote makes it part of a word.
fn for_cmd(line: &str) -> String {
    let mut literal = String::new();
    for character in line.chars() {
        match character {
            '"' | '&' | '|' | '<' | '>' | '^' | '(' | ')' => literal.push('^'),
            '%' => literal.push('%'),
            _ => {}
        }
        literal.push(character);
    }
    literal
}

fn gzip(log: &[u8]) -> io::Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(log)?;
    packer.finish()
}

fn remove_if_there(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Everything that the bot in a seat was sent: by what its judge asked, or else recomputed from its replies.
fn stdin(kind: &GameKind, finished: &Finished, of_seat: usize) -> Vec<u8> {
    let mut game = (kind.parse)(&finished.test_case).expect("it was played").opening();
    let mut sent = Vec::new();
    for event in &finished.events {
        let Event::Turn(turn) = event else { continue };
        let mut pass_on = |input: &[u8]| {
            if turn.seat == of_seat {
                sent.extend_from_slice(input);
            }
        };
        if let Some(asked) = &turn.asked {
            pass_on(asked.input.as_bytes());
        } else if let Some(game) = &mut game
            && let Some(ask) = game.next_ask()
        {
            pass_on(ask.input.as_bytes());
            let _ = game.answer(Answer::new(&Lines::split(&turn.reply.0), turn.no_reply));
        }
    }
    sent
}

fn stderr(events: &[Event], seat: usize) -> Vec<u8> {
    let mut said = Vec::new();
    for event in events {
        let chunk = match event {
            Event::Turn(turn) if turn.seat == seat => &turn.stderr,
            Event::End(end) => match end.seats.get(seat) {
                Some(seat) => &seat.process.stderr,
                None => &end.stderr,
            },
            _ => continue,
        };
        said.write_all(&chunk.0).expect("memory");
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::gamelog::{Bytes, Turn};
    use rules::game::{Ask, End, JudgeFailure, Next, Referee, Ruling, Seat, Step, TestCase};

    /// Tells each of two seats in turn what the other one has said.
    #[derive(Clone)]
    struct Echo(usize);

    impl Echo {
        fn step(&self, said: &str) -> Step {
            let seat = self.0 % 2;
            let ask = Ask { seat, ..Ask::lines(said, 1, LimitKind::Turn) };
            let next = if self.0 < 4 { Next::Ask(ask) } else { Next::End(End::new("")) };
            Step { ruling: Ruling::default(), scores: Vec::new(), summary: Vec::new(), next }
        }
    }

    impl Referee for Echo {
        fn begin(&mut self) -> Result<Step, JudgeFailure> {
            Ok(self.step("begin\n"))
        }

        fn answer(&mut self, _seat: Seat, answer: Answer<'_>) -> Result<Step, JudgeFailure> {
            self.0 += 1;
            let Answer::Reply { lines, .. } = answer else { return Ok(self.step("")) };
            let said = lines.iter().next().unwrap_or_default();
            Ok(self.step(&format!("{}\n", String::from_utf8_lossy(said).trim())))
        }
    }

    #[test]
    fn the_input_of_a_seat_follows_the_replies_of_all_seats() {
        let kind = GameKind {
            players: 2,
            ..GameKind::new("echo", "Echo", |text| Ok(TestCase::new(text, Echo(0))))
        };
        let turn = |(number, seat, reply): (u32, usize, &str)| {
            let reply = Bytes(reply.as_bytes().to_vec());
            Event::Turn(Turn { seat, ..Turn::with_reply(number, LimitKind::Turn, reply) })
        };
        let turns = [(1, 0, "a\n"), (1, 1, "b\n"), (2, 0, "c\n"), (2, 1, "d\n")].map(turn);
        let (events, test_case) = (turns.to_vec(), String::new());
        let finished = Finished { outcomes: Vec::new(), events, test_case };
        let sent =
            [0, 1].map(|seat| String::from_utf8(stdin(&kind, &finished, seat)).expect("text"));
        assert_eq!(sent, ["begin\nb\n", "a\nc\n"]);
    }
}
