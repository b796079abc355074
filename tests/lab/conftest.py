"""The lab's tests share small traces, made by the importer."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from heapscope.capture.line_forms import import_text

MakeTrace = Callable[..., Path]


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
