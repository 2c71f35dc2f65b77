//! `referee report --history`: a page of the runs so far, which links to the pages of the runs.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use fs_err as fs;

use super::{ReportArgs, name_beside, write_page};
use crate::cli::named_run::{Found, Places, newest_first};
use crate::cli::{Failure, inputs, print};
use report::history::{self, Listed};
use report::markup::address_of;
use report::runs::ShownRun;
use results::suite::{Bests, Listing, RunFolder};
use terms::text::{plural, printable};

pub(super) fn run(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let places = Places::of(&inputs::project()?);
    let show =
        |path: &Path, listing: Listing| Listed { path: path.to_owned(), listing, page: None };
    let Found { runs, broken } = newest_first(&places, show, |run| run.listing.started)?;
    for (path, error) in broken {
        log::warn!("left out: {}: {:#}", path.display(), anyhow::Error::from(error));
    }
    let mut runs: Vec<Listed> = runs.into_iter().map(|(_, run)| run).take(args.count).collect();
    if runs.is_empty() {
        return Err(Failure::file(places.runs, "there are no runs in this folder"));
    }
    let records = inputs::records(args.records.as_deref())?;
    let mut bests: BTreeMap<String, Bests> = BTreeMap::new();
    for Listed { listing, .. } in &mut runs {
        let bests = bests.entry(listing.game.clone());
        listing.summary.compare(bests.or_insert_with_key(|game| Bests::of(game, &records)));
    }
    let pages = write_pages(args, &mut runs, &bests)?;
    let html = history::page(&runs, &bests);
    args.force.write(&args.html, html.as_bytes())?;
    print(|out| {
        let count = plural(runs.len() as u64, "run");
        let (file, pages) = (args.html.display().to_string(), pages.display().to_string());
        writeln!(out, "{count}\n\n  The page is {}.", printable(&file))?;
        writeln!(out, "  The pages of the runs are in {}.", printable(&pages))
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the page of each run, into a folder beside the page of all; returns this folder.
fn write_pages(
    args: &ReportArgs,
    runs: &mut [Listed],
    bests: &BTreeMap<String, Bests>,
) -> Result<std::path::PathBuf, Failure> {
    let name = name_beside(&args.html, "-runs")?;
    let (folder, address) = (args.html.with_file_name(&name), address_of(name.as_encoded_bytes()));
    match fs::create_dir(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            let problem = "cannot make the folder for the pages of runs";
            return Err(error).context(problem).map_err(Failure::User);
        }
        _ => {}
    }
    let list = args.html.file_name().unwrap_or_default().as_encoded_bytes();
    let list = format!("../{}", address_of(list));
    for Listed { path, listing, page } in runs {
        let run = RunFolder::open(path)?;
        let bots = run.run.plan.bots.iter().map(|bot| (bot.name.as_str(), bot.name.clone()));
        let sources = [ShownRun { folder: &run, bots: bots.collect() }];
        let compared = (&bests[&listing.game], run.run.plan.measure());
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".html");
        write_page(args, &folder.join(&name), &sources, compared, Some(&list))?;
        *page = Some(format!("{address}/{}", address_of(name.as_encoded_bytes())));
    }
    Ok(folder)
}
