"""Recorded traces, cut at their marks into parts that a week is composed of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import numpy as np

from heapscope.native.events import keep_events, take_events
from heapscope.native.reader import NameTable, NativeReader
from heapscope.native.steps import NativeSteps
from heapscope.trace.feed import read_trace
from heapscope_studies.captured import captured_trace

BASE = 0x3F80_0000  #: of external RAM on the ESP32
JOBS = ("minute", "collection", "json", "cbor")

SCRIPT, TLS, NETWORK = "script_week", "tls228_rsa_16k_2k", "tls_net_default"
MARK = 7  # hs_event_kind_t


@dataclass(frozen=True, kw_only=True)
class Part:
    """A run of heap events; `name` is the mark's before it."""

    name: str
    first: int
    count: int


@dataclass(frozen=True, kw_only=True)
class Recorded:
    steps: NativeSteps
    parts: tuple[Part, ...]  # all of the trace, in order; the first is what was before all marks
    tasks: tuple[str, ...]

    def named(self, start: str) -> tuple[Part, ...]:
        """The parts whose names begin so."""
        return tuple(part for part in self.parts if part.name.startswith(start))

    def until(self, start: str) -> Part:
        """All that comes before the first part of this name."""
        return Part(name="start", first=0, count=self.named(start)[0].first)

    def mask(self, task: str) -> int:
        return 1 << self.tasks.index(task)


@dataclass(frozen=True, kw_only=True)
class Tenants:
    """Who shares the heap: the script with the application's settings, a TLS client, and the
    network's tasks during a session."""

    script: Recorded
    tls: Recorded
    network: Recorded

    def job(self, kind: str) -> tuple[Part, ...]:
        return self.script.named(f"{kind} ")

    def connections(self) -> tuple[Part, ...]:
        """From one connection to the next, exchanges and close included."""
        starts = [part.first for part in self.tls.named("connect ")]
        last = self.tls.parts[-1]
        ends = [*starts[1:], last.first + last.count]
        return tuple(
            Part(name="connection", first=first, count=end - first)
            for first, end in zip(starts, ends, strict=True)
        )

    def session(self) -> Part:
        last = self.network.parts[-1]
        return Part(name="session", first=0, count=last.first + last.count)


@contextmanager
def open_tenants() -> Iterator[Tenants]:
    """InputError: this installation lacks a trace."""
    with ExitStack() as stack:
        yield Tenants(
            script=read_parts(SCRIPT, stack),
            tls=read_parts(TLS, stack),
            network=read_parts(NETWORK, stack),
        )


def read_parts(name: str, stack: ExitStack) -> Recorded:
    steps = stack.enter_context(NativeSteps(BASE))
    with NativeReader() as reader:
        steps.fill_from(reader)
        keep_events(reader)
        read_trace(captured_trace(name), reader)
        events = np.concatenate(list(take_events(reader)))
        marks = reader.names(NameTable.MARK)
        tasks = reader.names(NameTable.TASK)
    is_mark = events["kind"] == MARK
    before = np.cumsum(~is_mark)  # heap events, each of which is one step
    where = np.flatnonzero(is_mark)
    starts = [0, *(int(before[i]) for i in where)]
    names = ["start", *(_text(marks[int(events["key"][i])]) for i in where)]
    ends = [*starts[1:], int(before[-1])]
    return Recorded(
        steps=steps,
        parts=tuple(
            Part(name=name, first=first, count=end - first)
            for name, first, end in zip(names, starts, ends, strict=True)
        ),
        tasks=tuple(_text(tasks.get(index)) for index in range(max(tasks, default=-1) + 1)),
    )


def _text(name: bytes | None) -> str:
    return (name or b"").decode("ascii")
