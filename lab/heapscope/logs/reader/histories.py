"""Histories of other programs as lines in the order of time: the JSON of Prometheus' queries and of
Home Assistant, and Home Assistant's table, in which one entity stands behind the other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

_MOST = 1 << 28  # bytes; a longer one is read as it stands
_TABLE = re.compile(rb'"?entity_id"?,"?state"?,"?last_(?:changed|updated)"?\s')
_JSON = re.compile(rb'\s*(?:\{\s*"(?:status|id|type|result|data)"|\[\s*(?:\[\s*)?\{\s*"entity_id")')
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_UNIT = re.compile(r"[kKMG]i?B|[Bb]ytes?|B")

Sample = tuple[float, str]  # seconds since 1970, and a line


def in_order(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces; of a history, its lines in the order of time."""
    left = iter(pieces)
    head = next(left, b"")
    if not (_TABLE.match(head.removeprefix(b"\xef\xbb\xbf")) or _JSON.match(head)):
        yield head
        yield from left
        return
    held, size = [head], len(head)
    for piece in left:
        held.append(piece)
        size += len(piece)
        if size > _MOST:
            yield from held
            yield from left
            return
    whole = b"".join(held)
    lines = _lines_of(whole.decode("utf-8-sig", "replace"))
    if lines is None:
        yield whole
        return
    for line in lines:
        yield f"{line}\n".encode()


def _lines_of(text: str) -> list[str] | None:
    """None: another kind of text."""
    if text.lstrip()[:1] not in ("{", "["):
        rows = [line.strip() for line in text.splitlines()]
        samples = list(_of_table(rows[1:]))
        return [rows[0], *_sorted(samples)] if samples else None
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return None
    series = _prometheus_results(held)
    if series is not None:
        return _sorted(_of_prometheus(series)) or None
    samples = list(_of_home_assistant(held))
    return ["entity_id,state,last_changed", *_sorted(samples)] if samples else None


def _sorted(samples: Iterable[Sample]) -> list[str]:
    return [line for _, line in sorted(samples, key=lambda one: one[0])]


def _of_table(rows: Iterable[str]) -> Iterator[Sample]:
    for row in rows:
        cells = [cell.strip().strip('"') for cell in row.split(",")]
        time = _time(cells[2]) if len(cells) == 3 else None
        if time is not None and _NUMBER.match(cells[1]):
            yield time, ",".join(cells)


# ---- JSON ----------------------------------------------------------------------------------------


def _prometheus_results(held: object) -> list[Any] | None:
    data = held.get("data") if isinstance(held, Mapping) else None
    results = data.get("result") if isinstance(data, Mapping) else None
    return results if isinstance(results, list) else None


def _of_prometheus(results: Iterable[object]) -> Iterator[Sample]:
    """Each as a line of the text form: name{labels} value milliseconds."""
    for one in results:
        metric = one.get("metric") if isinstance(one, Mapping) else None
        if not isinstance(one, Mapping) or not isinstance(metric, Mapping):
            continue
        labels = ",".join(
            f"{name}={json.dumps(str(value), ensure_ascii=False)}"
            for name, value in metric.items()
            if name != "__name__"
        )
        name = f"{metric.get('__name__', '')}{{{labels}}}"
        values = one.get("values", [one.get("value")])
        for pair in values if isinstance(values, list) else ():
            if isinstance(pair, list) and len(pair) == 2 and _NUMBER.fullmatch(str(pair[1])):
                time = _time(pair[0])
                if time is not None:
                    yield time, f"{name} {float(pair[1]):.0f} {time * 1000:.0f}"


def _of_home_assistant(held: object) -> Iterator[Sample]:
    """The REST interface gives a list of lists, of which the first state alone may have its name,
    and the web socket gives lists by name."""
    if isinstance(held, Mapping):
        held = held.get("result", held)
    if isinstance(held, Mapping):
        parts = [(str(name), states) for name, states in held.items()]
    elif isinstance(held, list):
        parts = [("", part if isinstance(part, list) else [part]) for part in held]
    else:
        return
    for name, states in parts:
        entity, unit = name, ""
        for state in states if isinstance(states, list) else ():
            if not isinstance(state, Mapping):
                continue
            entity = str(state.get("entity_id", entity))
            unit = _unit_of(state) or unit
            times = (
                state.get(key) for key in ("last_changed", "lu", "lc", "last_updated", "start")
            )
            time = next((one for one in map(_time, times) if one is not None), None)
            value = str(next((state[key] for key in ("state", "s", "mean") if key in state), ""))
            if time is not None and _NUMBER.fullmatch(value):
                date = datetime.fromtimestamp(time).astimezone().isoformat(timespec="milliseconds")
                yield time, f"{entity},{value}{unit},{date}"


def _unit_of(state: Mapping[str, object]) -> str:
    held = state.get("attributes", state.get("a"))
    unit = str(held.get("unit_of_measurement", "")) if isinstance(held, Mapping) else ""
    return f" {unit}" if _UNIT.fullmatch(unit) else ""


def _time(value: object) -> float | None:
    """Seconds since 1970 of a number, in seconds or milliseconds, or of a date."""
    if isinstance(value, int | float):
        return float(value) / 1000 if value > 1e11 else float(value)
    try:
        return datetime.fromisoformat(str(value)).timestamp()
    except (ValueError, OverflowError):
        return None
