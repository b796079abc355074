"""Does what a program allocates fit into the memory that a configuration is predicted to leave it?
The same judgement as a need of tune's, of one configuration as it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from heapscope.config.config import Config
from heapscope.tune.replayed import TraceNeed

__all__ = ["TraceFit", "trace_fit"]


@dataclass(frozen=True, kw_only=True)
class TraceFit:
    """`fits_from_kb`: the least memory from which the trace survives; `left_kb` and `held_kb`: what
    is predicted to be left to the program, the median and the lower bound of the 80 % band, by
    which it is judged. `unmet`: requests that fail in all of the chip's memory, left aside."""

    trace: str
    fits_from_kb: float
    left_kb: float
    held_kb: float
    met: bool
    unmet: int
    replays: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def sentence(self) -> str:
        """Names the memory that each figure is about."""
        name = Path(self.trace).name
        text = (
            f"{name} needs {self.fits_from_kb:.2f} KB of the memory that Wi-Fi, lwIP and the SDK's "
            f"tasks leave to the program. Of that, {self.held_kb:.2f} KB are predicted at the "
            f"lower bound of the 80 % band ({self.left_kb:.2f} KB at the median): "
        )
        if self.met:
            text += "met."
        elif self.held_kb < self.fits_from_kb:
            text += f"not met, {self.fits_from_kb - self.held_kb:.2f} KB are missing."
        else:
            text += "not met, requests fail on exactly so much."
        if self.unmet:
            text += f" {self.unmet:,} of its requests fail even in all of the chip's memory."
        return text


def trace_fit(
    trace: Path,
    config: Config,
    *,
    left_kb: float,
    held_kb: float,
    progress: Callable[[int], None] = lambda done: None,
) -> TraceFit:
    """InputError: the trace cannot be used."""
    need = TraceNeed(trace=trace, config=config, contiguous=0, progress=progress)
    least = need.least()
    met = held_kb >= least and need.survives(held_kb)
    return TraceFit(
        trace=str(trace),
        fits_from_kb=least,
        left_kb=round(left_kb, 2),
        held_kb=round(held_kb, 2),
        met=met,
        unmet=need.unmet or 0,
        replays=need.replays,
    )
