"""The two readings of a trace that verdicts about its blocks need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from heapscope.answers.leaks.verdict import judge
from heapscope.native.live import ended_lives, holders, live_blocks, watch
from heapscope.native.reader import NativeReader
from heapscope.native.structs import Rows


@dataclass(frozen=True, kw_only=True)
class Stays:
    """`live`: hs_lab_live_row_t of the blocks that are live at the end. `verdicts`:
    hs_lab_leak_row_t by task and site."""

    live: Rows
    verdicts: Rows


def what_stays(push: Callable[[NativeReader], None], events: int) -> Stays:
    """`push`: gives a reader the whole trace, which has so many heap events and none missing."""
    with NativeReader() as second:
        with NativeReader() as first:
            watch(first, 0, events)
            push(first)
            watch(second, 0, events, before=first)
        push(second)
        live = live_blocks(second)
        return Stays(live=live, verdicts=judge(holders(second), ended_lives(second), live))
