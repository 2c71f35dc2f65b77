#!/usr/bin/env python3
"""Fails when code depends on what is not below it in a picture of ARCHITECTURE.md.

The first code block there has the crates, the second one the layers of `contain`: a line for each floor, the highest
first, which begins with the names on the floor. Dependencies of tests count for crates, but not within a crate.
It also fails on circles of files and of folders, on `unsafe` outside the lowest layer, on an impure `decide`, and on too many crates
below a crate that other projects build upon.
"""

import json
import re
import subprocess
import sys
from itertools import takewhile
from os.path import commonprefix
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The maximum number of crates that these bring along.
MOST_BROUGHT = {"contain": 20}

# The crates whose files and folders do not import each other in circles.
WITHOUT_CIRCLES = ["contain", "report", "results", "rules", "statistics", "terms"]

UNSAFE = re.compile(r"\bunsafe(_code\b|\s*[({]|\s+(fn|impl|extern|trait)\b)")
MAY_BE_UNSAFE = ("crates/contain/src/sys/", "crates/judges/relay/")
IMPURE = re.compile(r"\b(Instant|SystemTime|rustix|libc|std::(\{[^;]*\b)?(thread|fs|process))\b")

# What does not count as an import: comments, what a file re-exports of its own folder, and tests, which close a file.
IGNORED = re.compile(r"//.*|\bpub(\(\w+\))? use self::[^;]*;|#\[cfg\(test\)\]\s*mod \w+ \{(?s:.*)")
TEST_FILE = re.compile(r"#\[cfg\(test\)\]\s*mod (\w+);")
PATH = re.compile(r'(?<!["\w])(?:crate|self|super)::(?:\w+::)*(?:\w+|\*|\{[^;]*\})')


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def crates():
    """Each crate and its dependencies in this workspace, by the names of their folders."""
    packages = json.loads(output("cargo", "metadata", "--no-deps", "--locked", "--format-version", "1"))["packages"]
    folders = {Path(package["manifest_path"]).parent: package["dependencies"] for package in packages}
    paths = {folder: {Path(it["path"]) for it in needed if it.get("path")} for folder, needed in folders.items()}
    return {folder.name: {path.name for path in paths[folder] & folders.keys()} for folder in folders}


def brought(crate):
    """The number of crates that one needs, directly or not, to be built here."""
    flags = ["-e", "normal", "--prefix", "none", "--no-dedupe"]
    return len(set(output("cargo", "tree", "--locked", "-p", f"referee-{crate}", *flags).splitlines()[1:]))


def expanded(path):
    """The paths that a path with braces stands for."""
    while inner := re.search(r"([^{},]*)\{([^{}]*)\}", path):
        names = [inner[1].strip() + name for name in map(str.strip, inner[2].split(",")) if name]
        path = path[: inner.start()] + ",".join(names) + path[inner.end() :]
    return {name.split(" as ")[0] for name in path.split(",") if name}


def sources(crate):
    """The code of each module of a crate without tests, by the words of the module's path."""
    source = ROOT / "crates" / crate / "src"
    texts = {}
    for file in source.rglob("*.rs"):
        path = file.relative_to(source).with_suffix("").parts
        texts[path[:-1] if path[-1] in ("lib", "mod") else path] = file.read_text()
    tests = {(*module, name) for module, text in texts.items() for name in TEST_FILE.findall(text)}
    return {module: IGNORED.sub("", text) for module, text in texts.items() if module not in tests}


def imports(crate):
    """Each file of a crate and the other files of the crate that it imports, by name, such as `sys/raw`."""
    modules = sources(crate)
    found = {}
    for module, text in modules.items():
        used = set()
        for path in set().union(*map(expanded, PATH.findall(text))):
            at = () if path.startswith("crate") else module
            for word in path.split("::"):
                if word == "super":
                    at = at[:-1]
                elif word not in ("crate", "self"):
                    at = (*at, word)
            while at not in modules:
                at = at[:-1]
            used.add(at)
        found["/".join(module) or "lib"] = {"/".join(one) or "lib" for one in used - {module}}
    return found


def circles(uses):
    """The groups of files that import each other, directly or not, with these imports."""

    def reached(file, seen):
        for used in uses[file] - seen:
            seen.add(used)
            reached(used, seen)
        return seen

    reach = {file: reached(file, set()) for file in uses}
    for circle in {frozenset(other for other in reach[file] if file in reach[other]) for file in uses} - {frozenset()}:
        yield ", ".join(f"{file} -> {used}" for file in sorted(circle) for used in sorted(uses[file] & circle))


def folders(uses):
    """What the files and folders in each folder import of each other, with these imports of files."""
    found = {}
    for file, used in uses.items():
        for one in used - {"lib"} if file != "lib" else ():
            path, other = file.split("/"), one.split("/")
            common = commonprefix([path, other])
            # A folder's own file lies in no part of it.
            if common not in (path, other):
                parts = found.setdefault("/".join(common), {})
                parts.setdefault(path[len(common)], set()).add(other[len(common)])
                parts.setdefault(other[len(common)], set())
    return found


def upwards(picture, uses):
    """What a picture lacks, and what depends on something that is not below it there."""
    floor = {}
    for height, line in enumerate(reversed(picture.strip("\n").splitlines())):
        floor |= dict.fromkeys(takewhile(uses.__contains__, line.split()), height)
    for name in sorted(uses):
        if name not in floor:
            yield f"{name} is not in its picture in ARCHITECTURE.md"
        for used in sorted(uses[name] & floor.keys() if name in floor else ()):
            if floor[used] >= floor[name]:
                yield f"{name} depends on {used}, which is not below it"


def layers(crate):
    """Each layer of a crate, which is a file or folder next to `lib`, and the layers that it imports."""
    found = {}
    for file, used in imports(crate).items():
        layer = file.split("/")[0]
        found[layer] = found.get(layer, set()) | {one.split("/")[0] for one in used} - {layer}
    return found


def main():
    pictures = (ROOT / "ARCHITECTURE.md").read_text().split("```")[1::2]
    problems = [*upwards(pictures[0], crates()), *upwards(pictures[1], layers("contain"))]
    for crate in WITHOUT_CIRCLES:
        problems += [f"circle in {crate}: {circle}" for circle in circles(imports(crate))]
        for folder, uses in folders(imports(crate)).items():
            problems += [f"circle in {crate}/{folder}: {circle}" for circle in circles(uses)]
    for module, text in sources("contain").items():
        if module[:1] == ("decide",) and (found := IMPURE.search(text)):
            problems.append(f"{'/'.join(module)} names {found[0]}, but must be pure")
    for file in output("git", "ls-files", "*.rs").splitlines():
        if not file.startswith(MAY_BE_UNSAFE) and UNSAFE.search((ROOT / file).read_text()):
            problems.append(f"{file} has unsafe code")
    for crate, most in MOST_BROUGHT.items():
        if brought(crate) > most:
            problems.append(f"{crate} brings {brought(crate)} crates along; it may bring {most}")
    if problems:
        sys.exit("\n".join(problems))
    print("crates and layers are on their floors, with no arrow up and no circle")


if __name__ == "__main__":
    main()
