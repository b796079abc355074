"""Histories of Home Assistant and Prometheus, entity behind entity: the table that one downloads
and the JSON of the interfaces."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

import heapscope as hs
from heapscope.fleet.devices.fleet_result import FleetResult
from heapscope.logs.answer.log_result import LogResult

NEED = 16_717
_BEGIN = 1_790_812_800

Row = tuple[int, int, int]  # seconds since 1970, free, largest


def _rows(seed: int) -> list[Row]:
    """A leak of 1,200 B an hour, and 720 B of the largest block."""
    rng = random.Random(seed)
    levels = [120_000 - 200 * at - rng.randrange(900) for at in range(200)]
    return [(_BEGIN + 600 * at, free, free * 6 // 10) for at, free in enumerate(levels)]


def _date(time: int) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat()


def _entities(rows: list[Row]) -> dict[str, list[tuple[int, int]]]:
    return {
        "node_heap_free": [(time, free) for time, free, _ in rows],
        "node_heap_max_block": [(time, largest) for time, _, largest in rows],
    }


def _table(rows: list[Row]) -> str:
    parts = [
        f"sensor.{name},{value},{_date(time)}\n"
        for name, states in _entities(rows).items()
        for time, value in states
    ]
    parts.insert(20, f"sensor.node_heap_free,unavailable,{_date(rows[20][0])}\n")
    return "entity_id,state,last_changed\n" + "".join(parts)


def _rest(rows: list[Row]) -> str:
    return json.dumps([
        [
            {"entity_id": f"sensor.{name}", "state": "unknown", "last_changed": _date(_BEGIN - 60)},
            *({"state": str(value), "last_changed": _date(time)} for time, value in states),
        ]
        for name, states in _entities(rows).items()
    ])  # fmt: skip


def _socket(rows: list[Row]) -> str:
    states = {
        f"sensor.{name}": [{"s": str(value), "lu": time} for time, value in states]
        for name, states in _entities(rows).items()
    }
    return json.dumps({"id": 4, "type": "result", "success": True, "result": states})


def _query(rows: list[Row]) -> str:
    names = {"node_heap_free": "heap_free_bytes", "node_heap_max_block": "heap_largest_bytes"}
    result = [
        {
            "metric": {"__name__": names[name], "instance": "node:80"},
            "values": [[time, str(value)] for time, value in states],
        }
        for name, states in _entities(rows).items()
    ]
    data = {"resultType": "matrix", "result": result}
    return json.dumps({"status": "success", "data": data}, indent=1)


FORMS: dict[str, Callable[[list[Row]], str]] = {
    "table": _table, "rest": _rest, "socket": _socket, "query": _query,
}  # fmt: skip


def _result(tmp_path: Path, text: str) -> LogResult:
    path = tmp_path / "history.txt"
    path.write_text(text, encoding="utf-8")
    result = hs.log(path, need=[NEED])
    assert isinstance(result, LogResult)
    return result


@pytest.mark.parametrize("form", FORMS)
def test_a_history_is_read_in_the_order_of_time(form: str, tmp_path: Path, seed: int) -> None:
    rows = _rows(seed)
    result = _result(tmp_path, FORMS[form](rows))
    assert (result.answer.free, result.answer.largest) == rows[-1][1:]
    assert [trend.verdict for trend in result.trends] == ["leak", "leak"]
    until = result.needs[0].until
    assert until is not None
    assert until.value == pytest.approx((rows[-1][2] - NEED) / 720 * 3600, rel=0.1)


@pytest.mark.parametrize(
    "text", ['{"status": "ok"}', '[{"entity_id": 3}]', '{"data":{"result":[1]}}']
)
def test_other_json_is_no_history(text: str, tmp_path: Path) -> None:
    assert _result(tmp_path, text).answer.free is None


def test_json_lines_of_one_device_are_a_log(tmp_path: Path, seed: int) -> None:
    """And of two devices they are a fleet, also where the column has a name of its own."""
    rows = _rows(seed)
    path = tmp_path / "one.jsonl"
    lines = [
        json.dumps({"ts": time, "device_id": "a", "heap_free": free, "heap_largest": largest})
        for time, free, largest in rows
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    result = hs.log(path, need=[NEED])
    assert isinstance(result, LogResult)
    assert result.trends[0].verdict == "leak"
    more = [line.replace('"a"', '"b"') for line in lines]
    path.write_text("\n".join([*lines, *more]), encoding="utf-8")
    assert isinstance(hs.log(path, need=[NEED]), FleetResult)
