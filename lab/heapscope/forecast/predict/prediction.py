"""A prediction, and the trace that was tried on the memory it leaves."""

from __future__ import annotations

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Document
from heapscope.forecast.predict.forecast import Forecast
from heapscope.forecast.predict.trace_fit import TraceFit
from heapscope.simulation.result.result import ReplayResult


class Prediction(Forecast, Document, eq=False):
    """The needs of a configuration and the figures that it gives. Throughputs are in Mbit/s,
    available memory is in KB (1024 bytes), parts are in bytes."""

    VERB = "predict"
    VERSION = 1
    main_table = "parts"

    trace_fit: TraceFit | None = figure(
        "With --trace: the trace against the memory that this configuration is predicted to "
        "leave; null: there was no trace, or events of it are lost.",
        default=None,
    )
    replay: ReplayResult | None = figure(
        "With --trace: the trace on the chip's memory beside the system's blocks, with the median "
        "left to it, as the schema of replay says; `replay --load` gives the same. null: there was "
        "no trace.",
        default=None,
    )
