"""Times in what `why` says: seconds since the start where the trace has a clock."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from heapscope.answers.why.explain import Selection, explain
from heapscope.answers.why.reasons import WhyResult
from heapscope.base.errors import InputError
from heapscope.cli.verbs.shown import show
from heapscope.memory.layout.pool import pool_layout
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.render.text.console import console

CLOCK = 1 << 1
HZ, FIRST = 1_000, 70_000  # ticks a second, and of the first event
#: 72 bytes between two holes, so the last request fails: kind, key, size; one every 1.5 seconds.
EVENTS = ((1, 0, 3_000), (1, 1, 72), (1, 2, 3_000), (5, 0, 0), (5, 2, 0), (1, 3, 5_000))


def explained(folder: Path, *, features: int) -> WhyResult:
    rows = np.zeros(len(EVENTS), dtype=event_dtype())
    for number, (kind, key, size) in enumerate(EVENTS):
        rows[number]["kind"], rows[number]["key"], rows[number]["size"] = kind, key, size
        rows[number]["time"] = FIRST + 1_500 * number
    path = folder / f"{features}.hst"
    with NativeWriter(features=features) as writer:
        writer.metadata("clock_hz", str(HZ))
        writer.events(rows)
        writer.finish()
        path.write_bytes(b"".join(writer.take()))
    return explain(path, pool_layout(8_192), selection=Selection(event=5))


def shown(result: WhyResult) -> str:
    out = io.StringIO()
    target = console(out)
    target.width = 200
    show(result, target)
    return out.getvalue()


def test_a_clock_makes_seconds_of_sentences_and_tables(tmp_path: Path) -> None:
    result = explained(tmp_path, features=CLOCK)
    group = result.groups[0]
    assert group.first is not None
    first, *_, last = group.first.case.sentences
    assert "failed at 7.500 s after the start [event 5]" in first
    assert "held since 1.500 s after the start [event 1]" in last
    assert "this one, at 7.500 s after the start [event 5]" in result.answer[2]
    text = shown(result)
    assert "since s" in text
    assert "since event" not in text
    assert " 1.500 " in text
    assert WhyResult.from_json(result.to_json()) == result


def test_without_a_clock_events_are_named(tmp_path: Path) -> None:
    result = explained(tmp_path, features=0)
    assert result.clock is None
    assert " s after the start" not in shown(result)
    assert "failed at event 5" in shown(result)


@pytest.mark.parametrize("version", [0, 2, None])
def test_other_versions_are_refused(tmp_path: Path, version: int | None) -> None:
    with pytest.raises(InputError, match="heapscope_why should be 1"):
        WhyResult.from_json(explained(tmp_path, features=0).to_json() | {"heapscope_why": version})
