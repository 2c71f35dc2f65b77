//! Kills of referees whose games have outside judges.

use crate::games::judge_processes::kill_referees;

#[test]
#[ignore = "heavy: cargo test --workspace heavy -- --ignored"]
fn referees_killed_at_many_moments_leave_neither_judge_nor_bot() {
    let kills = std::env::var("REFEREE_KILLS").ok();
    kill_referees(kills.map_or(20, |kills| kills.parse().expect("REFEREE_KILLS is a number")));
}
