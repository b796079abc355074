"""speedscope: what each stack held at the peak, allocated in all, and never gave back."""

from __future__ import annotations

from typing import Any

from heapscope.base.output import Write
from heapscope.base.version import __version__
from heapscope.capture.export.exporter import Context, Exporter, Finish
from heapscope.capture.export.json_events import dump
from heapscope.capture.export.stacks import Stack, stacks
from heapscope.native.export import Keep

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_PROFILES = (
    ("at_peak", "live at the peak"),
    ("total", "allocated in all"),
    ("live", "live at the end"),
)


class Speedscope(Exporter):
    names_first = False
    keep = Keep.PROFILE

    def begin(self, context: Context, write: Write) -> None:
        self._trace = context.trace

    def end(self, finish: Finish, write: Write) -> None:
        result = stacks(finish)
        frames: dict[str, int] = {}
        for stack in result:
            for frame in stack.frames:
                frames.setdefault(frame, len(frames))
        document = {
            "$schema": _SCHEMA,
            "exporter": f"heapscope {__version__}",
            "name": self._trace,
            "activeProfileIndex": 0,
            "shared": {"frames": [{"name": name} for name in frames]},
            "profiles": [_profile(result, frames, figure, name) for figure, name in _PROFILES],
        }
        write(dump(document).encode() + b"\n")


def _profile(
    results: list[Stack], frames: dict[str, int], figure: str, name: str
) -> dict[str, Any]:
    weighty = [stack for stack in results if stack.figures[figure]]
    weights = [stack.figures[figure] for stack in weighty]
    return {
        "type": "sampled",
        "name": name,
        "unit": "bytes",
        "startValue": 0,
        "endValue": sum(weights),
        "samples": [[frames[frame] for frame in stack.frames] for stack in weighty],
        "weights": weights,
    }
