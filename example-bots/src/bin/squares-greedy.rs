//! The bundled bot `squares-greedy` as a program.

fn main() -> std::process::ExitCode {
    example_bots::main("squares-greedy")
}
