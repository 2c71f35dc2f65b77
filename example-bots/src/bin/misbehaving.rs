//! The bundled bot `misbehaving` as a program of its own.

fn main() -> std::process::ExitCode {
    example_bots::main("misbehaving")
}
