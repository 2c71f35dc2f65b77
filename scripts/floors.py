#!/usr/bin/env python3
"""Fails when a crate depends on one that is not below it in the picture of ARCHITECTURE.md.

The picture is the first code block there: a line for each floor, the highest first, which begins with the names of
the floor's crates. Dependencies of tests count like all others. A crate that others build upon alone has a limit on
the number of crates that it brings along.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The most crates that these bring along.
MOST_BROUGHT = {"contain": 20}


def workspace():
    """Each crate and its dependencies in this workspace, by the names of their folders."""
    metadata = subprocess.run(
        ["cargo", "metadata", "--no-deps", "--locked", "--format-version", "1"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout
    packages = json.loads(metadata)["packages"]
    folder = {Path(package["manifest_path"]).parent: Path(package["manifest_path"]).parent.name for package in packages}
    for package in packages:
        used = {
            folder[Path(dependency["path"])]
            for dependency in package["dependencies"]
            if dependency.get("path") and Path(dependency["path"]) in folder
        }
        yield folder[Path(package["manifest_path"]).parent], used


def floors(crates):
    """The floor of each crate in the picture, 0 at the bottom."""
    picture = (ROOT / "ARCHITECTURE.md").read_text().split("```")[1]
    floor = {}
    for height, line in enumerate(reversed(picture.strip("\n").splitlines())):
        for word in line.split():
            if word not in crates:
                break
            floor[word] = height
    return floor


def brought(crate):
    """The crates that one needs, directly or not, to be built here."""
    tree = subprocess.run(
        ["cargo", "tree", "--locked", "-p", f"referee-{crate}", "-e", "normal", "--prefix", "none", "--no-dedupe"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout
    return set(tree.splitlines()[1:])


def main():
    crates = dict(workspace())
    floor = floors(crates)
    problems = [f"{crate} is not in the picture of ARCHITECTURE.md" for crate in crates if crate not in floor]
    problems += [
        f"{crate} depends on {used}, which is not below it"
        for crate, uses in crates.items()
        for used in sorted(uses)
        if crate in floor and used in floor and floor[used] >= floor[crate]
    ]
    for crate, most in MOST_BROUGHT.items():
        if len(brought(crate)) > most:
            problems.append(f"{crate} brings {len(brought(crate))} crates along; it may bring {most}")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(crates)} crates on {len(set(floor.values()))} floors, no arrow up")


if __name__ == "__main__":
    main()
