"""Logs of devices for the tests of this folder: written in the form in which ESP-IDF prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from heapscope.capture.esp_idf.contents import LogContents, read_contents

LOGS = Path(__file__).parent / "logs"

#: (start, length, free, largest) of a region.
Row = tuple[int, int, int, int]
Summary = Callable[..., str]
Read = Callable[..., LogContents]
Save = Callable[..., Path]


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
        lines.append(f"    free {free} allocated 1000 min_free 500 largest_free_block {most}")
        return "\n".join(lines) + "\n"

    return write


@pytest.fixture
def read() -> Read:
    """read(text, step=...): the contents of a log that comes in pieces of `step` bytes."""

    def run(text: str | bytes, step: int = 1 << 20) -> LogContents:
        raw = text.encode() if isinstance(text, str) else text
        return read_contents(pieces(raw, step))

    return run


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
