"""A program that is built and recorded twice, for 64 and for 32 bit, and its call sites in both."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from needs import c_compiler, need_32_bits

from heapscope.capture.record.session import RecordOptions, record
from heapscope.capture.translate.program import ProgramFile
from heapscope.capture.translate.rewrite import WideRecording, read_wide, sizes_of
from heapscope.capture.translate.site_types import SiteTypes

sys.path.append(str(Path(__file__).resolve().parents[2] / "benches"))

from bench_translate import requests

#: A chip aligns long long and double to their size; x86 of 32 bit needs to be told.
NARROW = ("-m32", "-malign-double")


@dataclass(frozen=True)
class Site:
    """A line of the program: its sizes as recorded, as translated, and those of the 32-bit build.
    `exact`: which of the translated ones are said to be."""

    type: str
    wide: list[int]
    bounds: list[tuple[int, int]]
    exact: list[bool]
    narrow: list[int]
    reason: str

    @property
    def wrong(self) -> list[tuple[int, int]]:
        """Exact sizes that are not those of the 32-bit build."""
        result = zip(self.bounds, self.exact, self.narrow, strict=True)
        return [
            (bounds[0], narrow) for bounds, exact, narrow in result if exact and bounds[0] != narrow
        ]

    @property
    def outside(self) -> list[tuple[tuple[int, int], int]]:
        result = zip(self.bounds, self.narrow, strict=True)
        return [(bounds, size) for bounds, size in result if not bounds[0] <= size <= bounds[1]]


@dataclass(frozen=True)
class Pair:
    """A program of both word sizes, and their recordings."""

    program: Path
    trace: Path
    narrow_trace: Path

    def sites(self) -> dict[str, Site]:
        """The sites have the name of the function that asked the allocator."""
        requested = read_wide(self.trace)
        with ProgramFile(self.program) as program:
            sizes = sizes_of(requested, SiteTypes({"": program}))
        created = {
            (site, one.recorded): one for site, all_of in sizes.items() for one in all_of.sizes
        }
        wide, narrow = requests(self.trace, _called), requests(self.narrow_trace, _called)
        result = {}
        for function, asking in wide.items():
            ones = [created[each] for each in asking]
            known = sizes[asking[0][0]]
            result[function] = Site(
                type=known.type.name,
                wide=[size for _, size in asking],
                bounds=[(one.lower, one.upper) for one in ones],
                exact=[one.exact for one in ones],
                narrow=[size for _, size in narrow[function]],
                reason=known.reason,
            )
        return result

    def requested(self) -> WideRecording:
        return read_wide(self.trace)


def _called(name: bytes | None) -> str | None:
    """The functions between main and the allocator."""
    frames = (name or b"").decode().split(";")
    called = [frame.partition(" ")[0] for frame in frames if " in libc" not in frame]
    return " ".join(called[called.index("main") + 1 :]) if "main" in called else None


def built(source: Path, out: Path, *flags: str) -> Path:
    options = ("-g", "-w", "-fno-inline", "-fno-ipa-cp", "-fno-optimize-sibling-calls", *flags)
    if "-m32" in flags:
        need_32_bits()
    command = [*c_compiler(), *options, "-o", str(out), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out


def recorded(program: Path) -> Path:
    out = program.with_suffix(".hst")
    record([str(program)], RecordOptions(out=str(out), frames=24))
    return out
