//! The command and the confinement of a bot by its settings. Linux only.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Once;

use super::{Config, CustomGame, PROJECT_FILE};
use contain::bot::{BotCommand, Confinement, ContainmentMethod, Sandbox, Unavailable};
use results::suite::RunFolder;
use terms::fault::{AtFault, Attributed};

/// Why there is no command for a bot.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// The command has no program.
    #[error("the bot's command is empty")]
    Empty,
    /// The bot is this program, whose file the system does not tell.
    #[error("cannot find this program's own file")]
    Itself(#[source] io::Error),
}

impl Attributed for CommandError {
    fn at_fault(&self) -> AtFault {
        match self {
            Self::Empty => AtFault::User,
            Self::Itself(_) => AtFault::Host,
        }
    }
}

impl Config {
    /// The confinement that these settings ask for, with a sandbox if one is given, which withholds the working folder and, of all games
    /// from settings, the folder of the settings, the judge and the test cases.
    ///
    /// # Errors
    /// When this host does not offer the requested containment.
    pub fn confinement(&self, sandbox: Option<Sandbox>) -> Result<Confinement, Unavailable> {
        let method = self.containment.method_with(sandbox.is_some())?;
        warn_of_processes(method);
        let sandbox = sandbox.map(|sandbox| {
            let of_games = self.project.games.values().flat_map(CustomGame::withheld_from_bots);
            let sandbox = sandbox.withhold_marked([RunFolder::FILE, PROJECT_FILE]);
            sandbox.withhold(std::env::current_dir().into_iter().chain(of_games))
        });
        Ok(Confinement { method, resources: self.resources_of(sandbox.is_some()), sandbox })
    }
}

/// Warns once if a bot can leave the machine without process numbers.
fn warn_of_processes(method: ContainmentMethod) {
    static TOLD: Once = Once::new();
    if method.can_exhaust_processes() {
        TOLD.call_once(|| {
            log::warn!(
                "containment by the method {}: root's bot can take all process numbers of this machine until it is killed; \
                 play as another user, in a control group (not `plain`), or in a namespace on Linux 6.14 or later",
                method.name()
            );
        });
    }
}

/// The command of these words. A first word `@NAME` is a bundled bot, which this program itself runs.
///
/// # Errors
/// When there is no word, or this program's own file is not known.
pub fn bot_command(
    words: Vec<OsString>,
    cwd: Option<PathBuf>,
    env: BTreeMap<OsString, OsString>,
    confinement: Confinement,
) -> Result<BotCommand, CommandError> {
    let mut words = words.into_iter();
    let program = words.next().filter(|word| !word.is_empty()).ok_or(CommandError::Empty)?;
    let Some(name) = program.to_str().and_then(|word| word.strip_prefix('@')) else {
        let args = words.collect();
        return Ok(BotCommand { program, args, cwd, env, pinning: None, confinement });
    };
    let args = ["bot".into(), name.into()].into_iter().chain(words).collect();
    let program = std::env::current_exe().map_err(CommandError::Itself)?.into();
    Ok(BotCommand { program, args, cwd, env, pinning: None, confinement })
}
