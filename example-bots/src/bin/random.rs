//! The bundled bot `random` as a program.

fn main() -> std::process::ExitCode {
    example_bots::main("random")
}
