//! What sanitizers (`-fsanitize=address` and the like) write to a bot's standard error.

/// What a sanitizer has found, such as `AddressSanitizer: heap-buffer-overflow`. Leaks do not count: they are found
/// when a program ends.
pub fn sanitizer_finding(stderr: &[u8]) -> Option<String> {
    const HEADLINES: [&str; 3] =
        ["ERROR: AddressSanitizer: ", "WARNING: ThreadSanitizer: ", "WARNING: MemorySanitizer: "];
    let text = String::from_utf8_lossy(stderr);
    let headline = |line: &str| {
        let headline = HEADLINES.iter().find(|headline| line.contains(*headline))?;
        let (_, found) = line.split_once(headline)?;
        let (_, tool) = headline.split_once(' ')?;
        let what = found.split(" on address ").next()?.split(" (pid").next()?;
        Some(format!("{tool}{what}"))
    };
    text.lines().find_map(headline)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_finding_is_named_without_addresses() {
        for (stderr, found) in [
            (
                "=====\n==2==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x6 at pc 0x5\nWRITE",
                Some("AddressSanitizer: heap-buffer-overflow"),
            ),
            ("WARNING: ThreadSanitizer: data race (pid=9)\n", Some("ThreadSanitizer: data race")),
            (
                "==1==WARNING: MemorySanitizer: use-of-uninitialized-value\n",
                Some("MemorySanitizer: use-of-uninitialized-value"),
            ),
            ("==1==ERROR: LeakSanitizer: detected memory leaks\n", None),
            ("EOFError: EOF when reading a line\n", None),
        ] {
            assert_eq!(sanitizer_finding(stderr.as_bytes()).as_deref(), found, "{stderr}");
        }
    }
}
