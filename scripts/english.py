#!/usr/bin/env python3
"""Finds patterns that make English read as translated, in documents, comments, help texts and messages.

    scripts/english.py

Names each line with one, and what to write instead. Sentences of README and guide have at most 30 words; what is in
backquotes counts as one word. EXCEPTIONS lists what is right as it is.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_WORDS = 30

# After a noun for people "who" is right.
PEOPLE = r"users?|person|people|anyone|everyone|everybody|somebody|readers?|attackers?|those|both users"
FOR_PEOPLE = re.compile(rf"\b(?:{PEOPLE}),? \(?(?:as )?whom?\b", re.IGNORECASE)

PATTERNS = {
    re.compile(pattern, re.IGNORECASE): advice
    for pattern, advice in {
        r"\b(?:that|those) of\b": "repeat the noun, or use a possessive",
        r"\bin place of\b": "instead of",
        r"\bas far as\b": "if, where, or what",
        r"\banew\b": "again",
        r"\bso (?:many|much|long)\b": "name the number, or what it depends on",
        r"(?<!there )\b(?:is|are|was|were) no (?!longer|more than|less than|other)": "is not a",
        r"(?<!there )\b(?:is|are) (?-i:none)\b": "is not one, or does not count",
        r"\bbeside\b": "next to, or besides",
        r"\bgreatest\b": "largest, or maximum",
        r"\bmeanwhile\b": "in the meantime, or nothing",
        r"\bnothing but\b": "only",
        r"\bseldom\b": "rarely",
        r"\bwho(?:m|ever|mever)?\b": "which, what, or the program that: who is for people",
    }.items()
}

# The same for sentences of documents.
DOCUMENT_PATTERNS = {
    re.compile(pattern, re.IGNORECASE): advice
    for pattern, advice in {
        r"\bgames? of (?:several|two|three|four|more|many) (?:players|bots)\b": "multiplayer game",
        r"\bwhat (?:differs|repeats|remains)\b": "name it: the differences, the rest",
        r"(?:^|[.!?:] )(?-i:Compared|Counted|Hidden|Left out|Listed|Refused|Shown) (?:is|are)\b": "begin with the subject",
        r"(?:^|[.!?:] )(?-i:Of) (?:an?|the|several|more|two|each|all|\d)": "begin with the subject",
        r", \w+ not[.;]": "give the second clause its verb",
        r"(?-i:\bEither|\bNeither|\bNone) (?:is|are|has|have|makes|gets|decides|needs)\b": "name the noun",
        r"\b(?:an?|no) \w+ of (?:its|their|one's) own\b": "separate, or nothing",
        r"\b(?:plays?|goes) on(?=[.,;:])": "continues",
        r"\bor (?:a|their) relatives?\b": "derivative",
    }.items()
}

# What is right as it is: the end of a file's name, a part of the line, and why.
EXCEPTIONS = (
    ("scripts/english.py", "", "it names the patterns"),
    ("scripts/second-kernel", "round WHO", "the name of an argument"),
    ("scripts/traces.py", "-beside-hogs", "the names of recorded traces"),
    ("view/page/games.js", 'link("beside"', "the words of a link"),
    ("tests/browser/reports.mjs", 'hasText: "beside"', "the words of a link"),
    ("tests/browser/pairs.mjs", '".who ', "a class of the page"),
    ("tests/cli/project.rs", '"WHO"', "a variable of the environment"),
)


def texts(name):
    """What people read in the lines of a file, with their numbers."""
    is_code = continues = False
    for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1):
        text = line
        if name.endswith(".md"):
            is_code ^= line.lstrip().startswith("```")
            text = "" if is_code else line
        elif name.endswith((".rs", ".js", ".mjs")):
            comment = re.search(r"(?:^|\s)(?://[/!]?|/\*\*?|\*) (.*)", line)
            quoted = re.findall(r'"((?:[^"\\]|\\.)*)"?', line)
            text = comment[1] if comment else line if continues else " ".join(quoted)
            continues = not comment and line.endswith("\\") and (continues or line.count('"') % 2 == 1)
        elif not name.endswith((".py", ".md")):
            text = line.partition("#")[2]
        yield number, FOR_PEOPLE.sub("", re.sub(r"`[^`]*`|\{[^}]*\}", "`", text))


def sentences(name):
    """The sentences of a page, outside of code, each with the number of the line where its paragraph begins."""
    is_code, paragraph, start = False, [], 0
    for number, line in enumerate([*(ROOT / name).read_text(encoding="utf-8").splitlines(), ""], 1):
        is_fence = line.lstrip().startswith("```")
        is_code ^= is_fence
        if is_code or is_fence or not line.strip() or re.match(r"\s*(?:[-#>|]|\d+\.) ?", line):
            text = re.sub(r"`[^`]*`", "CODE", " ".join(paragraph))
            text = re.sub(r"\]\([^)]*\)", "]", text)
            for sentence in re.split(r'(?<=[.!?])[)*"]* (?=[A-Z*\["])|: (?=[A-Z])|\|', text):
                yield start, sentence
            paragraph, start = [], number
        if not is_code and not is_fence:
            paragraph.append(line.strip())


def is_right(name, line):
    return any(name.endswith(file) and part in line for file, part, _ in EXCEPTIONS)


def problems(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    patterns = PATTERNS | DOCUMENT_PATTERNS if name.endswith(".md") else PATTERNS
    for number, text in texts(name):
        for pattern, advice in patterns.items():
            if (found := pattern.search(text)) and not is_right(name, lines[number - 1]):
                yield f"{name}:{number}: `{found[0]}`: {advice}"
    if name == "README.md" or name.startswith("docs/guide/src/") and name.endswith(".md"):
        for number, sentence in sentences(name):
            words = sentence.split()
            if sum(bool(re.search(r"\w", word)) for word in words) > MOST_WORDS:
                yield f"{name}:{number}: more than {MOST_WORDS} words in a sentence: {' '.join(words[:8])} …"


def main():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    read = (".md", ".rs", ".py", ".toml", ".js", ".mjs")
    names = [name for name in listed if name.endswith(read) or re.match(r"(?:scripts/|\.ci/)[^.]*$", name)]
    found = [problem for name in names if not name.startswith("tests/data/") for problem in problems(name)]
    if found:
        sys.exit("\n".join(found))
    print("no pattern that makes English read as translated")


if __name__ == "__main__":
    main()
