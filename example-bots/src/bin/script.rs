//! The bundled bot `script` as a program.

fn main() -> std::process::ExitCode {
    example_bots::main("script")
}
