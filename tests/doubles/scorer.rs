//! A program that scores one answer, as scorers of contests do: it wants the sum of the numbers after the first one. The closer
//! the answer, the higher the score.

use std::fs;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

/// `scorer CASE ANSWER`; the answer can also be the name of a fault.
pub(crate) fn run(words: impl Iterator<Item = String>) -> ExitCode {
    let [case, answer] = &words.collect::<Vec<_>>()[..] else { panic!("a case and an answer") };
    let case = fs::read_to_string(case).expect("a case");
    let answer = fs::read_to_string(answer).expect("an answer");
    fs::write("out.svg", "<svg/>").expect("written");
    let word = answer.split_whitespace().next().unwrap_or_default();
    match word {
        "panic" => {
            eprintln!("thread 'main' panicked at src/bin/vis.rs:9:5:\nno number");
            return ExitCode::from(101);
        }
        "break" => {
            eprintln!("the scorer is broken");
            return ExitCode::from(3);
        }
        "hang" => sleep(Duration::from_mins(10)),
        "bytes" => println!("Score = {}", answer.len()),
        _ => match word.parse::<i64>() {
            Ok(number) => println!("Score = {}", 1000 - (number - sum(&case)).abs()),
            Err(_) => println!("Score = 0\nNot a number: {word}"),
        },
    }
    ExitCode::SUCCESS
}

fn sum(case: &str) -> i64 {
    case.split_whitespace().skip(1).map(|word| word.parse::<i64>().expect("a number")).sum()
}
