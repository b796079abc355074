"""A prediction, and the trace that was tried on the memory it leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from heapscope.measure.result import ReplayResult
from heapscope.predict.environment import Environment
from heapscope.predict.forecast import BandRow, Forecast
from heapscope.predict.parts import MemoryPart
from heapscope.predict.power_save import PowerSave
from heapscope.predict.tls_time import TlsTime
from heapscope.rows.figure import figure
from heapscope.rows.row import Document, Row
from heapscope.tune.trace_fit import TraceFit
from heapscope.verb_result import VerbResult


class ThroughputRow(Row):
    """The throughput of one stream, by protocol and direction."""

    tcp_tx: BandRow = figure("TCP sent.", "Mbit/s")
    tcp_rx: BandRow = figure("TCP received.", "Mbit/s")
    udp_tx: BandRow = figure("UDP sent.", "Mbit/s")
    udp_rx: BandRow = figure("UDP received.", "Mbit/s")


class PredictionDocument(Document):
    """The needs of a configuration and the figures that it gives. Throughputs are in Mbit/s,
    available memory is in KB (1024 bytes), parts are in bytes."""

    VERB = "predict"
    VERSION = 2

    chip: str = figure("The chip of the configuration.")
    sdk: str = figure("The ESP-IDF version whose options and layout were taken.")
    psram: str = figure("The kind of the PSRAM.", choices=("none", "quad", "octal"))
    environment: Environment = figure("The place where the device will be.")
    throughput_mbps: ThroughputRow = figure("The throughput of one stream.", "Mbit/s")
    available_kb: BandRow = figure(
        "The memory that is left at the busiest in a program that does nothing else.", "KB"
    )
    left_kb: BandRow | None = figure(
        "The available memory less TLS sessions and Bluetooth; null: there are none.", "KB"
    )
    tls_1mb: TlsTime | None = figure(
        "The time to receive 1 MB over TLS; null: no TLS session was asked for."
    )
    power_save: tuple[PowerSave, ...] = figure("The modes of power save.")
    rests_on: tuple[str, ...] = figure(
        "The sources, rows and SDK generation of each prediction, in sentences.", entries=(1, None)
    )
    notes: tuple[str, ...] = figure("The sentences that limit the worth of the prediction.")
    parts: tuple[MemoryPart, ...] = figure("The memory that the configuration asks for, by part.")
    trace_fit: TraceFit | None = figure(
        "With --trace: the trace against the memory that this configuration is predicted to "
        "leave; null: there was no trace, or events of it are lost."
    )
    replay: ReplayResult | None = figure(
        "With --trace: the trace alone on the chip's whole heap, as replay.schema.json says. The "
        "memory that Wi-Fi, lwIP and the SDK's tasks take is not taken off. null: there was no "
        "trace."
    )


@dataclass(frozen=True, kw_only=True)
class Prediction(VerbResult):
    """`replay`: the trace on the chip's whole heap; None: no trace was given. `trace_fit`: the
    trace against the predicted memory; None too where events of it are lost."""

    forecast: Forecast
    replay: ReplayResult | None = None
    trace_fit: TraceFit | None = None

    main_table: ClassVar[str] = "parts"

    def to_json(self) -> dict[str, Any]:
        found = self.forecast
        rates = {metric: band.row(2) for metric, band in found.throughput.items()}
        return PredictionDocument(
            chip=found.config.chip,
            sdk=found.config.sdk,
            psram=found.knobs.psram,
            environment=found.environment,
            throughput_mbps=ThroughputRow(**rates),
            available_kb=found.available.row(1),
            left_kb=None if found.left is None else found.left.row(1),
            tls_1mb=found.tls,
            power_save=found.power_save,
            rests_on=found.rests_on,
            notes=found.notes,
            parts=found.parts,
            trace_fit=self.trace_fit,
            replay=self.replay,
        ).to_json()
