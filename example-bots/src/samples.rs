//! The samples: a bot in each language, a page long, to start one's own from.

/// A sample bot, which `referee new` writes.
#[derive(Debug)]
pub struct Sample {
    /// The name of its language, as typed.
    pub language: &'static str,
    /// The game that it plays.
    pub game: &'static str,
    /// The extension of its file.
    pub extension: &'static str,
    /// Its source.
    pub text: &'static str,
    /// The shell command that builds `{name}`, if it needs one.
    pub build: Option<&'static str>,
    /// The command line that starts `{name}`.
    pub command: &'static str,
}

const SAMEGAME: &str = "samegame";
const SQUARES: &str = "square-remover";

/// A language: its name, the extension of its files, the command that builds `{name}`, and the one that starts it.
type Language = (&'static str, &'static str, Option<&'static str>, &'static str);

const CPP: Language = ("cpp", "cpp", Some("c++ -O2 -std=c++17 -o {name} {name}.cpp"), "./{name}");
const C: Language = ("c", "c", Some("cc -O2 -o {name} {name}.c"), "./{name}");
const RUST: Language =
    ("rust", "rs", Some("rustc --edition 2024 -O -o {name} {name}.rs"), "./{name}");
const PYTHON: Language = ("python", "py", None, "python3 {name}.py");
const NODE: Language = ("javascript", "js", None, "node {name}.js");
const JAVA: Language =
    ("java", "java", Some("javac -d {name}-classes {name}.java"), "java -cp {name}-classes Greedy");

/// Every sample.
pub const SAMPLES: &[Sample] = &[
    sample(CPP, SAMEGAME, include_str!("../cpp/greedy.cpp")),
    sample(C, SAMEGAME, include_str!("../c/greedy.c")),
    sample(RUST, SAMEGAME, include_str!("../rust/greedy.rs")),
    sample(PYTHON, SAMEGAME, include_str!("../python/greedy.py")),
    sample(NODE, SAMEGAME, include_str!("../node/greedy.js")),
    sample(JAVA, SAMEGAME, include_str!("../java/Greedy.java")),
    sample(CPP, SQUARES, include_str!("../cpp/squares.cpp")),
    sample(RUST, SQUARES, include_str!("../rust/squares.rs")),
    sample(PYTHON, SQUARES, include_str!("../python/squares.py")),
];

const fn sample(language: Language, game: &'static str, text: &'static str) -> Sample {
    let (language, extension, build, command) = language;
    Sample { language, game, extension, text, build, command }
}
