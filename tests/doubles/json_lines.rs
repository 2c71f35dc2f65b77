//! Messages of judges that speak JSON lines.

use std::io;

use serde_json::Value;

/// The referee's next message.
pub(crate) fn receive() -> Value {
    let mut line = String::new();
    io::stdin().read_line(&mut line).expect("text");
    serde_json::from_str(&line).expect("a message")
}

pub(crate) fn say(message: &Value) {
    println!("{message}");
}
