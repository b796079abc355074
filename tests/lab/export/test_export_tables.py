"""CSV, JSON and Parquet: read back by others, event for event."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import (
    ADDRESSES,
    CLOCK,
    FAILED,
    FREE,
    HOSTILE,
    MARK,
    REALLOC,
    SITE_NAMES,
    SITES,
    Event,
    Run,
    Story,
    Write,
    story,
)

Exported = Callable[..., bytes]
Row = dict[str, Any]

FNV_BASIS, FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3
CALLS = ("", "malloc", "calloc", "aligned", "realloc", "free")


def shown(name: str) -> str:
    return name.replace("\n", "\\x0a").replace("\u202e", "\\u202e")


def csv_rows(text: bytes) -> list[Row]:
    assert b"\r" not in text
    return list(csv.DictReader(io.StringIO(text.decode(), newline=""), strict=True))


def leaf_first(name: str) -> str | None:
    return " ← ".join(frame for frame in reversed(name.split(";")) if frame) or None


def expected(events: list[Event]) -> list[Row]:
    """The columns of a table without a layout."""
    reported = Story().tell(events)
    rows = []
    for number, event in enumerate(event for event in events if event.kind != MARK):
        requests = event.kind not in (FREE,)
        failed = event.kind == FAILED
        rows.append(
            {
                "event": number,
                "time": event.time,
                "task": shown(HOSTILE[event.task]),
                "site": leaf_first(SITE_NAMES[event.site]) if requests else None,
                "call": CALLS[event.new_key if failed else event.kind],
                "outcome": reported.outcomes[number],
                "size": event.size,
                "freed": reported.freed[number],
                "live": reported.live[number],
                "align": 32 if event.align_log2 else None,
                "capabilities": 0,
                "heap": "system",
                "block": None if failed else event.key,
                "new_block": None
                if failed
                else (event.new_key if event.kind == REALLOC else event.key),
            }
        )
    return rows


@pytest.fixture(params=[False, True], ids=["ids", "addresses"])
def recorded(request: pytest.FixtureRequest, write_trace: Write) -> tuple[Path, list[Event]]:
    events = story(addresses=request.param)
    return write_trace(events, features=CLOCK | SITES | (ADDRESSES * request.param)), events


def test_json_has_every_event(
    recorded: tuple[Path, list[Event]], exported: Exported, valid: Callable[[bytes], Any]
) -> None:
    trace, events = recorded
    text = exported(trace, "--to", "json")
    assert b"<" not in text
    document = valid(text)
    assert document["events"] == expected(events)
    reported = Story().tell(events)
    assert document["totals"] == {
        "events": len(reported.live),
        "live_peak": reported.peak,
        "live_peak_event": reported.peak_event,
        "live_end": reported.live[-1],
        "failures": reported.outcomes.count("failed_recorded"),
        "digest": None,
    }
    assert document["marks"] == [{"event": 0, "time": 0, "name": 'begin, "quoted"'}]
    assert (document["clock_hz"], document["layout"]) == (1_000_000, None)
    assert document["metadata"]["program"] == "all of <it>"


def test_csv_is_the_same_table(recorded: tuple[Path, list[Event]], exported: Exported) -> None:
    trace, events = recorded
    result = csv_rows(exported(trace, "--to", "csv"))
    wanted = expected(events)
    for row in wanted:  # a spreadsheet would compute it
        row["task"] = "'" + row["task"] if row["task"].startswith("=") else row["task"]
    assert result == [
        {key: "" if v is None else str(v) for key, v in row.items()} for row in wanted
    ]


def test_a_lost_event_shows(
    recorded: tuple[Path, list[Event]], exported: Exported, write_trace: Write
) -> None:
    """The comparisons above rest on this: one event less is another table."""
    trace, events = recorded
    features = CLOCK | SITES | (ADDRESSES if events[1].key >= 0x1000 else 0)
    last = len(events) - 1
    fewer = write_trace(events[:last], features=features, name="fewer.hst")
    whole, less = (csv_rows(exported(path, "--to", "csv")) for path in (trace, fewer))
    assert whole[:-1] == less


def parquet(text: bytes) -> Any:
    import polars

    return polars.read_parquet(io.BytesIO(text))


@pytest.mark.slow
def test_parquet_is_the_same_table_with_types(
    recorded: tuple[Path, list[Event]], exported: Exported, valid: Callable[[bytes], Any]
) -> None:
    trace, events = recorded
    frame = parquet(exported(trace, "--to", "parquet", "--pool", "64KB"))
    document = valid(exported(trace, "--to", "json", "--pool", "64KB"))
    assert frame.to_dicts() == document["events"]
    types = {name: str(kind) for name, kind in frame.schema.items()}
    assert (types["event"], types["task"], types["address"]) == ("UInt64", "String", "UInt32")
    plain = parquet(exported(trace, "--to", "parquet"))
    assert plain.to_dicts() == expected(events)


def test_parquet_of_many_parts_and_of_none(
    exported: Exported, write_trace: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    from heapscope.capture.export import parquet_table

    monkeypatch.setattr(parquet_table, "_PART_ROWS", 1)
    events = story(40_000)
    frame = parquet(exported(write_trace(events), "--to", "parquet"))
    assert frame["live"].to_list() == Story().tell(events).live
    assert frame["event"].to_list() == list(range(len(frame)))
    empty = parquet(exported(write_trace([Event(MARK)]), "--to", "parquet"))
    assert (len(empty), empty.columns) == (0, frame.columns)


def test_without_a_clock_there_is_no_time(write_trace: Write, exported: Exported) -> None:
    events = [event._replace(time=0) for event in story(20)]
    trace = write_trace(events, features=SITES, clock_hz=None)
    assert {row["time"] for row in csv_rows(exported(trace, "--to", "csv"))} == {""}
    assert {row["time"] for row in json.loads(exported(trace, "--to", "json"))["events"]} == {None}


# ---- on a layout ------------------------------------------------------------------------------


def digest(rows: list[Row]) -> str:
    """The digest of all requests' results, as `replay --digest` defines it, out of the table."""
    value = FNV_BASIS
    for row in rows:
        if row["call"] == "free" or row["outcome"] in ("skipped", "unknown", "failed_recorded"):
            continue
        nothing = row["outcome"] != "ok" or (row["call"] == "realloc" and row["size"] == 0)
        result = 0xFFFFFFFF if nothing else row["offset"]
        for byte in result.to_bytes(4, "little"):
            value = (value ^ byte) * FNV_PRIME % (1 << 64)
    return f"{value:016x}"


