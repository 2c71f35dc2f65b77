//! The bundled bot `random` as a program of its own.

fn main() -> std::process::ExitCode {
    example_bots::main("random")
}
