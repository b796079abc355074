"""Branch coverage of the device's heap by its C tests.

    python tests/coverage.py [--least PERCENT] [--json FILE]

Builds device/src/heap and the tests of it with gcc --coverage and without optimisation, runs them,
and adds up what gcov says. A header that small.c and wide.c make into code of their own counts once
for each; what other files share counts once. Prints each file's share and every branch that was not
taken; docs/design/heap-tests.md says why those are left. Exit code 1: below PERCENT (98); 2: could
not run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
HEAP = ROOT / "device/src/heap"
TESTS = ("tests/device/test_heap_*.c", "tests/exhaustive/test_heap_*.c")
#: Less depth where each call counts; what the exhaustive test adds is seen long before.
ARGUMENTS = {"test_heap_sequences": ("2",)}
#: No function is inlined, whatever it asks for: each copy would count its branches again.
NO_COPIES = "-Dalways_inline=unused"
FLAGS = ("-std=c11", "-O0", "-g", NO_COPIES, "-Idevice/include", "-Idevice/src")
#: Headers that small.c and wide.c each make code of their own from.
OF_A_FORM = {"aligned.h", "bins.h", "blocks.h", "operations.h", "slots.h"}
LEAST = 98.0


@dataclass(frozen=True, order=True)
class Branch:
    part: str  # a file, with the form that it was compiled for where there are two
    line: int
    number: int  # within the line
    file: str


class NoRunError(Exception):
    """Why coverage cannot be measured."""


def compiler() -> list[str]:
    command = os.environ.get("CC", "cc").split()
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    if "clang" in version.stdout:
        command = ["gcc"]
    for tool in (command[0], "gcov"):
        if shutil.which(tool) is None:
            raise NoRunError(f"no {tool}: coverage needs gcc and its gcov; Debian package: gcc")
    return command


def run(command: Iterable[str | Path], **options: Any) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(part) for part in command], cwd=ROOT, capture_output=True, text=True, **options
    )
    if done.returncode != 0:
        raise NoRunError(f"{' '.join(map(str, done.args))}\n{done.stdout}{done.stderr}")
    return done


def build(folder: Path) -> list[Path]:
    """The test programs."""
    gcc = compiler()
    objects = []
    for source in sorted(HEAP.glob("*.c")):
        objects.append(folder / f"{source.stem}.o")
        run([*gcc, *FLAGS, "--coverage", "-c", source, "-o", objects[-1]])
    sources = [path for pattern in TESTS for path in sorted(ROOT.glob(pattern))]

    def link(source: Path) -> Path:
        program = folder / source.stem
        run([*gcc, *FLAGS, source, *objects, "--coverage", "-o", program])
        return program

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(link, sources))


def branches(folder: Path) -> dict[Branch, int]:
    """How often each branch was taken."""
    taken: dict[Branch, int] = {}
    for source in sorted(HEAP.glob("*.c")):
        shown = run(
            ["gcov", "--json-format", "--branch-probabilities", "--stdout", "-o", folder, source]
        )
        for file in json.loads(shown.stdout)["files"]:
            path = (ROOT / file["file"]).resolve()
            if path.parent != HEAP:
                continue
            own = path.name in OF_A_FORM
            part = f"{path.name} ({source.stem})" if own else path.name
            for line in file["lines"]:
                for number, branch in enumerate(line["branches"]):
                    key = Branch(part, line["line_number"], number, path.name)
                    taken[key] = taken.get(key, 0) + branch["count"]
    return taken


def table(taken: dict[Branch, int]) -> list[dict[str, Any]]:
    rows = []
    for part in sorted({branch.part for branch in taken}):
        counts = [count for branch, count in taken.items() if branch.part == part]
        rows.append(
            {"part": part, "branches": len(counts), "taken": sum(count > 0 for count in counts)}
        )
    return rows


def show(taken: dict[Branch, int]) -> None:
    for row in table(taken):
        print(f"{row['part']:24}{row['taken']:5} of {row['branches']:4} branches")
    print("\nNot taken:")
    for branch in sorted(branch for branch, count in taken.items() if count == 0):
        text = (HEAP / branch.file).read_text(encoding="utf-8").splitlines()[branch.line - 1]
        print(f"{branch.part}:{branch.line} [{branch.number}] {text.strip()}")


def measure() -> dict[Branch, int]:
    with tempfile.TemporaryDirectory() as folder:
        programs = build(Path(folder))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda path: run([path, *ARGUMENTS.get(path.name, ())]), programs))
        return branches(Path(folder))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--least", type=float, default=LEAST, metavar="PERCENT")
    parser.add_argument("--json", type=Path, metavar="FILE", help="the table, for programs")
    chosen = parser.parse_args()
    try:
        taken = measure()
    except NoRunError as error:
        print(error, file=sys.stderr)
        return 2
    show(taken)
    share = 100 * sum(count > 0 for count in taken.values()) / len(taken)
    print(f"\n{share:.2f} % of {len(taken)} branches; {chosen.least:g} % are wanted")
    if chosen.json is not None:
        chosen.json.write_text(json.dumps({"share": share, "parts": table(taken)}, indent=1) + "\n")
    return 0 if share >= chosen.least else 1


if __name__ == "__main__":
    sys.exit(main())
