//! Testers that start the bot themselves, as testers of contests do.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitCode, ExitStatus, Stdio};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};
use std::{fs, iter, process};

/// Longer than any test waits.
const FOREVER: Duration = Duration::from_mins(10);

/// How long a tester computes that is busy before a question and after it.
const BUSY: Duration = Duration::from_millis(200);

/// `tester KIND …`, where BOT is a command without arguments.
pub(crate) fn run(words: impl Iterator<Item = String>) -> ExitCode {
    let words: Vec<String> = words.collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["faulty", bot] => faulty(&input(), bot),
        ["faulty", case, bot] => faulty(&file(case), bot),
        ["printing", bot] => printing(&input(), bot),
        ["meets", what, bot] => meets(what, bot),
        ["path", case, bot] => path(&file(case), bot),
        ["relays", case, bot] => relays(&file(case), bot),
        ["sends", what, bot] => sends(what, bot),
        ["team", bot] => team(&input(), bot),
        ["marathon", ref options @ ..] => marathon(options),
        ["sleeper", seconds] => sleeper(seconds),
        ["connects", folder] => connects(folder),
        _ => panic!("there is no tester {words:?}"),
    }
}

fn input() -> String {
    io::read_to_string(io::stdin()).expect("a case")
}

fn file(path: &str) -> String {
    fs::read_to_string(path).expect("a case")
}

fn number(word: &str) -> usize {
    word.parse().expect("a number")
}

/// A bot that a tester has started.
struct Bot {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Bot {
    fn start(command: &str) -> Self {
        Self::spawn(&mut Command::new(command))
    }

    fn spawn(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("the bot starts");
        let output = BufReader::new(process.stdout.take().expect("a pipe"));
        Self { process, output }
    }

    fn send(&mut self, text: impl Display) {
        let input = self.process.stdin.as_mut().expect("still open");
        // Fails for a bot that has exited: its answer is empty.
        let _ = input.write_all(format!("{text}\n").as_bytes());
    }

    /// Its next line, which is empty if it has exited.
    fn answer(&mut self) -> String {
        let mut line = Vec::new();
        self.output.read_until(b'\n', &mut line).expect("a pipe");
        String::from_utf8_lossy(&line).trim().to_owned()
    }

    fn ask(&mut self, text: impl Display) -> String {
        self.send(text);
        self.answer()
    }

    /// Prints what it writes to standard error, until that ends.
    fn print_errors(&mut self) -> JoinHandle<io::Result<u64>> {
        let mut errors = self.process.stderr.take().expect("a pipe");
        thread::spawn(move || io::copy(&mut errors, &mut io::stdout()))
    }

    fn close(&mut self) {
        drop(self.process.stdin.take());
    }

    /// Closes its input and waits until it has exited.
    fn finish(&mut self) -> ExitStatus {
        self.process.wait().expect("a child")
    }

    /// The same, but polls.
    fn poll(&mut self) {
        self.close();
        let patience = Instant::now() + Duration::from_mins(1);
        while self.process.try_wait().expect("a child").is_none() {
            assert!(Instant::now() < patience, "the bot does not exit");
            sleep(Duration::from_millis(1));
        }
    }

