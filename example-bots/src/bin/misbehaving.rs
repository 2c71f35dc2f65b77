//! The bundled bot `misbehaving` as a program.

fn main() -> std::process::ExitCode {
    example_bots::main("misbehaving")
}
