"""A recording written again with other sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from heapscope.base.errors import InputError
from heapscope.base.output import Write, open_output
from heapscope.base.printable import printable
from heapscope.capture.translate.site_types import SiteType, SiteTypes
from heapscope.capture.translate.sizes import SiteSizes, site_sizes
from heapscope.capture.translate.translated import CHIP_WORD
from heapscope.native.events import Events, NativeWriter, event_dtype, keep_events, take_events
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.feed import read_trace
from heapscope.trace.health import TraceHealth
from heapscope.trace.metadata import TRANSLATED, WORD_SIZE, number
from heapscope.trace.source import STDIN, Progress

_REQUESTS = (1, 2, 3, 4, 6)  # hs_event_kind_t: those that ask for bytes
_REALLOC, _FREE = 4, 5
_FEATURES, _SITES = 0x7, 4  # format/SPEC.md, section 3


@dataclass
class WideRecording:
    """The requests of a recording. `counts`: requests by site and size; `resized`: the sites that
    ask for other sizes of their blocks; `tables`: the names."""

    facts: dict[str, bytes]
    health: TraceHealth
    counts: dict[tuple[int, int], int] = field(default_factory=dict)
    resized: set[int] = field(default_factory=set)
    tables: dict[NameTable, dict[int, bytes | None]] = field(default_factory=dict)
    peak: int = 0
    shift: int = 0

    @property
    def sites(self) -> dict[int, bytes | None]:
        return self.tables[NameTable.SITE]


def read_wide(trace: Path, *, progress: Progress | None = None) -> WideRecording:
    """InputError: it has no 64-bit words, or no call sites."""
    shown = printable(str(trace), limit=400)
    if str(trace) == STDIN:
        raise InputError(
            "a translation reads the trace twice, which standard input does not allow",
            remedy="write it to a file first",
        )
    counts: dict[tuple[int, int], int] = {}
    resized: set[int] = set()
    low = np.uint64(0)

    def count(rows: Events) -> None:
        nonlocal low
        rows = rows[np.isin(rows["kind"], (*_REQUESTS, _FREE))]
        low |= np.bitwise_or.reduce(rows["key"]) | np.bitwise_or.reduce(rows["new_key"])
        rows = rows[rows["kind"] != _FREE]
        resized.update(np.unique(rows["site"][rows["kind"] == _REALLOC]).tolist())
        pairs = np.stack([rows["site"].astype(np.uint64), rows["size"]], axis=1)
        result, number_of = np.unique(pairs, axis=0, return_counts=True)
        for (site, size), many in zip(result.tolist(), number_of.tolist(), strict=True):
            counts[site, size] = counts.get((site, size), 0) + many

    with NativeReader() as reader:
        keep_events(reader)

        def take() -> None:
            for rows in take_events(reader):
                count(rows)

        reader.after_each_piece(take)
        health = read_trace(trace, reader, progress=progress)
        wide_recording = WideRecording(
            facts=reader.metadata(), health=health, counts=counts, resized=resized
        )
        wide_recording.tables = {table: dict(reader.names(table)) for table in NameTable}
        whole = reader.whole
        wide_recording.peak = int(reader.census().live_peak)
        while wide_recording.shift < 15 and not int(low) >> wide_recording.shift & 1 and int(low):
            wide_recording.shift += 1
    word = number(wide_recording.facts, WORD_SIZE)
    if word != 8:
        text = "does not tell the size of its words" if word is None else "has 32-bit words already"
        if WORD_SIZE in health.unknown:
            text = "does not tell the size of its words, as its metadata is damaged"
        raise InputError(
            f"{shown}: it {text}" if word in (None, 4) else f"{shown}: words of {word} bytes",
            remedy="translate a recording of a 64-bit program",
        )
    if not health.features & _SITES:
        raise InputError(
            f"{shown}: it has no call sites, by which types are found",
            remedy="record it again with --stacks 8",
        )
    if not whole:
        raise InputError(
            f"{shown}: events are missing in it",
            remedy="record it again, without --drop",
        )
    return wide_recording


def sizes_of(wide_recording: WideRecording, types: SiteTypes) -> dict[int, SiteSizes]:
    """The sizes of each site, as far as they are known."""

    def of_site(site: int) -> SiteType:
        return types.of(wide_recording.sites.get(site), resized=site in wide_recording.resized)

    return site_sizes(wide_recording.counts, of_site)


@dataclass(frozen=True)
class TranslatedTrace:
    """One translated trace: `bound` is what its metadata say; `sizes`: by site and recorded
    size."""

    path: str
    bound: str
    sizes: Mapping[tuple[int, int], int]


def write_translated(
    trace: Path,
    wide_recording: WideRecording,
    output: TranslatedTrace,
    *,
    progress: Progress | None = None,
) -> int:
    """Writes the trace, whole or not at all, and returns its live peak. Without a path it writes
    nothing."""
    with ExitStack() as stack:
        enter = stack.enter_context
        census = enter(NativeReader())
        shift = wide_recording.shift if wide_recording.health.has_addresses else 0
        features = wide_recording.health.features & _FEATURES
        writer = enter(NativeWriter(features=features, address_shift=shift))
        write: Write = (
            enter(open_output(output.path, inputs=(trace,))) if output.path else lambda _: None
        )
        _facts(writer, wide_recording, output.bound)

        def give() -> None:
            for data in writer.take():
                census.push(data)
                write(data)

        reader = enter(NativeReader())
        keep_events(reader)
        resize = _resizer(output.sizes)

        def move() -> None:
            for rows in take_events(reader):
                writer.events(resize(rows))
                give()

        reader.after_each_piece(move)
        read_trace(trace, reader, progress=progress)
        for table, names in wide_recording.tables.items():
            for index, name in names.items():
                if name is not None:
                    writer.name(table, index, name)
        writer.finish()
        give()
        census.finish()
        return int(census.census().live_peak)


def _facts(writer: NativeWriter, wide_recording: WideRecording, bound: str) -> None:
    facts = {key: value.decode("utf-8", "replace") for key, value in wide_recording.facts.items()}
    facts |= {WORD_SIZE: str(CHIP_WORD), TRANSLATED: bound}
    for key, value in facts.items():
        if key.isascii():
            writer.metadata(key, value)


def _resizer(sizes: Mapping[tuple[int, int], int]) -> Callable[[Events], Events]:
    """Gives events their new sizes."""

    def resize(rows: Events) -> Events:
        built = np.array(rows, dtype=event_dtype())
        at = np.flatnonzero(np.isin(built["kind"], _REQUESTS))
        if not len(at):
            return built
        pairs = np.stack([built["site"][at].astype(np.uint64), built["size"][at]], axis=1)
        result, place = np.unique(pairs, axis=0, return_inverse=True)
        new = np.array([sizes[site, size] for site, size in result.tolist()], dtype=np.uint64)
        built["size"][at] = new[place.reshape(-1)]
        return built

    return resize


def each_size(sizes: Mapping[int, SiteSizes]) -> Iterator[tuple[tuple[int, int], int, int]]:
    """Site and recorded size, and the least and the most that it can be."""
    for site, known in sizes.items():
        for one in known.sizes:
            yield (site, one.recorded), one.lower, one.upper