    fn kill(&mut self) {
        self.process.kill().expect("it runs");
    }
}

/// Asks for the double of each number, and counts the right answers. The case is a fault and the number of questions.
fn faulty(case: &str, command: &str) -> ExitCode {
    let (fault, rounds) = case.trim().split_once(' ').expect("a fault and a number");
    let rounds = number(rounds);
    match fault {
        "never" => {
            eprintln!("no bot, thanks");
            return ExitCode::FAILURE;
        }
        "idle" => sleep(FOREVER),
        _ => {}
    }
    let mut bot = Bot::start(command);
    let mut other = ["second", "both"].contains(&fault).then(|| Bot::start(command));
    let _child = (fault == "children").then(|| Command::new("sleep").arg("600").spawn());
    for round in 1..=rounds {
        match fault {
            "twice" if round == rounds => {
                bot.finish();
                bot = Bot::start(command);
            }
            "overlap" if round == rounds => {
                bot.close();
                bot = Bot::start(command);
            }
            "both" => drop(other.as_mut().map(|other| other.ask(round))),
            _ => {}
        }
        let answer = ask_with_fault(&mut bot, fault, round);
        if answer != (2 * round).to_string() {
            eprintln!("Error: not twice {round}\nScore = 0");
            return ExitCode::from(101);
        }
    }
    match fault {
        "waits" => drop(bot.finish()),
        "polls" => bot.poll(),
        "kills" => bot.kill(),
        _ => {}
    }
    fs::write("vis.html", "<p>drawn</p>").expect("written");
    match fault {
        "unscored" => println!("nothing to score"),
        _ => println!("Score = {rounds}"),
    }
    ExitCode::SUCCESS
}

/// The bot's answer, with what a fault does around the first two questions.
fn ask_with_fault(bot: &mut Bot, fault: &str, round: usize) -> String {
    let is_busy = fault == "busy" && round < 3;
    if fault == "slow" && round < 3 {
        sleep(Duration::from_millis(1500));
    }
    if is_busy {
        compute(BUSY);
    }
    bot.send(round);
    if is_busy {
        compute(BUSY);
    }
    let answer = bot.answer();
    match (fault, round) {
        ("hang", 2) => sleep(FOREVER),
        ("crash", 2) => process::abort(),
        _ => {}
    }
    answer
}

fn compute(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {}
}

/// Sends the case, a kind and a number, and wants the double of the number. The kind is how it prints the answer.
fn printing(case: &str, command: &str) -> ExitCode {
    let (kind, number) = case.trim().split_once(' ').expect("a kind and a number");
    let (start, mut bot) = (Instant::now(), Bot::start(command));
    let mut answer = bot.ask(number);
    if kind == "elapsed" {
        answer = bot.ask(format!("{number} {}", start.elapsed().as_micros()));
    }
    bot.finish();
    match kind {
        "cost" => eprintln!("Total Cost = {answer}"),
        "bare" => {
            eprintln!("turn 1: 0.5");
            println!("{answer}");
        }
        _ => println!("Score = {answer}"),
    }
    ExitCode::SUCCESS
}

/// Scores 1 if the bot, which answers with its `cores` or its process's `number`, ever has the tester's.
fn meets(what: &str, command: &str) -> ExitCode {
    let mine = || match what {
        "cores" => allowed_cores(),
        _ => process::id().to_string(),
    };
    let mut bot = Bot::start(command);
    let mut met = false;
    for round in 0..50 {
        met |= bot.ask(round) == mine();
    }
    bot.finish();
    println!("Score = {}", u8::from(met));
    ExitCode::SUCCESS
}

fn allowed_cores() -> String {
    let status = fs::read_to_string("/proc/self/status").expect("/proc");
    let cores = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    cores.expect("a list").trim().to_owned()
}

/// Asks for ways in a city, and answers each with its length. It waits until the bot has exited, and calls every failure
/// the same. A line of the case has a start, a goal and the length of a street.
fn path(case: &str, command: &str) -> ExitCode {
    let (mut bot, mut score) = (Bot::start(command), 0);
    for line in case.lines() {
        let numbers: Vec<usize> = line.split(' ').map(number).collect();
        let &[from_row, from_column, to_row, to_column, street] = &numbers[..] else {
            panic!("five numbers")
        };
        let way = bot.ask(format!("{from_row} {from_column} {to_row} {to_column}"));
        let count = |step: &str| way.matches(step).count();
        let is_row = from_row + count("D") == to_row + count("U");
        let is_column = from_column + count("R") == to_column + count("L");
        if !is_row || !is_column {
            if way.is_empty() {
                eprintln!("the bot: {}", bot.finish());
            }
            eprintln!("not a path: {way:?}\nScore = 0\nScore = 0");
            eprintln!("thread 'main' panicked at src/bin/tester.rs:31:13:\nnot a path");
            return ExitCode::from(101);
        }
        let length = street * way.len();
        score += length;
        bot.send(length);
    }
    bot.finish();
    eprintln!("Score = {score}");
    ExitCode::SUCCESS
}

/// Has the bot give tasks to the members of a team, and reports each day which ones have finished. It waits until the bot has exited.
/// The bot gets the whole case: tasks and members, and a line for each task, which begins with the days that it requires.
/// After a wrong answer there is no score.
fn team(case: &str, command: &str) -> ExitCode {
    let first = |line: &str| number(line.split(' ').next().unwrap_or_default());
    let days: Vec<usize> = case.lines().map(first).collect();
    let (mut free, mut work) = ((1..days.len()).collect::<BTreeSet<_>>(), BTreeMap::new());
    let mut bot = Bot::start(command);
    bot.send(case.trim_end());
    for day in 1.. {
        let answer = bot.answer();
        let Some(given) = assignments(&answer) else {
            eprintln!("day {day}: wrong answer: {answer}");
            break;
        };
        for (member, task) in given {
            if free.remove(&task) {
                work.insert(member, day + days[task]);
            }
        }
        let done: Vec<_> = work.extract_if(.., |_, until| *until <= day + 1).collect();
        if free.is_empty() && work.is_empty() {
            bot.send(-1);
            bot.finish();
            eprintln!("Score = {}", 10_000 - day);
            break;
        }
        let members = done.iter().map(|(member, _)| member.to_string());
        bot.send(iter::once(done.len().to_string()).chain(members).collect::<Vec<_>>().join(" "));
    }
    ExitCode::SUCCESS
}

/// The pairs of member and task in an answer, which begins with their number.
fn assignments(answer: &str) -> Option<Vec<(usize, usize)>> {
    let words: Option<Vec<usize>> = answer.split(' ').map(|word| word.parse().ok()).collect();
    let words = words?;
    let (count, pairs) = words.split_first()?;
    let pairs = pairs.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>();
    (pairs.len() == *count).then_some(pairs)
}

/// Wants the double of a number, and prints what the bot writes to standard error.
fn relays(case: &str, command: &str) -> ExitCode {
    let asked = number(case.trim());
    let mut bot = Bot::spawn(Command::new(command).stderr(Stdio::piped()));
    let printer = bot.print_errors();
    let answer = bot.ask(asked);
    bot.finish();
    printer.join().expect("no panic").expect("a pipe");
    if answer == (2 * asked).to_string() {
        println!("Score = {asked}");
    } else {
        println!("wrong answer");
    }
    ExitCode::SUCCESS
}

/// Sends much, without reading in the meantime, or gets much.
fn sends(what: &str, command: &str) -> ExitCode {
    const LARGE: usize = 1_000_000;
    let mut bot = Bot::start(command);
    let score = match what {
        "line" => number(&bot.ask("x".repeat(LARGE))),
        "short" => bot.ask(LARGE).len(),
        "flood" => {
            let chunk = "x".repeat(1 << 16);
            (0..1 << 16).for_each(|_| bot.send(&chunk));
            0
        }
        // An answer to each question that the bot asks, until it exits.
        "answers" => {
            let mut questions = 0;
            loop {
                let question = bot.answer();
                if question.is_empty() {
                    break questions;
                }
                bot.send(question);
                questions += 1;
            }
        }
        _ => panic!("nothing like this is sent: {what}"),
    };
    bot.finish();
    println!("Score = {score}");
    ExitCode::SUCCESS
}

/// `-exec COMMAND -seed N`: wants the doubles of as many numbers as the seed, one after the other. It splits the command at blanks,
/// prints what the bot writes to standard error, kills the bot in the end, and ignores all other options.
fn marathon(options: &[&str]) -> ExitCode {
    let value = |name| options.iter().skip_while(|word| **word != name).nth(1).expect(name);
    let seed = number(value("-seed"));
    let mut words = value("-exec").split(' ');
    let mut command = Command::new(words.next().expect("a command"));
    let mut bot = Bot::spawn(command.args(words).stderr(Stdio::piped()));
    let printer = bot.print_errors();
    bot.send(seed);
    let score = (1..=seed).filter(|number| bot.ask(number) == (2 * number).to_string()).count();
    bot.kill();
    bot.process.wait().expect("a child");
    printer.join().expect("no panic").expect("a pipe");
    println!("Score = {score}");
    ExitCode::SUCCESS
}

/// Not a tester but a bot: it connects to each relay's socket in a folder before it doubles a number.
fn connects(folder: &str) -> ExitCode {
    for line in io::stdin().lines() {
        let open: Vec<_> = sockets(Path::new(folder)).collect();
        eprintln!("connected to {}", open.len());
        println!("{}", 2 * number(&line.expect("text")));
    }
    ExitCode::SUCCESS
}

fn sockets(folder: &Path) -> Box<dyn Iterator<Item = UnixStream>> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    Box::new(entries.flat_map(|entry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let below = if is_folder { sockets(&entry.path()) } else { Box::new(iter::empty()) };
        below.chain(UnixStream::connect(entry.path()))
    }))
}

/// Not a tester but a bot: it sleeps before it doubles a number.
fn sleeper(seconds: &str) -> ExitCode {
    let time = Duration::from_secs_f64(seconds.parse().expect("seconds"));
    for line in io::stdin().lines() {
        sleep(time);
        println!("{}", 2 * number(&line.expect("text")));
    }
    ExitCode::SUCCESS
}
