//! The keys that the player knows.

/// A key, alone or with Ctrl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// A visible ASCII character, or a blank.
    Char(char),
    /// A letter with Ctrl.
    Ctrl(char),
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Enter,
    Backspace,
    Escape,
}
