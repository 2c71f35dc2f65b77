#!/usr/bin/env python3
"""Finds patterns that make English read as translated, in documents, comments, help texts and messages.

    scripts/english.py

Names each line with one, and what to write instead. Sentences of README and guide may have at most 30 words; what is in
backquotes counts as one word. EXCEPTIONS has what is right as it is.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
MOST_WORDS = 30

# Nouns for people, after which "who" is right.
PEOPLE = ("users?", "person", "people", "anyone", "everyone", "everybody", "somebody", "readers?", "attackers?", "those", "nobody`?")

PATTERNS = {
    re.compile(pattern, re.IGNORECASE): advice
    for pattern, advice in {
        r"\b(?:that|those) of\b": "repeat the noun, or use a possessive",
        r"\bin place of\b": "instead of",
        r"\bas far as\b": "if, where, or what",
        r"\banew\b": "again",
        r"\bso (?:many|much|long)\b": "name the number or what it depends on",
        r"(?<!there )\b(?:is|are|was|were) no (?!longer|more than|less than|other)": "is not a",
        r"(?<!there )\b(?:is|are) none\b": "is not one, or has no",
        r"\bwhoever\b|" + "".join(rf"(?<!{word} )" for word in ()) + r"\bwho(?:m|mever)?\b": "which, what or the program that: who is for people",
    }.items()
}
FOR_PEOPLE = re.compile(rf"\b(?:{'|'.join(PEOPLE)}),? (?:\(|as |to )?whom?\b", re.IGNORECASE)

# What is right as it is: a file, a part of the line, and why.
EXCEPTIONS = {
}


def texts(name):
    """The lines of a file that people read, with their numbers: of a program its comments and strings."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    in_code = False
    for number, line in enumerate(lines, 1):
        if name.endswith(".md"):
            in_code ^= line.lstrip().startswith("```")
            text = "" if in_code else line
        text = re.sub(r"`[^`]*`", "`", text)
        yield number, FOR_PEOPLE.sub("", text)


def sentences(name):
    """The sentences of a page, outside of code, each with the number of the line where it begins."""
    in_code, paragraph, start = False, [], 0
    for number, line in enumerate([*(ROOT / name).read_text(encoding="utf-8").splitlines(), ""], 1):
        is_fence = line.lstrip().startswith("```")
        in_code ^= is_fence
        is_new = not line.strip() or is_fence or re.match(r"\s*(?:[-#>|]|\d+\.) ?", line)
        if is_new or in_code:
            text = re.sub(r"`[^`]*`", "CODE", " ".join(paragraph))
            text = re.sub(r"\]\([^)]*\)", "]", text)
            for sentence in re.split(r"(?<=[.!?])[)*\"]* (?=[A-Z*\[\"])|: (?=[A-Z])|\|", text):
                yield start, sentence
            paragraph, start = [], number
        if not in_code and not is_fence:
            paragraph.append(line.strip())


def main():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    problems = []
    used = set()
    for name in listed:
        if not name.endswith(".md") or name.startswith("tests/data/"):
            continue
        for number, text in texts(name):
            for pattern, advice in PATTERNS.items():
                for found in pattern.finditer(text):
                    problems.append(f"{name}:{number}: `{found[0]}`: {advice}")
        if name == "README.md" or name.startswith("docs/guide/"):
            for number, sentence in sentences(name):
                words = len([word for word in sentence.split() if re.search(r"\w", word)])
                if words > MOST_WORDS:
                    problems.append(f"{name}:{number}: {words} words in a sentence: {' '.join(sentence.split()[:6])} …")
    if problems:
        sys.exit("\n".join(problems))
    print("no pattern that makes English read as translated")


if __name__ == "__main__":
    main()
