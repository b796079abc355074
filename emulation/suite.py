"""Which programs run in emulation: every test_*.c below tests/device, with the other C files of its
folder and what they need of device/src, unless the folder's emulated.toml says more:

    sources = ["device/compat/arenas/*.c"]  # linked too; patterns from the repository's root
    include = ["device/compat/arenas"]      # searched for headers
    define = ["NAME=1"]
    skip = { test_threads = "why" }         # programs that need more than there is

    [test_port]                             # more for one program
    define = ["NAME=2"]

    [[variant]]                             # the same program once more
    program = "test_port"
    define = ["NAME=3"]

A folder that has a test_emulated*.py of its own is left to that. A program that loops for long on
the host does so a hundred times longer here: CHECK_THIN (tests/models/check.h) says by how much to
thin it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emulation.places import ROOT
from emulation.program import build_program
from emulation.targets import Target

__all__ = ["Program", "programs"]

DEVICE = ROOT / "tests" / "device"


@dataclass(frozen=True)
class Program:
    name: str
    sources: tuple[Path, ...]
    flags: tuple[str, ...] = ()

    def build(self, target: Target, *, thin: int, flags: Sequence[str] = ()) -> Path:
        """`thin`: one round of so many is made, 1 for all."""
        return build_program(
            target, self.sources, flags=(*self.flags, f"-DCHECK_THIN={thin}", *flags)
        )


def programs() -> list[Program]:
    folders = sorted({path.parent for path in DEVICE.rglob("test_*.c")})
    # A folder with a test_emulated*.py builds and runs its programs in its own way.
    folders = [
        path for path in folders if path == DEVICE or not any(path.glob("test_emulated*.py"))
    ]
    return [program for folder in folders for program in of_folder(folder)]


def of_folder(folder: Path) -> Iterator[Program]:
    stated: dict[str, Any] = {}
    if (folder / "emulated.toml").exists():
        stated = tomllib.loads((folder / "emulated.toml").read_text(encoding="utf-8"))
    tests = sorted(folder.glob("test_*.c"))
    beside = tuple(path for path in sorted(folder.glob("*.c")) if path not in tests)
    for source in tests:
        every = [stated.get(source.stem, {})]
        every += [row for row in stated.get("variant", ()) if row["program"] == source.stem]
        for number, own in enumerate(every):
            yield Program(
                name=name_of(folder, source, number),
                sources=(source, *beside, *matches(stated, own)),
                flags=(*flags_of(stated), *flags_of(own), f"-I{folder}"),
            )


def name_of(folder: Path, source: Path, number: int) -> str:
    part = "" if folder == DEVICE else f"{folder.name}_"
    return part + source.stem.removeprefix("test_") + (f"_{number + 1}" if number else "")


def matches(*tables: dict[str, Any]) -> tuple[Path, ...]:
    patterns = [pattern for table in tables for pattern in table.get("sources", ())]
    paths = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    missing = [pattern for pattern in patterns if not any(ROOT.glob(pattern))]
    if missing:
        raise ValueError(f"emulated.toml: no such file: {', '.join(missing)}")
    return tuple(paths)


def flags_of(table: dict[str, Any]) -> list[str]:
    flags = [f"-D{name}" for name in table.get("define", ())]
    for folder in table.get("include", ()):
        flags.append(f"-I{ROOT / folder}")
    return flags
