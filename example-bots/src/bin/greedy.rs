//! The bundled bot `greedy` as a program.

fn main() -> std::process::ExitCode {
    example_bots::main("greedy")
}
