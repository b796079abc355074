"""Traces with everything in them, and a plain model of what their events do."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import numpy as np
import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.cli.schemas import schema_of
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NameTable

ADDRESSES, CLOCK, SITES = 1, 2, 4
MALLOC, CALLOC, ALIGNED, REALLOC, FREE, FAILED, MARK = range(1, 8)

#: Names that every format has to quote, each in its own way.
HOSTILE = ('a,"b"', "net;work", "</script><b>", "=cmd|' /C calc'!A0", "two\nlines", "\u202etxt")
SITE_NAMES = (
    "",
    "main;app_start;json,parse",
    "main;app_start",
    'say "hi"',
    "main;tls\\read",
    "<x>",
)


class Event(NamedTuple):
    kind: int
    key: int = 0
    size: int = 0
    time: int = 0
    task: int = 0
    site: int = 0
    new_key: int = 0
    align_log2: int = 0


class Ran(NamedTuple):
    code: int
    out: bytes
    err: str


Run = Callable[..., Ran]
Write = Callable[..., Path]


@pytest.fixture
def run() -> Run:
    """run("T.hst", "--to", "csv"): how `heapscope export` ended."""

    def run_it(*args: object, verb: str = "export") -> Ran:
        done = CliRunner().invoke(app, [verb, *map(str, args)])
        assert "Traceback" not in done.output
        return Ran(done.exit_code, done.stdout_bytes, done.stderr)

    return run_it


@pytest.fixture
def exported(run: Run) -> Callable[..., bytes]:
    """Runs an export, which succeeds, and returns its standard output."""

    def export(*args: object) -> bytes:
        done = run(*args)
        assert (done.code, done.err) == (0, "")
        return done.out

    return export


@pytest.fixture
def valid() -> Callable[[bytes | str], Any]:
    """Parses a document and checks it against its schema in docs/reference."""

    def check(text: bytes | str) -> Any:
        document = json.loads(text)
        name = "export-result" if document.get("kind") == "result" else "export"
        schema = schema_of(name)
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(document)
        return document

    return check


@pytest.fixture
def write_trace(tmp_path: Path) -> Write:
    """write_trace(events, features=...): a trace file with the names above."""

    def write(
        events: list[Event],
        *,
        features: int = CLOCK | SITES,
        clock_hz: int | None = 1_000_000,
        name: str = "T.hst",
    ) -> Path:
        rows = np.zeros(len(events), dtype=event_dtype())
        for row, event in zip(rows, events, strict=True):
            for column, value in event._asdict().items():
                row[column] = value
        with NativeWriter(features=features) as writer:
            writer.metadata("program", "all of <it>")
            if clock_hz is not None:
                writer.metadata("clock_hz", str(clock_hz))
            for index, text in enumerate(HOSTILE):
                writer.name(NameTable.TASK, index, text.encode())
            for index, text in enumerate(SITE_NAMES):
                if text:
                    writer.name(NameTable.SITE, index, text.encode())
            writer.name(NameTable.MARK, 0, b'begin, "quoted"')
            writer.events(rows)
            writer.finish()
            path = tmp_path / name
            path.write_bytes(b"".join(writer.take()))
        return path

    return write


def story(count: int = 4000, *, seed: int = 1, addresses: bool = False) -> list[Event]:
    """Events of every kind and every oddity: frees of nothing, reallocs of the dead and to 0,
    requests that failed, with addresses also blocks whose free was lost."""
    chance = random.Random(seed)
    events, live, next_id, time = [Event(MARK)], [], 0, 100
    for _ in range(count):
        time += chance.choice((0, 1, 7, 300))
        common = {"time": time, "task": chance.randrange(6), "site": chance.randrange(6)}
        size = chance.choice((0, 1, 24, 100, 1000, 5000)) + chance.randrange(50)
        draw = chance.random()
        if draw < 0.5 or not live:
            kind = chance.choice((MALLOC, MALLOC, CALLOC, ALIGNED))
            fresh = not addresses or chance.random() > 0.05 or not live
            key = (0x1000 + 64 * next_id if addresses else next_id) if fresh else live[0]
            next_id += 1
            align = 5 if kind == ALIGNED else 0
            events.append(Event(kind, key, size, align_log2=align, **common))
            if fresh:
                live.append(key)
        elif draw < 0.62:
            place = chance.randrange(len(live))
            key = live[place]
            new_key = 0x1000 + 64 * next_id if addresses and size else key
            next_id += addresses
            events.append(Event(REALLOC, key, size, new_key=new_key, **common))
            if size == 0:
                live.pop(place)
            else:
                live[place] = new_key
        elif draw < 0.95:
            key = live.pop(chance.randrange(len(live)))
            events.append(Event(FREE, key, time=time, task=common["task"]))
            if chance.random() < 0.02:
                events.append(Event(FREE, key, time=time, task=common["task"]))
                dead = Event(REALLOC, key, 10, new_key=key, **common)
                events += [] if addresses else [dead]
        else:
            failed = chance.choice((MALLOC, CALLOC))
            events.append(Event(FAILED, 0, 100_000 + size, new_key=failed, **common))
    return events


@dataclass
class Site:
    """The allocations of one task at one site."""

    total: int = 0
    total_blocks: int = 0
    live: int = 0
    live_blocks: int = 0
    peak: int = 0
    at_peak: int = 0
    at_peak_blocks: int = 0
    life_time: int = 0
    life_events: int = 0


@dataclass
class Story:
    """The program's own use, worked out one event after the other without any cleverness."""

    sites: dict[tuple[int, int], Site] = field(default_factory=dict)
    live: list[int] = field(default_factory=list)  # after each heap event
    freed: list[int] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)
    tasks: list[dict[int, int]] = field(default_factory=list)  # bytes of each task, after each
    peak: int = 0
    peak_event: int = -1
    peak_time: int = 0

    def __post_init__(self) -> None:
        self._blocks: dict[int, tuple[int, int, int, int, int]] = {}
        self._now = 0

    def tell(self, events: list[Event]) -> Story:
        for event in events:
            if event.kind != MARK:
                self._tell(event, len(self.live))
        last = events[-1].time
        for size, task, site, born, time in self._blocks.values():
            self.sites[task, site].life_time += last - time
            self.sites[task, site].life_events += len(self.live) - born
            assert size >= 0
        return self

    def _tell(self, event: Event, number: int) -> None:
        outcome, freed = "ok", 0
        if event.kind == FAILED:
            outcome = "failed_recorded"
        elif event.kind in (FREE, REALLOC) and event.key not in self._blocks:
            outcome = "unknown"
        else:
            if event.kind in (FREE, REALLOC):
                freed += self._end(event.key, event, number)
            if event.kind != FREE and not (event.kind == REALLOC and event.size == 0):
                key = event.new_key if event.kind == REALLOC else event.key
                freed += self._end(key, event, number) if key in self._blocks else 0
                self._begin(key, event, number)
        self.outcomes.append(outcome)
        self.freed.append(freed)
        self.live.append(self._now)
        by_task: dict[int, int] = {}
        for (task, _), site in self.sites.items():
            by_task[task] = by_task.get(task, 0) + site.live
        self.tasks.append(by_task)
        if self._now > self.peak:
            self.peak, self.peak_event, self.peak_time = self._now, number, event.time
            for site in self.sites.values():
                site.at_peak, site.at_peak_blocks = site.live, site.live_blocks

    def _begin(self, key: int, event: Event, number: int) -> None:
        self._blocks[key] = (event.size, event.task, event.site, number, event.time)
        site = self.sites.setdefault((event.task, event.site), Site())
        site.total += event.size
        site.total_blocks += 1
        site.live += event.size
        site.live_blocks += 1
        site.peak = max(site.peak, site.live)
        self._now += event.size

    def _end(self, key: int, event: Event, number: int) -> int:
        size, task, site_index, born, time = self._blocks.pop(key)
        site = self.sites[task, site_index]
        site.live -= size
        site.live_blocks -= 1
        site.life_time += event.time - time
        site.life_events += number - born
        self._now -= size
        return size
