//! A folder of logs, packed or not, refereed again by the rules: `cargo run --example refereed_again -- FOLDER`.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use referee::gamelog::Log;
use referee::replay::replay;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("usage: refereed_again FOLDER")?;
    let entries = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut files = entries.collect::<std::io::Result<Vec<PathBuf>>>()?;
    files.sort();
    let mut wrong = 0;
    for file in files {
        let name = file.display();
        // An error names the file, and the line where it is damaged.
        let refereed =
            Log::open(&file).map_err(Box::<dyn Error>::from).and_then(|log| Ok(replay(&log)?));
        match refereed.map(|again| (again.difference, again.end)) {
            Ok((None, Some(end))) => println!("{name}: agrees, {}", end.verdict),
            Ok((None, None)) => println!("{name}: agrees up to its end"),
            Ok((Some(difference), _)) => {
                wrong += 1;
                println!("{name}: {difference}");
            }
            Err(error) => {
                wrong += 1;
                println!("{error}");
            }
        }
    }
    Ok(ExitCode::from(u8::from(wrong > 0)))
}
