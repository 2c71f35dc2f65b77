//! Asks a program one question, within a second and 256 MiB: `cargo run --example asked -- QUESTION PROGRAM ARGS…`.
use std::time::Duration;

use contain::terms::limits::Resources;
use contain::{Contained, Host, Until};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let host = Host::start()?;
    let mut words = std::env::args().skip(1);
    let (question, program) = words.next().zip(words.next()).ok_or("name QUESTION and PROGRAM")?;
    let limits = Resources { memory: Some(256 << 20), ..Resources::default() };
    let mut child = Contained::new(program).args(words).limits(limits).spawn(&host)?;
    let second = Duration::from_secs(1);
    let reply = child.exchange(format!("{question}\n"), Until::Lines(1), second)?;
    println!("{:?} after {:?}", String::from_utf8_lossy(&reply.bytes), reply.wall);
    println!("not whole: {:?}", reply.why_not_whole);
    println!("{:?}", child.finish(second));
    Ok(())
}
