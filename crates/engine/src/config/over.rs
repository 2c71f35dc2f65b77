//! Lays settings over each other; the kind of a setting says what becomes of two values.

use std::collections::BTreeMap;

use terms::values::GameLimits;
use toml::Spanned;

/// A setting, or a table of them, that may be set in several layers.
pub trait Layered {
    /// Lays this over `below`, which fills in what is unset.
    #[must_use]
    fn over(self, below: Self) -> Self;
}

impl<T> Layered for Option<T> {
    fn over(self, below: Self) -> Self {
        self.or(below)
    }
}

impl Layered for GameLimits {
    fn over(self, below: Self) -> Self {
        self.or(below)
    }
}

/// Of two options for the same thing the later one holds.
impl Layered for Vec<String> {
    fn over(self, below: Self) -> Self {
        below.into_iter().chain(self).collect()
    }
}

/// A bot or a board set hides the one of its name whole.
impl<V> Layered for BTreeMap<String, V> {
    fn over(self, below: Self) -> Self {
        below.into_iter().chain(self).collect()
    }
}

/// The limits of a game hide one another singly.
impl<V: Layered + Default> Layered for BTreeMap<Spanned<String>, V> {
    fn over(self, mut below: Self) -> Self {
        for (game, table) in self {
            let table = table.over(below.remove(&game).unwrap_or_default());
            below.insert(game, table);
        }
        below
    }
}

/// Implements [`Layered`] for a table, each of whose fields implements it.
macro_rules! over_by_field {
    ($table:ident: $($field:ident),*) => {
        impl Layered for $table {
            fn over(self, below: Self) -> Self {
                Self { $($field: self.$field.over(below.$field)),* }
            }
        }
    };
}
pub(super) use over_by_field;
