"""The rows and the row writer of the native library, apart from any format."""

from __future__ import annotations

import random

import numpy as np
import pytest

from heapscope.native import export, row_text
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NativeReader
from heapscope.native.row_text import Cell, RowText
from heapscope.native.status import StatusError
from heapscope.native.structs import NEVER

from .conftest import Write, story

WIDTHS = np.dtype([("a", "u1"), ("b", "u2"), ("c", "u4"), ("d", "u8")], align=True)


def test_numbers_of_every_width_and_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_text, "_BUFFER", 100)  # a few rows at once
    chance = random.Random(7)
    ends = [0, 1, 9, 10, 99, 255, 65_535, 2**32 - 1, 2**64 - 1]
    rows = np.zeros(300, dtype=WIDTHS)
    for row in rows:
        for name, bits in (("a", 8), ("b", 16), ("c", 32), ("d", 64)):
            row[name] = min(chance.choice(ends), 2**bits - 1)
    names = ["zero", "", "two;"]
    cells = [
        Cell(before=b"<", field="a"),
        Cell(before=b",", field="b", names=[name.encode() for name in names]),
        Cell(before=b",", field="c", none=99, none_text=b"none"),
        Cell(before=b",", field="d", none=NEVER),
        Cell(before=b">\n"),
    ]
    wanted = []
    for a, b, c, d in rows.tolist():
        name = names[b] if b < len(names) else str(b)
        wanted.append(f"<{a},{name},{'none' if c == 99 else c},{'' if d == NEVER else d}>\n")
    pieces = list(RowText(WIDTHS, cells).write(rows))
    assert b"".join(pieces).decode() == "".join(wanted)
    assert len(pieces) > 50


def test_a_row_that_is_too_long_is_an_error() -> None:
    long = Cell(before=b"x" * (1 << 20), field="a")
    with pytest.raises(ValueError, match="longer than 1 MB"):
        list(RowText(WIDTHS, [long]).write(np.zeros(1, dtype=WIDTHS)))


def test_an_export_is_requested_before_the_first_event_and_once(write_trace: Write) -> None:
    data = write_trace(story(10)).read_bytes()
    with NativeReader() as reader:
        reader.push(data)
        with pytest.raises(StatusError):
            export.begin_export(reader, export.Keep.ROWS)
    with NativeReader() as reader:
        assert list(export.take_rows(reader)) == []
        assert len(export.profile(reader)) == 0
        export.begin_export(reader, export.Keep.ROWS)
        with pytest.raises(StatusError):
            export.begin_export(reader, export.Keep.ROWS)


def test_beyond_the_maximum_pairs_share_one_row() -> None:
    """262144 pairs of task and site at most; sums stay what they are."""
    count = 263_000
    events = np.zeros(count, dtype=event_dtype())
    events["kind"], events["size"] = 1, 3
    events["key"], events["site"] = np.arange(count), np.arange(count) + 1
    with NativeWriter(features=4) as writer, NativeReader() as reader:
        writer.events(events)
        writer.finish()
        export.begin_export(reader, export.Keep.PROFILE)
        for data in writer.take():
            reader.push(data)
        reader.finish()
        result = export.profile(reader)
    assert len(result) == 262_144
    assert int(result["total"].sum()) == int(result["at_peak"].sum()) == 3 * count
    others = result[result["site"] == export.OTHERS]
    assert others["total_blocks"].tolist() == [count - 262_143]
