"""A program that is built and recorded twice, for 64 and for 32 bit, and its call sites in both."""

from __future__ import annotations

import subprocess
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from heapscope.capture.record.session import RecordOptions, record
from heapscope.native.events import Events, keep_events, take_events
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.feed import read_trace
from heapscope.translate.program import ProgramFile
from heapscope.translate.rewrite import WideRecording, read_asked, sizes_of
from heapscope.translate.site_types import SiteTypes
from recording.programs import compiler, missing

#: A chip aligns long long and double to their size; x86 of 32 bit needs to be told.
NARROW = ("-m32", "-malign-double")
_REQUESTS = (1, 2, 3, 4)


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
        found = zip(self.bounds, self.exact, self.narrow, strict=True)
        return [
            (bounds[0], narrow) for bounds, exact, narrow in found if exact and bounds[0] != narrow
        ]

    @property
    def outside(self) -> list[tuple[tuple[int, int], int]]:
        found = zip(self.bounds, self.narrow, strict=True)
        return [(bounds, size) for bounds, size in found if not bounds[0] <= size <= bounds[1]]


@dataclass(frozen=True)
class Pair:
    """A program of both word sizes, and their recordings."""

    program: Path
    trace: Path
    narrow_trace: Path

    def sites(self) -> dict[str, Site]:
        """By the function that asked the allocator."""
        asked = read_asked(self.trace)
        with ProgramFile(self.program) as program:
            sizes = sizes_of(asked, SiteTypes({"": program}))
        made = {(site, one.recorded): one for site, all_of in sizes.items() for one in all_of.sizes}
        wide, narrow = _asked_by(self.trace), _asked_by(self.narrow_trace)
        found = {}
        for function, requests in wide.items():
            ones = [made[each] for each in requests]
            known = sizes[requests[0][0]]
            found[function] = Site(
                type=known.type.name,
                wide=[size for _, size in requests],
                bounds=[(one.lower, one.upper) for one in ones],
                exact=[one.exact for one in ones],
                narrow=[size for _, size in narrow[function]],
                reason=known.reason,
            )
        return found

    def asked(self) -> WideRecording:
        return read_asked(self.trace)


def _asked_by(trace: Path) -> dict[str, list[tuple[int, int]]]:
    """Site and size of each request, by the functions between main and the allocator."""
    rows: list[Events] = []
    with NativeReader() as reader:
        keep_events(reader)
        reader.after_each_piece(lambda: rows.extend(take_events(reader)))
        read_trace(trace, reader)
        names = reader.names(NameTable.SITE)
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for row in (row for piece in rows for row in piece):
        if row["kind"] in _REQUESTS:
            frames = (names[row["site"]] or b"").decode().split(";")
            called = [frame.partition(" ")[0] for frame in frames if " in libc" not in frame]
            if "main" in called:
                function = " ".join(called[called.index("main") + 1 :])
                found[function].append((int(row["site"]), int(row["size"])))
    return found


def built(source: Path, out: Path, *flags: str) -> Path:
    options = ("-g", "-w", "-fno-inline", "-fno-ipa-cp", "-fno-optimize-sibling-calls", *flags)
    command = [*compiler(), *options, "-o", str(out), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and "-m32" in flags:
        missing("programs of 32 bit: Debian package gcc-multilib")
    assert done.returncode == 0, done.stderr
    return out


def recorded(program: Path) -> Path:
    out = program.with_suffix(".hst")
    record([str(program)], RecordOptions(out=str(out), frames=24))
    return out
