"""Collapsed stacks: "task;frame;frame BYTES", one a line, as flame graph programs read them."""

from __future__ import annotations

from heapscope.base.output import Write
from heapscope.capture.export.exporter import Exporter, Finish
from heapscope.capture.export.stacks import stacks
from heapscope.native.export import Keep

#: The choices of --weight, and the figure of a profile that each means.
WEIGHTS = {"peak": "at_peak", "total": "total", "leaked": "live"}


class Collapsed(Exporter):
    names_first = False
    keep = Keep.PROFILE

    def __init__(self, weight: str) -> None:
        self._figure = WEIGHTS[weight]

    def end(self, finish: Finish, write: Write) -> None:
        for stack in stacks(finish):
            if weight := stack.figures[self._figure]:
                # Only a task's name can have one left: in a site's it parts the frames.
                frames = [frame.replace(";", ":") for frame in stack.frames]
                write(f"{';'.join(frames)} {weight}\n".encode())
