"""DHAT: the JSON that Valgrind's dh_view reads, file version 2.

The fields are those of a file that Valgrind 3.19 writes; what dh_view takes of it was tried with
its own page. Blocks have lifetimes here, but no accesses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from heapscope.base.output import Write
from heapscope.capture.export.exporter import Context, Exporter, Finish
from heapscope.capture.export.json_events import dump
from heapscope.capture.export.overview import Overview
from heapscope.capture.export.stacks import Stack, stacks
from heapscope.native.export import Keep
from heapscope.trace.metadata import PROGRAM

_VERSION = 2
_SHORT = 500  # a mean lifetime up to this shows as short, as in Valgrind's own files
_MICRO = 1_000_000


class Dhat(Exporter):
    names_first = False
    keep = Keep.PROFILE

    def begin(self, context: Context, write: Write) -> None:
        self._trace = context.trace

    def end(self, finish: Finish, write: Write) -> None:
        known, clock = finish.overview, _clock(finish.overview)
        # A stack of which every request failed has nothing that a mean could be taken of.
        results = [stack for stack in stacks(finish) if stack.figures["total_blocks"]]
        frames = {"[root]": 0}
        for stack in results:
            for frame in stack.frames:
                frames.setdefault(frame, len(frames))
        began = known.census.first_time if clock.by_time else 0
        end, peak = finish.peak.end_event, finish.peak.event or 0
        if clock.by_time:
            end, peak = finish.peak.end_time - began, max(0, finish.peak.time - began)
        head = {
            "dhatFileVersion": _VERSION,
            "mode": "heap",
            "verb": "Allocated",
            "bklt": True,
            "bkacc": False,
            "tu": clock.unit,
            "Mtu": clock.million,
            "tuth": _SHORT,
            "cmd": known.metadata.get(PROGRAM) or self._trace,
            "pid": 0,
            "te": max(1, clock.scaled(end)),
            "tg": clock.scaled(peak),
        }
        points = [_point(stack, frames, clock) for stack in results]
        write(dump(head | {"pps": points, "ftbl": list(frames)}).encode() + b"\n")


@dataclass(frozen=True, kw_only=True)
class _Clock:
    """The unit of time of a file, and from what it comes."""

    by_time: bool  # ticks; otherwise heap events
    unit: str
    million: str
    hz: int = _MICRO

    def scaled(self, ticks: int) -> int:
        return ticks * _MICRO // self.hz


def _clock(known: Overview) -> _Clock:
    if not known.has_clock:
        return _Clock(by_time=False, unit="events", million="Mevents")
    if known.clock_hz is None:
        return _Clock(by_time=True, unit="ticks", million="Mticks")
    return _Clock(by_time=True, unit="µs", million="s", hz=known.clock_hz)


def _point(stack: Stack, frames: dict[str, int], clock: _Clock) -> dict[str, Any]:
    """dh_view wants the innermost frame first."""
    figures = stack.figures
    return {
        "tb": figures["total"],
        "tbk": figures["total_blocks"],
        "tl": clock.scaled(figures["life_time" if clock.by_time else "life_events"]),
        "mb": figures["peak"],
        "mbk": figures["peak_blocks"],
        "gb": figures["at_peak"],
        "gbk": figures["at_peak_blocks"],
        "eb": figures["live"],
        "ebk": figures["live_blocks"],
        "fs": [frames[frame] for frame in reversed(stack.frames)],
    }
