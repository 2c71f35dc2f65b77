//! What to do about the causes that diagnoses name: said once, below all of them.

/// What a diagnosis says, and what to do about it.
const ADVICE: [(&str, &str); 7] = [
    (
        "the host's fault: ",
        "`--on-host-delay retry`, a suite's default, repeats a game that the host delayed, and `--profile relaxed` has longer limits.",
    ),
    ("nobody is known to be at fault", "`--profile relaxed` has longer limits."),
    (
        "it would still have taken more than",
        "`referee timing` waits for late replies, and so measures how late they are.",
    ),
    (
        "its output begins with a byte order mark",
        "In C# `new UTF8Encoding(false)` as Console.OutputEncoding, and in Python the encoding `utf-8` instead of `utf-8-sig`, writes \
         no byte order mark.",
    ),
    ("its output is UTF-16", "Have the bot write UTF-8 without a byte order mark."),
    (
        "its sandbox shows only",
        "`build` in the settings builds a bot before it plays in a sandbox.",
    ),
    (
        "did not notice that its input had ended",
        "`if (!cin) return 0;` or the like ends a bot with its input.",
    ),
];

/// The advice on these diagnoses, each once.
pub(crate) fn advice<'a>(
    diagnoses: impl Iterator<Item = &'a str> + Clone,
) -> impl Iterator<Item = &'static str> {
    let is_said = move |said: &str| diagnoses.clone().any(|diagnosis| diagnosis.contains(said));
    ADVICE.into_iter().filter(move |(said, _)| is_said(said)).map(|(_, advice)| advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_on_several_games_is_given_once() {
        let diagnoses = [
            "turn 1: no answer within 50 ms; the host's fault: it took 60 ms",
            "turn 9: no answer within 50 ms; the host's fault: it took 70 ms",
            "turn 3: the reply was `x`; its output is UTF-16, which some programs of Windows write",
        ];
        let given: Vec<_> = advice(diagnoses.into_iter()).collect();
        assert_eq!(given, [ADVICE[0].1, ADVICE[4].1]);
        assert_eq!(advice(["the bot's fault: it took 60 ms"].into_iter()).count(), 0);
    }
}
