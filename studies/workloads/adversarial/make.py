"""Sequences of calls that are as bad for our heap as we know how to make them, as text traces.

    python studies/workloads/adversarial/make.py --out FOLDER                the constructed ones
    python studies/workloads/adversarial/make.py --out FOLDER --search 300000  and those of a search

Each file begins with a comment that names the form and the pool for which it is meant. A line is
a call: `a ID SIZE`, `f ID`, `r ID SIZE`, `m ID ALIGN SIZE`. The last call is the bad one; of
`fragment`, the one that fails. --search builds search.c, looks for worse ones (that many rounds of
hill climbing for each kind of call, from --seed) and prints how much work, in basic blocks of
code, the worst call of every trace takes; that needs gcc or clang.
Exit code 0: done; 1: something failed; 3: a tool is missing.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
GRANULE = 8
LOOK = 6  # blocks of the topmost bin that a search looks at before it gives up
LOOK_ALIGNED = 16
SLOTS = 14  # of a slab
SEARCHED = {"malloc": 8192, "free": 8192, "realloc": 8192, "aligned": 8192}  # pools
SEED = 20240607
MISSING = 3


@dataclass
class Trace:
    """Calls on blocks that are known by number."""

    pool: int
    form: str = "small"
    lines: list[str] = field(default_factory=list)
    blocks: int = 0

    def take(self, size: int) -> int:
        self.blocks += 1
        self.lines.append(f"a {self.blocks} {size}")
        return self.blocks

    def take_aligned(self, alignment: int, size: int) -> None:
        self.blocks += 1
        self.lines.append(f"m {self.blocks} {alignment} {size}")

    def free(self, block: int) -> None:
        self.lines.append(f"f {block}")

    def resize(self, block: int, size: int) -> None:
        self.lines.append(f"r {block} {size}")

    def holes(self, sizes: list[int]) -> None:
        """Free blocks of these sizes between used ones of 16 bytes, made from the last to the
        first, so that each goes to the head of its bin's list."""
        built = []
        for size in sizes:
            built.append(self.take(size))
            self.take(16)
        for block in reversed(built):
            self.free(block)

    def fill(self, largest: int) -> None:
        """Takes what is free, down to the smallest block; what does not fit does no harm."""
        size = 1 << largest.bit_length()
        while size >= 16:
            for _ in range(2):
                self.take(size)
            size //= 2

    def text(self) -> str:
        return "\n".join([f"# form {self.form}, pool {self.pool}", *self.lines, ""])


def filled(trace: Trace, sizes: list[int]) -> Trace:
    """A heap in which only these holes are free."""
    built = []
    for size in sizes:
        built.append(trace.take(size))
        trace.take(16)
    trace.fill(trace.pool)
    for block in reversed(built):
        trace.free(block)
    return trace


def malloc_refused() -> Trace:
    """The topmost bin holds many blocks that are too small: all looks are spent, for nothing."""
    trace = filled(Trace(16384), [64 * GRANULE] * (LOOK + 4))
    trace.take(79 * GRANULE)
    return trace


def malloc_last_look() -> Trace:
    """The same bin, but the last block that is looked at fits."""
    trace = filled(Trace(16384), [64 * GRANULE] * (LOOK - 1) + [79 * GRANULE])
    trace.take(78 * GRANULE)
    return trace


def malloc_next_bin() -> Trace:
    """One too small in the own bin, three in the next; the last is the smallest, and what is left
    of it goes behind the head of a bin with others."""
    sizes = [32 * GRANULE, 47 * GRANULE, 46 * GRANULE, 45 * GRANULE, *[5 * GRANULE] * 3]
    trace = filled(Trace(8192), sizes)
    trace.take(39 * GRANULE)
    return trace


def malloc_slab() -> Trace:
    """A slot that needs a new slab, cut out of the third block that is looked at, while others of
    its kind are full."""
    trace = Trace(16384)
    for _ in range(2 * SLOTS):
        trace.take(8)
    filled(trace, [24 * GRANULE, 23 * GRANULE, 22 * GRANULE, 21 * GRANULE])
    trace.take(8)
    return trace


def free_between() -> Trace:
    """Both neighbours are free and in the middle of lists; the whole goes behind a head."""
    trace = Trace(16384)
    trace.holes([40 * GRANULE] * 3)
    trace.holes([70 * GRANULE, 300 * GRANULE])
    before = trace.take(40 * GRANULE)
    block = trace.take(66 * GRANULE)
    behind = trace.take(70 * GRANULE)
    trace.take(16)
    trace.holes([70 * GRANULE, 176 * GRANULE, 40 * GRANULE])
    trace.free(before)
    trace.free(behind)
    trace.free(block)
    return trace


def free_last_slot() -> Trace:
    """The last slot in use of a slab between others, with free blocks on both sides of the slab."""
    trace = Trace(16384)
    trace.holes([18 * GRANULE] * 2)
    for _ in range(SLOTS):
        trace.take(8)
    before = trace.take(20 * GRANULE)
    slots = [trace.take(8) for _ in range(SLOTS)]
    behind = trace.take(24 * GRANULE)
    for _ in range(SLOTS):
        trace.take(8)
    trace.holes([20 * GRANULE, 24 * GRANULE, 60 * GRANULE])
    trace.free(before)
    trace.free(behind)
    for slot in slots:
        trace.free(slot)
    return trace


