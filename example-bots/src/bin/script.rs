//! The bundled bot `script` as a program of its own.

fn main() -> std::process::ExitCode {
    example_bots::main("script")
}
