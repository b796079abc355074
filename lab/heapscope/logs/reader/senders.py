"""Whether the figures of a log are those of two devices: lines that are alike but for a name, with
clocks, minima or figures of their own; or lines that are alike, of two clocks or minima."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median

from heapscope.base.printable import printable
from heapscope.logs.reader.late_lines import late_are_others
from heapscope.memory.layout.uptimes import LateLines
from heapscope.native.log import Fact

_KINDS_MOST = 16  # kinds of lines that are distinguished
_KEPT = 64  # lines of each that are compared, the last ones
_HELD = 512  # the same, where few are late
_ALL = 1024  # lines that are all taken
_OF_MANY = 16  # beyond, one of so many runs of lines is taken
_LEAST = 2  # lines of each device
_TURNS = 3  # times that they take turns
_SELDOM = 3  # of so many lines of one device one goes back in time, at most
_BACK = 2  # times that a clock or a minimum goes the wrong way
_APART = 4  # times as far apart as each goes by itself
_APART_NAMED = 2  # the same, where the name is one of a device
_OFTEN = 6  # times that lines of one time differ
_SAME_MS = 2000
_CORES_MS = 1000  # by which lines of two cores may be out of order
_FAR = 20  # a share of what is free
_ALONE = 6  # lines that differ in no name
_LABEL = 4  # words of a name, at most
_FIGURES = ("free", "largest", "min", "used", "total")
_ID = (
    "device|dev|node|host|hostname|mac|id|board|unit|station|sensor|addr|ip|name|src|from|instance"
)
#: An address or a numbered device; a number; a word.
_TOKEN = re.compile(
    r"(?P<id>(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b|\d+(?:\.\d+){3}\b"
    rf"|\b(?:{_ID})\W{{0,3}}\d{{1,4}}(?![\w.:-]))"
    r"|(?P<number>(?<![\w/])(?:0x[0-9a-f]+|[+-]?\d[\d.,]*)(?!\d|(?!(?:[kmg]?i?b|[kmghisx]|bytes?|ms|us)\b)[a-z_]))"
    r"|(?P<word>[^\s\"'=:;,|\[\](){}/]+|/)",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?:\b(?:up|uptime|up_?time|time|ms|millis|ticks?|secs?|seconds|ts|t)\W{0,3}|\b[EWIDV] \("
    r"|^\W*\[ *)$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"[\d_#.-]+$")
_IDS = frozenset(_ID.split("|"))
_DEVICES = frozenset(("device", "dev", "host", "hostname", "mac", "board", "instance"))
_ADDRESS = re.compile(r"(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}|\d+(?:\.\d+){3}", re.IGNORECASE)
_TOPIC = re.compile(r"(?:tele|stat)/([^/ ]+)/")  #: of Tasmota
_FUNCTION = re.compile(r"_*[a-z]+[A-Z]")  # "fetchWeather": a phase of one device
_METHODS = frozenset(("get", "post", "put", "head"))
#: Words of the phases, the memories and the components of one device.
_PHASES = frozenset((
    "before", "after", "start", "end", "begin", "done", "pre", "post", "idle", "busy", "during",
    "first", "second", "last", "open", "close", "opened", "closed", "connect", "connected",
    "disconnect", "disconnected", "init", "boot", "setup", "loop", "run", "min", "max", "free",
    "largest", "total", "used", "heap", "internal", "psram", "spiram", "dma", "step", "stage",
    "phase", "core", "cpu", "task", "round", "iteration", "iter", "try", "conn", "connection",
    "slot", "ch", "channel", "screen", "page", "test", "pass", "request", "req", "cycle",
    "ram", "mem", "memory", "dram", "iram", "sram", "int", "ext", "external", "default", "8bit",
    "32bit", "exec", "data", "size", "usage", "current", "avail", "available", "left", "block",
))  # fmt: skip
_COMPONENTS = frozenset((
    "wifi", "wlan", "tls", "ssl", "https", "http", "httpd", "mqtt", "ble", "bt", "bluetooth",
    "nvs", "ota", "lvgl", "gui", "ui", "display", "camera", "audio", "main", "app", "app_main",
    "system", "sys", "sysinfo", "mem", "memory", "ram", "monitor", "stats", "debug", "info",
    "warn", "error", "web", "webserver", "server", "client", "tcp", "udp", "lwip", "ws",
    "websocket", "zigbee", "matter", "chip", "thread", "scheduler", "timer", "uart", "spi", "i2c",
    "sd", "fs", "gc", "arena", "pool", "watchdog", "loop", "download", "upload", "decoder",
))  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Mixture:
    """The figures of a log are not those of one device. `names`: those by which the lines can be
    told apart; `sure`: they cannot be memories or phases of one device, or lines of one that come
    late; `why`: a clause."""

    names: tuple[str, ...] = ()
    sure: bool = True
    why: str = ""

    @property
    def clause(self) -> str:
        """The reason why no state is known."""
        names = " and ".join(map(printable, self.names))
        if not names:
            has, late = ("has", "") if self.sure else ("may have", ", or late lines of one")
            return f"the log {has} figures of two devices{late}: {self.why}"
        if self.sure:
            return f"the log has figures of {len(self.names)} devices, {names}"
        return (
            f"lines that differ in a name alone, {names}, have figures that are far apart, as "
            "those of two devices, or of two memories or phases of one"
        )


@dataclass(frozen=True, slots=True)
class _SentLine:
    order: int
    value: int
    time: int | None
    uptime: int | None
    boot: int
    least: int | None
    total: int | None
    numbers: tuple[float, ...]
    date: int | None  # ms by its words


@dataclass(kw_only=True)
class _Sender:
    reported: tuple[str, ...]  # the figures of its lines
    tokens: tuple[str, ...]
    clocks: tuple[int, ...]  # which of its numbers are times
    held: deque[_SentLine] = field(default_factory=lambda: deque(maxlen=_HELD))

    @property
    def lines(self) -> list[_SentLine]:
        return list(self.held)[-_KEPT:]


class Senders:
    """Takes the lines that state figures of one memory."""

    def __init__(self) -> None:
        self._by: dict[tuple[tuple[str, ...], ...], _Sender] = {}
        self._named: dict[str, None] = {}  # by a column of a table, or the host of a system log
        self._seen = self._order = 0
        self._judged: tuple[int, Mixture | None] = 0, None  # after so many lines

    def take(self, fact: Fact, boot: int) -> None:
        self._seen += 1
        if self._seen > _ALL and self._seen // _KEPT % _OF_MANY:
            return  # of a long log, lines that stand together here and there
        reported = tuple(name for name in _FIGURES if getattr(fact, name) is not None)
        if not reported or fact.pattern:
            return
        topic = _TOPIC.match(fact.quote)
        name = topic[1] if topic else fact.name if fact.kind == "figures" else ""
        if name:
            self._named.setdefault(name)
        tokens, numbers, clocks = _parts(fact.quote)
        sender = self._by.get((reported, tokens))
        if sender is None:
            if len(self._by) == _KINDS_MOST:
                return
            sender = _Sender(reported=reported, tokens=tokens, clocks=clocks)
            self._by[reported, tokens] = sender
        self._order += 1
        time = fact.clock if fact.clock is not None else fact.uptime
        value = getattr(fact, reported[0])
        line = _SentLine(
            self._order, value, time, fact.uptime, boot, fact.min, fact.total, numbers, fact.time
        )  # fmt: skip
        sender.held.append(line)

    def mixture(self) -> Mixture | None:
        """None: they are those of one device, as far as can be seen."""
        if self._judged[0] != self._order:
            self._judged = self._order, self._judge()
        return self._judged[1]

    def _judge(self) -> Mixture | None:
        if len(self._named) > 1:
            return Mixture(names=tuple(self._named))
        senders = [one for one in self._by.values() if len(one.lines) >= _LEAST]
        for index, one in enumerate(senders):
            pairs = (_compare(one, other) for other in senders[index + 1 :])
            results = [result for result in pairs if result is not None]
            if results:
                names = dict.fromkeys(name for result in results for name in result.names)
                return replace(results[0], names=tuple(names))
        return next((why for one in senders if (why := _alone(one))), None)


def device_of_line(fact: Fact, names: Sequence[str]) -> str:
    """Which of the names of a mixture the line has; empty: none."""
    topic = _TOPIC.match(fact.quote)
    name = topic[1] if topic else fact.name
    if name in names:
        return name
    tokens, numbers, _ = _parts(fact.quote)
    if tokens[:1] == ("#",) and numbers and f"{numbers[0]:g}" in names:
        return f"{numbers[0]:g}"
    words = f" {' '.join(tokens)} "
    return next((one for one in names if f" {one} " in words), "")


def _parts(quote: str) -> tuple[tuple[str, ...], tuple[float, ...], tuple[int, ...]]:
    """The words of a line, its numbers, and which of those are times."""
    tokens: list[str] = []
    numbers: list[float] = []
    clocks: list[int] = []
    for match in _TOKEN.finditer(quote):
        if match["number"] is None:
            tokens.append(match[0])
            continue
        tokens.append("#")
        if _CLOCK.search(quote, max(match.start() - 12, 0), match.start()):
            clocks.append(len(numbers))
        text = match[0].rstrip(".,").replace(",", "")
        numbers.append(float(text) if text.count(".") < 2 and text[:2] != "0x" else 0.0)
    return tuple(tokens), tuple(numbers), tuple(clocks)


# ---- lines that differ in a name -----------------------------------------------------------------


def _compare(one: _Sender, other: _Sender) -> Mixture | None:
    label = _label(one.tokens, other.tokens) if one.reported == other.reported else None
    merged = sorted([*one.lines, *other.lines], key=lambda line: line.order)
    mine = {line.order for line in one.lines}
    turns = [(a, b) for a, b in pairwise(merged) if (a.order in mine) != (b.order in mine)]
    if label is None or len(turns) < _TURNS:
        return None
    if one.clocks == other.clocks and _clocks_apart(one, other, merged):
        return Mixture(names=label.names)
    times = _APART_NAMED if label.is_device else _APART
    steps = [abs(a.value - b.value) for part in (one.lines, other.lines) for a, b in pairwise(part)]
    figures = _are_together(turns, steps) or _figures_apart(turns, steps, times)
    if (label.is_name and figures) or _constants_apart(one, other, merged):
        return Mixture(names=label.names, sure=label.is_device)
    return None


@dataclass(frozen=True, kw_only=True)
class _Label:
    """The words that tell two lines apart. `is_name`: they can be the names of devices;
    `is_device`: they can hardly be anything else."""

    names: tuple[str, str]
    is_name: bool
    is_device: bool


def _label(one: Sequence[str], other: Sequence[str]) -> _Label | None:
    """None: the lines differ in more, or in a word of a phase or of a memory."""
    least, start, end = min(len(one), len(other)), 0, 0
    while start < least and one[start] == other[start]:
        start += 1
    while end < least - start and one[-1 - end] == other[-1 - end]:
        end += 1
    labels = one[start : len(one) - end], other[start : len(other) - end]
    words = {_NUMBERED.sub("", word.lower()) for label in labels for word in label}
    if not all(0 < len(label) <= _LABEL and "#" not in label for label in labels):
        return None
    if words & _PHASES:
        return None
    before = one[start - 1].lower() if start else ""
    behind = one[len(one) - end] if end else ""
    first, second = (" ".join(label) for label in labels)
    numbered = any(char.isdigit() for char in first) or _alike(first, second)
    leads = all(_is_before_names(word) for word in one[:start])
    topic = before == behind == "/" and one[0].lower() not in _METHODS
    device = before in _DEVICES or topic or (leads and _ADDRESS.fullmatch(first) is not None)
    parts = words <= _COMPONENTS or any(_FUNCTION.match(one) for one in (first, second))
    named = leads or before in _IDS or "/" in (before, behind)
    return _Label(
        names=(first, second),
        is_name=numbered or (named and not parts),
        is_device=device or (numbered and not parts),
    )


def _is_before_names(word: str) -> bool:
    """A number, a part of a time, a level."""
    return len(word) <= 2 or not word.isalpha() or word.lower() in ("uptime", "time", "millis")


def _alike(name: str, other: str) -> bool:
    """ "devA" and "devB"."""
    return len(name) == len(other) > 2 and name[:-1] == other[:-1]


def _clocks_apart(one: _Sender, other: _Sender, merged: Sequence[_SentLine]) -> bool:
    """A time goes on in the lines of each, and goes back from one to the other."""
    readers: list[Callable[[_SentLine], float | None]] = [lambda line: line.uptime]
    readers += [lambda line, at=at: line.numbers[at] for at in one.clocks]  # type: ignore[misc]
    return any(
        _rises([read(line) for line in one.lines])
        and _rises([read(line) for line in other.lines])
        and _backs([read(line) for line in merged]) >= _BACK
        for read in readers
    )


def _rises(values: Sequence[float | None]) -> bool:
    known = [value for value in values if value is not None]
    return len(known) == len(values) and all(b > a for a, b in pairwise(known))


def _backs(values: Sequence[float | None]) -> int:
    return sum(b < a for a, b in pairwise(values) if a is not None and b is not None)


def _constants_apart(one: _Sender, other: _Sender, merged: Sequence[_SentLine]) -> bool:
    """The minimum never rises, or the total never changes, in the lines of each; in all it does."""
    if len({line.boot for line in merged}) > 1:
        return False
    for name in ("least", "total"):
        kinds = [[getattr(line, name) for line in part] for part in (one.lines, other.lines)]
        if any(None in values for values in kinds):
            continue
        whole = [-getattr(line, name) for line in merged]
        falls = all(_backs([-v for v in values]) == 0 for values in kinds)
        steady = name == "least" or all(len(set(values)) == 1 for values in kinds)
        if falls and steady and _backs(whole) >= _BACK:
            return True
    return False


def _are_together(turns: Sequence[tuple[_SentLine, _SentLine]], steps: Sequence[int]) -> bool:
    """Lines of one time have figures that differ by more than one device's can: by a part of what
    is free, or again and again by as much as each goes from time to time. `steps`: those."""
    pairs = [
        (abs(a.value - b.value), b.value)
        for a, b in turns
        if a.time is not None and b.time is not None and abs(a.time - b.time) <= _SAME_MS
    ]
    far = sum(apart * _FAR > value for apart, value in pairs)
    if len(pairs) < _TURNS or far * 5 >= len(pairs) * 4:
        return len(pairs) >= _TURNS
    usual = median(apart for apart, _ in pairs)
    return len(pairs) >= _OFTEN and usual * 2 >= median(steps) and usual * _FAR * 3 > pairs[-1][1]


def _figures_apart(
    turns: Sequence[tuple[_SentLine, _SentLine]], steps: Sequence[int], times: int
) -> bool:
    """From a line to one of the other it is much farther than to the next of its own."""
    return median(abs(a.value - b.value) for a, b in turns) > times * median(steps)


# ---- lines that differ in numbers alone ----------------------------------------------------------


def _alone(sender: _Sender) -> Mixture | None:
    boot = sender.lines[-1].boot
    lines = [line for line in sender.lines if line.boot == boot]
    least = [-line.least for line in lines if line.least is not None]
    clocks = [[line.numbers[at] for line in lines] for at in sender.clocks]
    dates = [float(line.date) for line in lines if line.date is not None]
    clocks += [dates] if len(dates) == len(lines) else []
    backs = max(map(_backs, clocks), default=0)
    often = backs * _SELDOM >= len(lines)  # late lines of one device are fewer
    if len(least) == len(lines) and _are_two(least):
        why = "the minimum rises and falls, which that of one device does not"
        return Mixture(sure=often or (bool(clocks) and backs == 0), why=why)
    if any(map(_are_two, clocks)):
        return Mixture(sure=often, why="the times go to and fro")
    if backs >= _TURNS and _take_turns(lines):
        return Mixture(sure=often, why="the times go to and fro, and so do the figures")
    numbered = _by_number(sender) if sender.tokens[:1] == ("#",) else None
    return numbered or _late_ones(sender)


def _late_ones(sender: _Sender) -> Mixture | None:
    """Lines of which too few are late for the other rules."""
    boot = sender.held[-1].boot
    lines = [line for line in sender.held if line.boot == boot]
    values = [line.value for line in lines]
    uptimes = [float(line.uptime) for line in lines if line.uptime is not None]
    dates = [float(line.date) for line in lines if line.date is not None]
    clocks = [[line.numbers[at] for line in lines] for at in sender.clocks]
    rows = [(times, 0) for times in (*clocks, dates) if len(times) == len(lines)]
    if len(uptimes) == len(lines):  # of a prefix, which is a number of the line, too
        rows = [(uptimes, _CORES_MS), *(row for row in rows if row[0] != uptimes)]
    for times, least in rows:
        why = late_are_others([*zip(times, values, strict=True)], least=least)
        if why:
            return Mixture(why=why)
    return None


def _by_number(sender: _Sender) -> Mixture | None:
    """Lines that begin with the number of a device."""
    parts: dict[float, _Sender] = {}
    for line in sender.lines:
        key = line.numbers[0]
        if key not in parts:
            parts[key] = replace(
                sender, tokens=(f"{key:g}", *sender.tokens[1:]), held=deque(maxlen=_KEPT)
            )
        parts[key].held.append(line)
    one, other, *more = [*parts.values(), None, None]
    if one is None or other is None or more != [None, None]:
        return None
    return _compare(one, other) if min(len(one.lines), len(other.lines)) >= _LEAST else None


def _take_turns(lines: Sequence[_SentLine]) -> bool:
    """From a line to the next it is much farther than to the one after that."""
    values = [line.value for line in lines]
    next_one = median(abs(b - a) for a, b in pairwise(values))
    return next_one > _APART * median(abs(b - a) for a, b in zip(values, values[2:], strict=False))


def _are_two(values: Sequence[float]) -> bool:
    """Whether they are two rising rows of numbers that take turns, and not one of which some lines
    came late."""
    lasts: list[float] = []
    counts, turns, current = [0, 0], 0, 0
    lines = LateLines()
    for value in values:
        if lines.take(value):
            continue
        rising = [(value - last, index) for index, last in enumerate(lasts) if value >= last]
        if not rising and len(lasts) == 2:
            return False
        if not rising:
            lasts.append(value)
            rising = [(0, len(lasts) - 1)]
        index = min(rising)[1]
        turns += index != current
        lasts[index], current = value, index
        counts[index] += 1
    return len(values) >= _ALONE and min(counts) >= _LEAST and turns >= _TURNS
