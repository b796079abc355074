"""The rates of a log of iperf: of iperf 2 or 3 on the host, or of the console on the device.

A log of the device says `mode=tcp-client` and the like, and its directions are the device's. Any
other log is the host's: what the host sends, the device receives. A run that was cut off before its
last line counts by the seconds that are there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from heapscope.base.errors import InputError
from heapscope.trace.whole import read_whole

_MOST_BYTES = 16 << 20
_LONG = 400  # characters of a line that are looked at
_LEAST_SECONDS = 3.0
_ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_RATE = re.compile(
    r"(?:\[\s*(?P<id>SUM|\d+)\]\s*)?(?P<from>\d+(?:\.\d+)?)\s*-\s*(?P<to>\d+(?:\.\d+)?)\s+sec\b"
    r"(?P<rest>.*?\s)(?P<rate>\d+(?:\.\d+)?)\s*(?P<unit>[KMG]?)(?P<what>bits|Bytes)/sec(?P<tail>.*)"
)
_DEVICE = re.compile(r"\bmode=(tcp|udp)-(client|server)\b")
_CLIENT = re.compile(r"Client connecting to \S+, (TCP|UDP) port")
_SERVER = re.compile(r"Server listening on (TCP|UDP) port")
_CLIENT_3 = re.compile(r"Connecting to host \S+, port \d+")
_SERVER_3 = re.compile(r"Server listening on \d+")
_SCALES = {"": 1e-6, "K": 1e-3, "M": 1.0, "G": 1e3}
_REMEDY = (
    "give what iperf printed, from its first line on: iperf 2 or 3 on the host (with -J too), or "
    "the device's console"
)


@dataclass(frozen=True, kw_only=True)
class IperfLog:
    """`mbps`: by metric, of the device. `notes`: what was taken to be so."""

    mbps: Mapping[str, float]
    notes: tuple[str, ...]


@dataclass
class _IperfRun:
    metric: str
    offered: bool = False  # the rates are what was sent over UDP, not what came in
    spans: list[tuple[float, float, float]] = field(default_factory=list)  # from, to, Mbit/s
    sums: list[tuple[float, float, float]] = field(default_factory=list)  # of several streams
    came_in: float | None = None  # what the receiver says of the whole run


def read_iperf_log(path: Path) -> IperfLog:
    """InputError: the file cannot be read, or holds no run."""
    remedy = "give the part that has the runs"
    whole = read_whole(path, limit=_MOST_BYTES, what="a log of iperf", remedy=remedy)
    text = whole.data.decode("utf-8", errors="replace")
    notes: list[str] = []
    runs = list(_json_runs(text) if text.lstrip().startswith("{") else _text_runs(text))
    result: dict[str, list[float]] = {}
    for run in runs:
        rate = _rate(run, notes)
        if rate is not None:
            result.setdefault(run.metric, []).append(rate)
    if not result:
        raise InputError(f"{path}: no run of iperf with a rate", remedy=_REMEDY)
    for metric, rates in result.items():
        if len(rates) > 1:
            notes.append(f"{metric}: the median of {len(rates)} runs")
    mbps = {metric: median(rates) for metric, rates in result.items()}
    return IperfLog(mbps=mbps, notes=tuple(dict.fromkeys(notes)))


def _rate(run: _IperfRun, notes: list[str]) -> float | None:
    """None: nothing that tells the throughput."""
    if run.came_in is not None:
        return run.came_in or None
    if run.sums:
        notes.append(f"{run.metric}: several streams at once; predictions are of one")
    spans = run.sums or run.spans
    if run.offered:
        if spans:
            notes.append(
                f"{run.metric}: a run is left aside: the receiver does not report what arrived of "
                f"it"
            )
        return None
    if not spans:
        return None
    parts = [span for span in spans if not _is_whole(span, spans)]
    whole = [span for span in spans if _is_whole(span, spans)]
    if whole:
        return whole[-1][2] or None
    seconds = sum(end - start for start, end, _ in parts)
    if seconds < _LEAST_SECONDS:
        notes.append(f"{run.metric}: a run of {seconds:g} s is left aside as too short")
        return None
    if len(parts) > 1:
        notes.append(f"{run.metric}: a run has no last line; it counts by its {seconds:g} s")
    return sum((end - start) * rate for start, end, rate in parts) / seconds or None


def _is_whole(span: tuple[float, float, float], spans: list[tuple[float, float, float]]) -> bool:
    """The line of the whole run: from 0 to the end, where there are shorter ones."""
    start, end, _ = span
    last = max(each[1] for each in spans)
    shortest = min(each[1] - each[0] for each in spans)
    return start == 0 and end >= 0.9 * last and end - start > 1.5 * shortest


def _text_runs(text: str) -> Iterator[_IperfRun]:
    """Runs in the order of the log."""
    run: _IperfRun | None = None
    third = client = in_report = False
    for line in text.splitlines():
        line = _ESCAPE.sub("", line[:_LONG])
        if built := _begun(line):
            if run is not None:
                yield run
            run, third = built, bool(_CLIENT_3.search(line) or _SERVER_3.search(line))
            client, in_report = bool(_CLIENT_3.search(line)), False
        elif run is None:
            continue
        elif "Reverse mode" in line and third:
            run.metric = run.metric.replace("rx", "tx") if client else run.metric
        elif third and "Datagrams" in line:
            run.metric = run.metric.replace("tcp", "udp")
        elif "Server Report" in line:
            in_report = True
        elif rate := _RATE.search(line):
            _take(run, rate, third=third, in_report=in_report)
            in_report = False
    if run is not None:
        yield run


def _begun(line: str) -> _IperfRun | None:
    if match := _DEVICE.search(line):
        sends = match[2] == "client"
        return _IperfRun(metric=f"{match[1]}_{'tx' if sends else 'rx'}")
    if match := _CLIENT.search(line):
        protocol = match[1].lower()
        return _IperfRun(metric=f"{protocol}_rx", offered=protocol == "udp")
    if match := _SERVER.search(line):
        return _IperfRun(metric=f"{match[1].lower()}_tx")
    if _CLIENT_3.search(line):
        return _IperfRun(metric="tcp_rx")
    return _IperfRun(metric="tcp_tx") if _SERVER_3.search(line) else None


def _take(run: _IperfRun, match: re.Match[str], *, third: bool, in_report: bool) -> None:
    scale = _SCALES[match["unit"]] * (8 if match["what"] == "Bytes" else 1)
    span = (float(match["from"]), float(match["to"]), float(match["rate"]) * scale)
    if in_report or (third and match["tail"].rstrip().endswith("receiver")):
        run.came_in = span[2]
    elif third and match["tail"].rstrip().endswith("sender"):
        return
    elif match["id"] == "SUM":
        run.sums.append(span)
    else:
        run.spans.append(span)


def _json_runs(text: str) -> Iterator[_IperfRun]:
    """The one run of iperf3 -J."""
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError):
        yield from _cut_json(text)
        return
    try:
        test = document["start"]["test_start"]
        end = document.get("end") or {}
        run = _IperfRun(
            metric=_json_metric(
                str(test["protocol"]),
                client="connecting_to" in document["start"],
                reverse=bool(test.get("reverse")),
            )
        )
        received = (end.get("sum_received") or {}).get("bits_per_second")
        if received is None and run.metric.startswith("udp"):
            whole = end.get("sum") or {}
            received = whole.get("bits_per_second", 0.0)
            received *= 1 - float(whole.get("lost_percent") or 0.0) / 100
        if received:
            run.came_in = float(received) * 1e-6
        else:
            for each in document.get("intervals") or ():
                of = each["sum"]
                rate = float(of["bits_per_second"]) * 1e-6
                run.spans.append((float(of["start"]), float(of["end"]), rate))
    except (KeyError, TypeError, AttributeError, ValueError):
        return
    yield run


_JSON_SUM = re.compile(
    r'"sum":\s*\{\s*"start":\s*([0-9.e+-]+),\s*"end":\s*([0-9.e+-]+),[^}]*?'
    r'"bits_per_second":\s*([0-9.e+-]+)'
)


def _cut_json(text: str) -> Iterator[_IperfRun]:
    """The seconds of a document that was cut off."""
    protocol = re.search(r'"protocol":\s*"(TCP|UDP)"', text)
    if protocol is None:
        return
    reverse = re.search(r'"reverse":\s*(\d)', text)
    run = _IperfRun(
        metric=_json_metric(
            protocol[1],
            client='"connecting_to"' in text,
            reverse=reverse is not None and reverse[1] == "1",
        )
    )
    run.offered = run.metric == "udp_rx" and '"connecting_to"' in text
    for start, end, rate in _JSON_SUM.findall(text):
        try:
            run.spans.append((float(start), float(end), float(rate) * 1e-6))
        except ValueError:
            continue
    yield run


def _json_metric(protocol: str, *, client: bool, reverse: bool) -> str:
    """The host sends as a client, and receives as a server; reverse swaps them."""
    host_sends = client != reverse
    return f"{protocol.lower()}_{'rx' if host_sends else 'tx'}"
