"""The lab's tests share small traces, made by the importer, and logs in the form in which ESP-IDF
prints."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from heapscope.capture.line_forms import import_text
from heapscope.logs.esp_idf.import_log import TraceReading
from heapscope.logs.reader.facts import read_log

MakeTrace = Callable[..., Path]
LOGS = Path(__file__).parent / "capture" / "logs"

#: (start, length, free, largest) of a region.
Row = tuple[int, int, int, int]
Summary = Callable[..., str]
Read = Callable[..., TraceReading]
Save = Callable[..., Path]


@pytest.fixture
def make_trace(tmp_path: Path) -> MakeTrace:
    """make_trace("a 0 100", "f 0"): the trace file of these lines of the text form."""

    def make(*lines: str, name: str = "T.hst") -> Path:
        text = tmp_path / f"{name}.txt"
        text.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
        out = tmp_path / name
        import_text(text, out)
        return out

    return make


@pytest.fixture
def long_trace(make_trace: MakeTrace) -> Path:
    """Many chunks: 200 000 events, of which every block is freed in the end."""
    sizes = (
        zlib.crc32(b"%d" % i) % 5000 + 1 for i in range(100_000)
    )  # so that none compresses away
    lines = [line for i, size in enumerate(sizes) for line in (f"a {i} {size}", f"f {i}")]
    return make_trace("t worker", *lines, name="long.hst")


@pytest.fixture
def logs() -> Path:
    return LOGS


@pytest.fixture
def summary() -> Summary:
    """summary(caps, rows, total_free=...): what heap_caps_print_heap_info() prints."""

    def write(caps: int, rows: Sequence[Row], total_free: int | None = None) -> str:
        lines = [f"Heap summary for capabilities 0x{caps:08X}:"]
        for start, length, free, largest in rows:
            used = max(length - free, 0)
            lines.append(
                f"  At 0x{start:08x} len {length} free {free} allocated {used} min_free {free // 2}"
            )
            lines.append(
                f"    largest_free_block {largest} alloc_blocks 3 free_blocks 2 total_blocks 5"
            )
        free = sum(row[2] for row in rows) if total_free is None else total_free
        most = max((row[3] for row in rows), default=0)
        lines.append("  Totals:")
        used = sum(max(row[1] - row[2], 0) for row in rows)
        lines.append(f"    free {free} allocated {used} min_free 500 largest_free_block {most}")
        return "\n".join(lines) + "\n"

    return write


@pytest.fixture
def read() -> Read:
    """read(text, step=...): all that a log tells that comes in pieces of `step` bytes."""

    def run(text: str | bytes, step: int = 1 << 20) -> TraceReading:
        return read_all(text.encode() if isinstance(text, str) else text, step)

    return run


def read_all(raw: bytes, step: int = 1 << 20) -> TraceReading:
    reading = TraceReading()
    read_log(pieces(raw, step), reading)
    reading.dumped.close()
    return reading


def pieces(raw: bytes, step: int) -> Iterable[bytes]:
    return (raw[at : at + step] for at in range(0, len(raw), step))


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """save(text, name=...): a file in an empty folder."""

    def write(text: str | bytes, name: str = "device.log") -> Path:
        file = tmp_path / name
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    return write
