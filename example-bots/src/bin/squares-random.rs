//! The bundled bot `squares-random` as a program.

fn main() -> std::process::ExitCode {
    example_bots::main("squares-random")
}
