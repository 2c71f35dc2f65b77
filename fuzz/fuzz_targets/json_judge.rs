//! Any line of a judge is a message or is refused in one line.
#![no_main]

use judges::json_lines::message::{FromJudge, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| match parse(bytes) {
    Ok(FromJudge::Ask(ask)) => assert!(ask.lines.is_none_or(|lines| lines > 0)),
    Ok(FromJudge::End(end)) => assert!(!end.end.official.is_empty()),
    Err(problem) => assert!(!problem.is_empty() && !problem.contains('\n'), "{problem}"),
});
