"""A prediction, and the trace that was tried on the memory it leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from heapscope.measure.result import ReplayResult
from heapscope.predict.forecast import Forecast
from heapscope.tune.trace_fit import TraceFit
from heapscope.verb_result import VerbResult

__all__ = ["Prediction"]


@dataclass(frozen=True, kw_only=True)
class Prediction(VerbResult):
    """`replay`: the trace on the chip's whole heap; None: no trace was given. `trace_fit`: the
    trace against the predicted memory; None too where events of it are lost."""

    forecast: Forecast
    replay: ReplayResult | None = None
    trace_fit: TraceFit | None = None

    main_table: ClassVar[str] = "parts"

    def to_json(self) -> dict[str, Any]:
        return self.forecast.to_json() | {
            "trace_fit": None if self.trace_fit is None else self.trace_fit.to_json(),
            "replay": None if self.replay is None else self.replay.to_json(),
        }