@pytest.mark.slow
@pytest.mark.cells(1)
@pytest.mark.parametrize("pool", ["20KB", "64KB", "4MB"])
def test_the_addresses_are_those_of_the_replay(
    recorded: tuple[Path, list[Event]], run: Run, exported: Exported, valid: Any, pool: str
) -> None:
    trace, _ = recorded
    replayed = json.loads(run(trace, "--pool", pool, "--json", "-", verb="replay").out)
    document = valid(exported(trace, "--to", "json", "--pool", pool))
    rows = document["events"]
    summary = replayed["summary"]
    assert digest(rows) == document["totals"]["digest"] == summary["digest"]
    outcomes = [row["outcome"] for row in rows]
    assert outcomes.count("failed") == summary["failures"] == document["totals"]["failures"]
    assert outcomes.count("skipped") == summary["skipped"]
    assert outcomes.count("failed_recorded") == summary["recorded_failures"]
    assert max(row["live"] for row in rows) == summary["live_peak"]
    assert rows[summary["live_peak_event"]]["live"] == summary["live_peak"]
    assert rows[-1]["live"] == summary["live"]
    start = document["layout"]["regions"][0]["start"]
    for row in rows:
        if row["region"] is not None:
            assert row["address"] == start + row["offset"]
            assert row["region"] == document["layout"]["regions"][0]["name"]
    live, balance = 0, []
    for row in rows:  # a request that was served and was no free of 0 bytes begins a block
        live += (row["size"] if row["outcome"] == "ok" else 0) - row["freed"]
        balance.append(live)
    assert balance == [row["live"] for row in rows]


@pytest.mark.slow
def test_on_a_chip_each_block_is_in_its_region(
    recorded: tuple[Path, list[Event]], run: Run, exported: Exported, valid: Any
) -> None:
    trace, _ = recorded
    document = valid(exported(trace, "--to", "json", "--chip", "esp32"))
    replayed = json.loads(run(trace, "--chip", "esp32", "--json", "-", verb="replay").out)
    regions = {row["name"]: row for row in document["layout"]["regions"]}
    assert [row["start"] for row in regions.values()] == [r["start"] for r in replayed["regions"]]
    begun = dict.fromkeys(regions, 0)
    for row in document["events"]:
        if row["region"] is not None:
            region = regions[row["region"]]
            assert region["start"] <= row["address"] < region["start"] + region["size"]
            served = row["outcome"] == "ok" and row["call"] != "free" and row["size"]
            begun[row["region"]] += bool(served)
    assert list(begun.values()) == [row["allocations"] for row in replayed["regions"]]
