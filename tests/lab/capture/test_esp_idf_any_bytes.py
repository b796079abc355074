"""Logs of any content: nothing but our own errors, and a cut takes nothing from before it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heapscope.base.errors import HeapscopeError
from heapscope.base.request import Request
from heapscope.logs.esp_idf.import_log import TraceReading, import_esp_idf
from heapscope.logs.esp_idf.imported_trace import EspIdfImport

LOGS = sorted((Path(__file__).parent / "logs").glob("*.log"))
LINES = [line for log in LOGS for line in log.read_bytes().splitlines()]

SETTINGS = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def damaged(line: bytes, at: int, cut: int, junk: bytes) -> bytes:
    at %= len(line) + 1
    return line[:at] + junk + line[at + cut :]


LINE = st.one_of(
    st.sampled_from(LINES),
    st.builds(
        damaged,
        st.sampled_from(LINES),
        st.integers(0, 200),
        st.integers(0, 9),
        st.binary(max_size=4),
    ),
    st.binary(max_size=80),
)


@SETTINGS
@given(lines=st.lists(LINE, max_size=40), end=st.sampled_from([b"\n", b"\r\n", b""]))
def test_any_lines_raise_nothing_but_our_errors(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], end: bytes
) -> None:
    folder = tmp_path_factory.mktemp("any")
    log, out = folder / "device.log", folder / "T.hst"
    log.write_bytes(end.join(lines))
    done = imported(log, out)
    if isinstance(done, HeapscopeError):
        assert done.message
        assert done.remedy
        assert not out.exists()
    else:
        assert out.exists() == bool(done.out)
        assert all(text.isprintable() for text in (*done.verdict, *done.notes))
        assert done.to_json()["file"] == str(log)


def imported(log: Path, out: Path | None = None) -> EspIdfImport | HeapscopeError:
    try:
        return import_esp_idf(log, out, needs=[Request(16717), Request(100, 8)])
    except HeapscopeError as error:
        return error


@SETTINGS
@given(raw=st.binary(max_size=2000), step=st.integers(1, 50))
def test_any_bytes_in_any_pieces_give_the_same(read: Any, raw: bytes, step: int) -> None:
    assert facts(read(raw, step)) == facts(read(raw))


def facts(reading: TraceReading) -> dict[str, list[Any]]:
    """The facts of a log, each kind in the order in which it was found."""
    trace = reading.dumped.best
    return {
        "regions": [(r.start, r.size, r.kind) for r in reading.boots.current.regions],
        "summaries": [
            (one.caps, one.regions, one.totals)
            for one in reading.summaries.kept
            if one.totals is not None and one.totals.largest is not None
        ],
        "failed": [(one.line, one.size, one.caps) for one in reading.failures.whole],
        "records": []
        if trace is None
        else list(zip(trace.address, trace.size, trace.ccount, strict=True)),
    }


@pytest.mark.cells(1)
@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_a_log_cut_at_any_byte_gives_everything_before_the_cut(read: Any, log: Path) -> None:
    """The facts of the whole lines before the cut begin those of the cut log, and those begin the
    facts of the whole log."""
    raw = log.read_bytes()
    for at in range(0, len(raw), 7):
        before = facts(read(raw[: raw.rfind(b"\n", 0, at) + 1]))
        cut = facts(read(raw[:at]))
        whole = facts(read(raw))
        for kind in ("regions", "summaries", "failed", "records"):
            assert cut[kind][: len(before[kind])] == before[kind], (at, kind)
        for kind in ("summaries", "failed", "records"):
            assert whole[kind][: len(cut[kind])] == cut[kind], (at, kind)


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_a_cut_log_is_answered_or_refused_with_a_reason(log: Path, tmp_path: Path) -> None:
    raw = log.read_bytes()
    for at in range(0, len(raw), 211):
        (tmp_path / "cut.log").write_bytes(raw[:at])
        done = imported(tmp_path / "cut.log")
        if isinstance(done, HeapscopeError):
            assert "nothing about a heap" in done.message
        else:
            assert done.verdict


def test_a_line_without_end_takes_no_memory(tmp_path: Path) -> None:
    log = tmp_path / "device.log"
    log.write_bytes(b"x" * 5_000_000 + b"\nMem alloc fail. size 0x00000400 caps 0x00001800\n")
    assert [one.size for one in import_esp_idf(log).answer.failed] == [1024]
