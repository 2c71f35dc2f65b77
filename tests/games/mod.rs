//! The games: the bundled ones as the originals play them, and those whose rules are in other programs.

mod attacks_by_judges_and_bots;
mod bad_answers;
mod by_hand;
mod contests;
mod contribution_boards;
mod contributions;
mod conversations;
mod fidelity;
mod fuzzed;
mod guide_judge;
mod judge_faults;
mod judge_processes;
mod lower_is_better;
mod players;
mod random_judges;
mod scored;
mod seats;
mod settings;
mod square_remover;
mod tester_kinds;
mod testers;
