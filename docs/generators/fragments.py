"""Makes data/memory/fragments.csv: what ESP-IDF's linker fragments keep in RAM, and under which
options.

    python docs/generators/fragments.py CLONE

CLONE is a git clone of espressif/esp-idf. Kept are names of archives, objects, functions and
options, and nothing else.
"""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

TARGET = Path(__file__).parents[2] / "lab" / "heapscope" / "data" / "memory" / "fragments.csv"
RELEASES = ("4.1", "4.2", "4.3", "4.4", "5.0", "5.1", "5.2", "5.3", "5.4", "5.5", "6.0", "6.1")
#: An entry: an object or "*", a function of it, and the scheme.
_ENTRY = re.compile(r"(\*|[\w.*-]+)\s*(?::\s*([\w.*$]+))?\s*\(([\w ]+)\)")
_ARROW = re.compile(r"(\w+)\s*->\s*(\w+)")
_IN_RAM = re.compile(r"[id]ram0?_\w+")
DEFAULT = "default"
_Row = tuple[str, str, str, str, str]


def main(clone: str) -> None:
    rows: dict[_Row, list[str]] = {}
    for release in RELEASES:
        ref = f"release/v{release}"
        texts = [
            _git(clone, "show", f"{ref}:{path}")
            for path in _git(clone, "ls-tree", "-r", "--name-only", ref).split()
            if re.fullmatch(r"components/(?!.*test).*\.lf", path)
        ]
        schemes = _schemes(texts)
        for row in dict.fromkeys(row for text in texts for row in _rows(text, schemes)):
            rows.setdefault(row, []).append(release)
    with TARGET.open("w", encoding="utf-8", newline="\n") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("archive", "object", "conditions", "sections", "releases", "functions"))
        for key, names in sorted(_joined(rows).items()):
            table.writerow((*key, " ".join(names)))


def _joined(rows: dict[_Row, list[str]]) -> dict[tuple[str, ...], list[str]]:
    """The functions of an object under the same conditions in the same releases are one row."""
    kept = {row[0] for row in rows if row[4]}  # archives of which nothing is in RAM are left out
    joined: dict[tuple[str, ...], list[str]] = {}
    for (archive, of, function, conditions, sections), releases in rows.items():
        if archive in kept:
            key = archive, of, conditions, sections, " ".join(releases)
            joined.setdefault(key, []).append(function)
    return {key: sorted(names) for key, names in joined.items()}


def _schemes(texts: list[str]) -> dict[str, str]:
    """By scheme, the sections that it puts into RAM and that are not there anyway; "": none."""
    sections: dict[str, list[str]] = {}
    schemes: dict[str, list[str]] = {}
    in_flash: set[str] = set()  # by default
    for text in texts:
        kind = name = ""
        for line in (raw.split("#")[0].strip() for raw in text.splitlines()):
            if match := re.fullmatch(r"\[(\w+):(\w+)\]", line):
                kind, name = match[1], match[2]
            elif kind == "sections" and line.startswith((".", "COMMON")):
                sections.setdefault(name, []).append(line.rstrip("+"))
            elif kind == "scheme" and (arrow := _ARROW.match(line)):
                held = schemes.setdefault(name, [])
                held += [arrow[1]] if _IN_RAM.fullmatch(arrow[2]) else []
                if name == DEFAULT and arrow[2].startswith("flash"):
                    in_flash.add(arrow[1])
    anyway = set(schemes.pop(DEFAULT, ())) - in_flash
    moved = {
        scheme: {text for name in names if name not in anyway for text in sections.get(name, ())}
        for scheme, names in schemes.items()
    }
    return {DEFAULT: "", **{scheme: " ".join(sorted(texts)) for scheme, texts in moved.items()}}


def _rows(text: str, schemes: dict[str, str]) -> Iterator[_Row]:
    """Those of a scheme that the file does not have are left out."""
    archive = ""
    chain: list[tuple[int, str]] = []
    last: dict[int, list[str]] = {}  # conditions of the branches before, by indentation
    for raw in text.splitlines():
        line = raw.split("#")[0].rstrip()
        body = line.strip()
        at = len(line) - len(line.lstrip())
        chain = [(depth, what) for depth, what in chain if depth < at] if body else chain
        if body.startswith("["):
            archive = ""
        elif body.startswith("archive:"):
            archive, chain = body.removeprefix("archive:").strip(), []
        elif re.match(r"(if|elif|else)\b", body):
            word, _, condition = body.partition(":")[0].partition(" ")
            before = [] if word == "if" else last.get(at, [])
            last[at] = [*before, condition.strip()]
            chain += [(at, f"not {each}") for each in before]
            chain += [(at, condition.strip())] if condition else []
        elif archive and (match := _ENTRY.match(body)) and match[3].strip() in schemes:
            conditions = " & ".join(what for _, what in chain)
            yield archive, match[1], match[2] or "*", conditions, schemes[match[3].strip()]


def _git(clone: str, *words: str) -> str:
    command = ["git", "-C", clone, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main(*sys.argv[1:])
