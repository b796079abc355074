"""The lab tells of recordings of chips: levels, losses by kind, pairs, snapshots, boots."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import heapscope
from heapscope.cli.app import app
from heapscope.trace.recording import MissingKind

GOLDEN = Path(__file__).parents[3] / "format/golden/v1_2"


def test_info_tells_what_the_recorder_told() -> None:
    info = heapscope.info(GOLDEN / "chip3.hst")
    told = info.recording
    assert told is not None
    assert told.boot == 0x1234
    assert told.missing == (
        MissingKind(kind="malloc", events=4, bytes=4096),
        MissingKind(kind="free", events=3, bytes=0),
    )
    assert (told.losses, told.left_out, told.ending) == (1, 0, "ended")
    assert [(row.level, row.reason) for row in told.levels] == [
        ("all", "start"),
        ("pairs", "full"),
        ("sampled", "command"),
        ("failures", "empty"),
    ]
    sampled = told.levels[2]
    assert (sampled.sampled, sampled.least, sampled.most) == (32, 16, 4096)
    assert (sampled.task, sampled.capabilities) == (1, 0x404)
    assert told.pairs == told.pair_bytes == (1 << 64) - 1  # hostile sums stay at the most
    assert (told.snapshots, told.void_snapshots) == (1, 0)
    assert (told.cores, told.handlers) == (256, 1)
    assert not told.known  # the last level leaves everything out
    assert info.features == ("addresses", "clock")


def test_a_trace_heard_late_begins_with_its_snapshot() -> None:
    info = heapscope.info(GOLDEN / "heard_late.hst")
    told = info.recording
    assert told is not None
    assert told.begins_with_snapshot
    assert (told.start_blocks, told.start_bytes, told.events_before) == (3, 63, 1)
    assert info.events.total == info.events.frees == 1
    assert (info.live_end, info.live_blocks_end) == (43, 2)
    assert told.ending == "stopped"
    assert info.loss is None  # it has no end, and none is missing


def test_traces_of_the_first_edition_tell_nothing_of_a_recorder() -> None:
    assert heapscope.info(GOLDEN.parent / "v1/kinds3.hst").recording is None


@pytest.mark.parametrize("name", ["other_boot", "other_boot_same_byte"])
def test_another_boot_is_told(name: str) -> None:
    told = heapscope.info(GOLDEN / f"{name}.hst").recording
    assert told is not None
    assert told.other_boots


VERBS = (
    ("replay", "--chip", "esp32"),
    ("why", "--pool", "100000"),
    ("leaks",),
    ("export", "--to", "csv", "--pool", "100000"),
)


@pytest.mark.parametrize("name", ["chip3", "heard_late", "void_record"])
@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_verbs_take_recordings_of_chips(name: str, verb: tuple[str, ...], tmp_path: Path) -> None:
    out = ("--out", str(tmp_path / "out")) if verb[0] == "export" else ()
    result = CliRunner().invoke(app, [verb[0], str(GOLDEN / f"{name}.hst"), *verb[1:], *out])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert (result.exit_code == 2) == ("remedy:" in result.output), result.output
    assert result.exit_code in (0, 2)
