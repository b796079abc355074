"""The lab tells of recordings of chips: levels, losses by kind, pairs, snapshots, boots."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import heapscope
from heapscope.cli.app import app
from heapscope.trace.recording import MissingKind

GOLDEN = Path(__file__).parents[3] / "format/golden/v1"


def test_info_tells_what_the_recorder_reported() -> None:
    info = heapscope.replay(GOLDEN / "chip3.hst")
    recording = info.recording
    assert recording is not None
    assert recording.boot == 0x1234
    assert recording.missing == (
        MissingKind(kind="malloc", events=4, bytes=4096),
        MissingKind(kind="free", events=3, bytes=0),
    )
    assert (recording.losses, recording.left_out, recording.ending) == (1, 0, "ended")
    assert [(row.level, row.reason) for row in recording.levels] == [
        ("all", "start"),
        ("pairs", "full"),
        ("sampled", "command"),
        ("failures", "empty"),
    ]
    sampled = recording.levels[2]
    assert (sampled.sampled, sampled.least, sampled.most) == (32, 16, 4096)
    assert (sampled.task, sampled.capabilities) == (1, 0x404)
    assert recording.pairs == recording.pair_bytes == (1 << 64) - 1  # hostile sums stay at the most
    assert (recording.snapshots, recording.void_snapshots) == (1, 0)
    assert (recording.cores, recording.handlers) == (256, 1)
    assert not recording.known  # the last level leaves everything out
    assert info.features == ("addresses", "clock")


def test_a_trace_heard_late_begins_with_its_snapshot() -> None:
    info = heapscope.replay(GOLDEN / "heard_late.hst")
    recording = info.recording
    assert recording is not None
    assert recording.begins_with_snapshot
    assert (recording.start_blocks, recording.start_bytes, recording.events_before) == (3, 63, 1)
    assert info.events.total == info.events.frees == 1
    assert (info.live_end, info.live_blocks_end) == (43, 2)
    assert recording.ending == "stopped"
    assert info.loss is None  # it has no end, and none is missing


def test_a_trace_without_the_facts_of_a_recorder_tells_nothing_of_it() -> None:
    assert heapscope.replay(GOLDEN / "kinds3.hst").recording is None


@pytest.mark.parametrize("name", ["other_boot", "other_boot_same_byte"])
def test_another_boot_is_reported(name: str) -> None:
    recording = heapscope.replay(GOLDEN / f"{name}.hst").recording
    assert recording is not None
    assert recording.other_boots


VERBS = (
    ("replay", "--chip", "esp32"),
    ("why", "--pool", "100000"),
    ("leaks",),
    ("export", "--to", "csv", "--pool", "100000"),
    ("report", "--pool", "100000"),
    ("replay",),
    ("fit",),
)


@pytest.mark.cells(3)
@pytest.mark.parametrize("name", ["chip3", "heard_late", "void_record"])
@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_verbs_take_recordings_of_chips(name: str, verb: tuple[str, ...], tmp_path: Path) -> None:
    out = ("--output", str(tmp_path / "out")) if verb[0] in ("export", "report") else ()
    result = CliRunner().invoke(app, [verb[0], str(GOLDEN / f"{name}.hst"), *verb[1:], *out])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert (result.exit_code == 2) == ("remedy:" in result.output), result.output
    assert result.exit_code in (0, 2)


def test_what_lost_chunks_reported_is_counted_again() -> None:
    """The totals of a later chunk settle what a lost one told: of 24, 12 in pairs."""
    loss = heapscope.replay(GOLDEN / "lost_losses.hst").loss
    assert loss is not None
    assert (loss.events_missing, loss.told, loss.end_known) == (24, True, True)
    assert loss.reasons[-1] == "events missing: 24"
    loss = heapscope.replay(GOLDEN / "still_untold.hst").loss
    assert loss is not None
    assert (loss.events_missing, loss.told) == (1, False)
    assert loss.reasons[-1] == "events missing: at least 1"


@pytest.mark.slow
def test_a_recording_may_stop_between_two_chunks_and_not_inside_one(tmp_path: Path) -> None:
    data = (GOLDEN / "chip3.hst").read_bytes()
    end = data.rindex(b"\x48\x53\xc7\x9a")
    endings = {}
    for cut in (end, end - 1, end + 5):
        (tmp_path / "T.hst").write_bytes(data[:cut])
        info = heapscope.replay(tmp_path / "T.hst")
        assert info.recording is not None
        endings[cut - end] = (info.recording.ending, info.health.stopped, info.health.truncated)
    assert endings == {
        0: ("stopped", True, False),
        -1: ("cut", False, True),
        5: ("cut", False, True),
    }
    old = (GOLDEN.parent / "v1/kinds3.hst").read_bytes()
    (tmp_path / "T.hst").write_bytes(old[: old.rindex(b"\x48\x53\xc7\x9a")])
    messages = heapscope.replay(tmp_path / "T.hst").health.messages
    assert messages[-1] == "the trace breaks off: its end is missing"
