//! The games: the bundled ones as the originals play them, and those whose rules are in other programs.

mod by_hand;
mod contribution_boards;
mod contributions;
mod conversations;
mod fidelity;
mod fidelity_heavy;
mod fuzzed;
mod guide_judge;
mod judge_faults;
mod judge_processes;
mod judge_processes_heavy;
mod judged;
mod library_game;
mod lower_is_better;
mod scored;
mod settings;
mod square_remover;
mod square_remover_heavy;
mod tester_kinds;
mod testers;
