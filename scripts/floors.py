#!/usr/bin/env python3
"""Fails when a crate depends on one that is not below it in the picture of ARCHITECTURE.md.

The picture is the first code block there: a line for each floor, the highest first, which begins with the names of
the floor's crates. Dependencies of tests count like all others.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


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
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(crates)} crates on {len(set(floor.values()))} floors, no arrow up")


if __name__ == "__main__":
    main()
