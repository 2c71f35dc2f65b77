//! `referee generate`: test cases from seeds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;

use super::output::write_new;
use super::{Failure, completions, inputs, print, refuse};
use engine::config::SeedRange;
use rules::game::{GameKind, SeedOptions};

/// Write the boards or test cases of seeds
///
/// The same seed gives the same bytes on every machine. Square Remover's test cases are the
/// original tester's.
#[derive(Debug, Args)]
pub(super) struct GenerateArgs {
    #[arg(long, value_name = "NAME", add = completions::games(), help = inputs::game_help("The game"))]
    game: Option<String>,

    /// A seed, or a range A..B with both ends included
    ///
    /// Seeds can be negative.
    #[arg(long, value_name = "N|A..B", allow_hyphen_values = true)]
    seed: SeedRange,

    /// The number of colours of a random board, if the game lets you choose
    #[arg(long, value_name = "N")]
    colors: Option<u8>,

    /// The folder for files seed-N.txt, created if missing [default: print a single case]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// The most files that are written at once.
const MAX_FILES: usize = 1_000_000;

pub(super) fn run(args: &GenerateArgs) -> Result<ExitCode, Failure> {
    let kind = inputs::game(args.game.as_deref())?;
    let options = SeedOptions { colors: args.colors };
    match &args.out {
        Some(folder) => write_files(&kind, args.seed, options, folder),
        None if args.seed.first == args.seed.last => {
            let case = inputs::seeded_case(&kind, args.seed.first, options)?;
            print(|out| out.write_all(case.as_bytes()))
        }
        None => refuse("--out: a range of seeds needs a folder"),
    }
}

fn write_files(
    kind: &GameKind,
    seeds: SeedRange,
    options: SeedOptions,
    folder: &Path,
) -> Result<ExitCode, Failure> {
    let count = seeds.first.count_to(seeds.last);
    if count > MAX_FILES {
        let problem = format!("these are {count} files, and a folder gets at most {MAX_FILES}");
        return refuse(format!("--seed: {problem}"));
    }
    // Validate all seeds first, so a bad one leaves no files behind.
    for seed in seeds.seeds() {
        inputs::seeded_case(kind, seed, options)?;
    }
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))
        .map_err(Failure::User)?;
    let mut written = 0_u64;
    for seed in seeds.seeds() {
        let case = inputs::seeded_case(kind, seed, options)?;
        write_case(&folder.join(format!("seed-{seed}.txt")), &case)?;
        written += 1;
    }
    let files = terms::text::plural(written, "file");
    print(|out| writeln!(out, "{files} in {}", folder.display()))
}

/// Writes a new file. An identical file is fine; a different file of that name is an error.
fn write_case(path: &Path, case: &str) -> Result<(), Failure> {
    if path.is_file() && fs::read(path).is_ok_and(|there| there == case.as_bytes()) {
        return Ok(());
    }
    write_new(path, case.as_bytes(), "exists with other content; remove it or choose another --out")
}
