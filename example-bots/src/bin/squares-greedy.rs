//! The bundled bot `squares-greedy` as a program of its own.

fn main() -> std::process::ExitCode {
    example_bots::main("squares-greedy")
}
