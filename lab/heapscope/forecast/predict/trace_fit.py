"""Does what a program allocates fit into the memory that a configuration is predicted to leave it?
The same judgement as tune's, of one configuration as it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.forecast.predict.least_memory import LeastMemory
from heapscope.forecast.predict.system_layout import SystemMemory


class TraceFit(Row):
    """The trace against the memory that the configuration is predicted to leave to the program."""

    trace: str = figure("The file of the trace.")
    fits_from_kb: float = figure(
        "The least memory left to the program from which the trace survives.", "KB"
    )
    left_kb: float = figure(
        "The memory that Wi-Fi, lwIP and the SDK's tasks are predicted to leave to the program, "
        "less the memory that Bluetooth takes: the median.",
        "KB",
    )
    held_kb: float = figure("The same memory at the lower bound of the 80 % band.", "KB")
    met: bool = figure(
        "The trace survives on held_kb, and on no less than fits_from_kb; tune judges it the "
        "same way."
    )
    unmet: int = figure(
        "Requests that fail in all memory that the system leaves of the chip's; they are left "
        "aside.",
        "requests",
    )
    minimum_free: int = figure("The least that malloc had free with held_kb left.", "B")
    largest_min: int = figure("The least that its largest block was with held_kb left.", "B")
    replays: int = figure("Replays that the judgement took.", "replays", least=1)

    def sentence(self) -> str:
        """Names the memory that each figure is about."""
        name = Path(self.trace).name
        text = (
            f"{name} needs {self.fits_from_kb:.2f} KB of the memory that Wi-Fi, lwIP and the SDK's "
            f"tasks leave to the program. {self.held_kb:.2f} KB of that are predicted at the "
            f"lower bound of the 80 % band ({self.left_kb:.2f} KB at the median): "
        )
        if self.met:
            text += "met."
        elif self.held_kb < self.fits_from_kb:
            text += f"not met, {self.fits_from_kb - self.held_kb:.2f} KB are missing."
        else:
            text += "not met, requests fail on exactly so much."
        if self.unmet:
            text += f" {self.unmet:,} of its requests fail even in all that the system leaves."
        return text


def trace_fit(
    trace: Path,
    system: SystemMemory,
    *,
    progress: Callable[[int], None] = lambda done: None,
) -> TraceFit:
    """InputError: the trace cannot be used."""
    memory = LeastMemory(trace=trace, system=system, progress=progress)
    least, held_kb = memory.least(), system.held / 1024
    met = held_kb >= least and memory.survives(held_kb)
    return TraceFit(
        trace=str(trace),
        fits_from_kb=least,
        left_kb=round(system.left / 1024, 2),
        held_kb=round(held_kb, 2),
        met=met,
        unmet=memory.unmet or 0,
        minimum_free=memory.at(held_kb).sets[0].minimum_free,
        largest_min=memory.largest(held_kb),
        replays=memory.replays,
    )