def realloc_slides() -> Trace:
    """A block grows into both neighbours and leaves a rest."""
    trace = Trace(16384)
    trace.holes([40 * GRANULE, 66 * GRANULE, 5 * GRANULE] * 2)
    before = trace.take(40 * GRANULE)
    block = trace.take(2 * GRANULE)
    behind = trace.take(66 * GRANULE)
    trace.take(16)
    trace.free(before)
    trace.free(behind)
    trace.resize(block, 103 * GRANULE)
    return trace


def realloc_moves() -> Trace:
    """A block moves to the last hole that is looked at, and its own merges with both neighbours."""
    sizes = [64 * GRANULE] * (LOOK - 1) + [79 * GRANULE, 4 * GRANULE, 4 * GRANULE]
    trace = Trace(16384)
    built = []
    for size in sizes:
        built.append(trace.take(size))
        trace.take(16)
    before = trace.take(4 * GRANULE)
    block = trace.take(2 * GRANULE)
    behind = trace.take(4 * GRANULE)
    trace.fill(trace.pool)
    for hole in reversed(built):
        trace.free(hole)
    trace.free(before)
    trace.free(behind)
    trace.resize(block, 78 * GRANULE)
    return trace


def aligned_second_search() -> Trace:
    """So many holes are just too small to be aligned in that a second search is made."""
    trace = filled(Trace(16384), [24 * GRANULE] * LOOK_ALIGNED + [36 * GRANULE] * 3)
    trace.take_aligned(64, 24 * GRANULE)
    return trace


CONSTRUCTED: dict[str, Callable[[], Trace]] = {
    "malloc_refused": malloc_refused,
    "malloc_last_look": malloc_last_look,
    "malloc_next_bin": malloc_next_bin,
    "malloc_slab": malloc_slab,
    "free_between": free_between,
    "free_last_slot": free_last_slot,
    "realloc_slides": realloc_slides,
    "realloc_moves": realloc_moves,
    "aligned_second_search": aligned_second_search,
}
#: Largest block of the adversary's: the live payload it needs falls with it.
FRAGMENT = {"fragment_1k": (250_000, 1024), "fragment_16k": (250_000, 16384)}


class NoCompilerError(Exception):
    """Why nothing can be searched for."""


def build(folder: Path) -> Path:
    compiler = os.environ.get("CC", "cc").split()
    include = f"-I{ROOT / 'device/include'}"
    objects = []
    try:
        for source in sorted((ROOT / "device/src/heap").glob("*.c")):
            objects.append(str(folder / f"{source.stem}.o"))
            counted = ["-std=c11", "-O1", "-fsanitize-coverage=trace-pc", include]
            compile_one = [*compiler, *counted, "-c", str(source), "-o", objects[-1]]
            subprocess.run(compile_one, check=True, capture_output=True, text=True)
        program = folder / "search"
        source = Path(__file__).with_name("search.c")
        link = [*compiler, "-std=c11", "-O2", include, str(source), *objects, "-o", str(program)]
        subprocess.run(link, check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise NoCompilerError(f"no {compiler[0]}; Debian package: gcc") from error
    return program


def searched(program: Path, rounds: int, seed: int) -> Iterator[tuple[str, str]]:
    """Name and text of each trace that the search finds; form 1 is the small one, 2 the wide."""
    for form, name in ((1, "small"), (2, "wide")):
        for kind, pool in SEARCHED.items():
            settings = ["work", kind, str(form), str(pool), str(seed), str(rounds)]
            yield f"searched_{kind}_{name}", ask(program, settings)
        for fragment, (pool, most) in FRAGMENT.items():
            yield f"{fragment}_{name}", ask(program, ["fragment", str(form), str(pool), str(most)])


def ask(program: Path, arguments: list[str]) -> str:
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--search", type=int, default=0, metavar="ROUNDS")
    parser.add_argument("--seed", type=int, default=SEED, metavar="N")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    for name, trace in CONSTRUCTED.items():
        (chosen.out / f"{name}.txt").write_text(trace().text(), encoding="utf-8")
    if chosen.search <= 0:
        return 0
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = build(Path(folder))
        except NoCompilerError as error:
            print(f"missing: {error}", file=sys.stderr)
            return MISSING
        except subprocess.CalledProcessError as error:
            print(f"{shlex.join(error.cmd)}: {error.stderr}", file=sys.stderr)
            return 1
        for name, text in searched(program, chosen.search, chosen.seed):
            path = chosen.out / f"{name}.txt"
            path.write_text(text, encoding="utf-8")
            print(f"{name}: {text.partition(chr(10))[0].removeprefix('# ')}", flush=True)
        for name, build_trace in CONSTRUCTED.items():
            pool = str(build_trace().pool)
            work = ask(program, ["measure", "1", pool, str(chosen.out / f"{name}.txt")])
            print(f"{name}: {work.strip().replace(chr(10), ', ')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
