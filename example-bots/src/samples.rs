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

/// A sample in a language that is compiled to a program.
const fn compiled(
    [language, extension, build]: [&'static str; 3],
    game: &'static str,
    text: &'static str,
) -> Sample {
    Sample { language, game, extension, text, build: Some(build), command: "./{name}" }
}

const CPP: [&str; 3] = ["cpp", "cpp", "c++ -O2 -std=c++17 -o {name} {name}.cpp"];
const C: [&str; 3] = ["c", "c", "cc -O2 -o {name} {name}.c"];
const RUST: [&str; 3] = ["rust", "rs", "rustc --edition 2024 -O -o {name} {name}.rs"];

/// Every sample.
pub const SAMPLES: &[Sample] = &[
    compiled(CPP, SAMEGAME, include_str!("../cpp/greedy.cpp")),
    compiled(C, SAMEGAME, include_str!("../c/greedy.c")),
    compiled(RUST, SAMEGAME, include_str!("../rust/greedy.rs")),
    python(SAMEGAME, include_str!("../python/greedy.py")),
    Sample {
        language: "javascript",
        game: SAMEGAME,
        extension: "js",
        text: include_str!("../node/greedy.js"),
        build: None,
        command: "node {name}.js",
    },
    Sample {
        language: "java",
        game: SAMEGAME,
        extension: "java",
        text: include_str!("../java/Greedy.java"),
        build: Some("javac -d {name}-classes {name}.java"),
        command: "java -cp {name}-classes Greedy",
    },
    compiled(CPP, SQUARES, include_str!("../cpp/squares.cpp")),
    compiled(RUST, SQUARES, include_str!("../rust/squares.rs")),
    python(SQUARES, include_str!("../python/squares.py")),
];

const fn python(game: &'static str, text: &'static str) -> Sample {
    let (language, extension, command) = ("python", "py", "python3 {name}.py");
    Sample { language, game, extension, text, build: None, command }
}
