//! The bundled bot `first` as a program.

fn main() -> std::process::ExitCode {
    example_bots::main("first")
}
