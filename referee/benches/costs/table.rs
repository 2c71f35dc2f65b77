//! The output of the benches: figures next to their yardsticks.

use std::time::Duration;

/// The selection on the command line.
pub(crate) struct Wanted {
    json: bool,
    names: Vec<String>,
}

impl Wanted {
    /// `None` if nothing is to be measured: Cargo also runs benches when it tests all targets.
    pub(crate) fn from_args() -> Option<Self> {
        let (flags, names): (Vec<_>, Vec<_>) =
            std::env::args().skip(1).partition(|arg| arg.starts_with('-'));
        let has = |flag: &str| flags.iter().any(|arg| arg == flag);
        has("--bench").then(|| Self { json: has("--json"), names })
    }

    /// Measures and prints the selected ones of `all`, each under a name.
    pub(crate) fn measure(&self, all: &[(&str, Measure)]) {
        let is_wanted = |name: &str| {
            self.names.is_empty() || self.names.iter().any(|wanted| name.contains(wanted.as_str()))
        };
        for &(_, measure) in all.iter().filter(|(name, _)| is_wanted(name)) {
            // In its own thread, since some pin theirs to one core.
            let rows = std::thread::spawn(measure).join().expect("measured");
            for row in rows {
                row.print(self.json);
            }
        }
    }
}

/// Measures some lines of the table.
pub(crate) type Measure = fn() -> Vec<Row>;

/// One line of the table.
pub(crate) struct Row {
    pub(crate) what: &'static str,
    pub(crate) ours: Amount,
    pub(crate) yardstick: (&'static str, Amount),
    pub(crate) target: Target,
}

/// What is measured.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Amount {
    Time(Duration),
    /// In bytes.
    Memory(u64),
}

/// What the ratio should be.
pub(crate) enum Target {
    AtMost(f64),
    /// At least this many times less than the yardstick.
    TimesLess(f64),
}

impl Amount {
    /// In seconds or bytes.
    pub(crate) fn number(self) -> f64 {
        match self {
            Self::Time(time) => time.as_secs_f64(),
            #[expect(clippy::cast_precision_loss, reason = "no more than a few megabytes")]
            Self::Memory(bytes) => bytes as f64,
        }
    }
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Time(time) => write!(f, "{time:.3?}"),
            Self::Memory(_) => write!(f, "{:.1} MB", self.number() / 1e6),
        }
    }
}

impl Row {
    fn print(&self, json: bool) {
        let Self { what, ours, yardstick: (yardstick, other), target } = self;
        let ratio = ours.number() / other.number();
        let (ratio, target, met) = match target {
            Target::AtMost(most) => (ratio, format!("at most {most}"), ratio <= *most),
            Target::TimesLess(least) => {
                (1.0 / ratio, format!("at least {least} times less"), 1.0 / ratio >= *least)
            }
        };
        if json {
            let object = serde_json::json!({
                "what": what, "ours": ours.to_string(), "yardstick": yardstick,
                "yardstick_is": other.to_string(), "ratio": ratio, "target": target, "met": met,
            });
            println!("{object}");
        } else {
            let met = if met { "" } else { "  <-- missed" };
            println!("{what}: {ours}; {yardstick}: {other}; {ratio:.2} ({target}){met}");
        }
    }
}
