//! The bundled bot `squares-random` as a program of its own.

fn main() -> std::process::ExitCode {
    example_bots::main("squares-random")
}
