"""A device's log, answered."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from heapscope.layout.need import parse_needs
from heapscope.log.answered import answered
from heapscope.log.facts import read_log
from heapscope.log.log_result import LogResult
from heapscope.log.reading import LogReading
from heapscope.progress import OnProgress, phase
from heapscope.trace.source import open_blocks


def log(
    source: str | Path,
    *,
    need: Sequence[int | str] = (),
    chip: str | None = None,
    idf: str | None = None,
    progress: OnProgress | None = None,
) -> LogResult:
    """Says what a device's log tells of its heap.

    `source`: a file (.zst too), or "-" for standard input. `need`: requests to ask about, in bytes
    ("16717", "4KB"). `chip`, `idf`: what the log does not tell. InputError: it cannot be read.
    """
    needs = [size for size, _ in parse_needs(need)]
    reading = LogReading()
    with open_blocks(source, progress=phase(progress, "reading")) as blocks:
        lines = read_log(blocks, reading)
    notes = () if blocks.loss is None else (blocks.loss.sentence(),)
    return answered(
        reading, file=blocks.name, lines=lines, needs=needs, chip=chip, idf=idf, notes=notes
    )
