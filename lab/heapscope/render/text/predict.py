"""A prediction on a terminal: figures, RAM part by part, and what each prediction rests on."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.base.wording import digits, known_digits, plural
from heapscope.forecast.predict.forecast import Band, Forecast
from heapscope.forecast.predict.memory_part import MemoryPart
from heapscope.forecast.predict.prediction import Prediction
from heapscope.forecast.predict.trace_fit import TraceFit
from heapscope.render.text import tables
from heapscope.render.text.table import Cell, CellText, Column, Table, headed
from heapscope.render.text.terminal import Folded
from heapscope.simulation.result.result import ReplayResult

#: Rows of the table of parts.
PARTS = 10
METRIC_NAMES = {
    "tcp_tx": "TCP sent",
    "tcp_rx": "TCP received",
    "udp_tx": "UDP sent",
    "udp_rx": "UDP received",
}


def prediction_parts(prediction: Prediction) -> Iterator[RenderableType]:
    yield from _forecast(prediction)
    if prediction.replay is not None:
        yield from _replayed(prediction.replay, prediction.trace_fit)


def _forecast(forecast: Forecast) -> Iterator[RenderableType]:
    yield Text(_headline(forecast), style="bold")
    for note in forecast.notes:
        yield Text(note, style="dim")
    for sentence in forecast.broken_limits:
        yield Text(f"Wi-Fi: {sentence}", style="yellow")
    yield from _tables(forecast)
    sentences = tuple(Text(sentence, style="dim") for sentence in _limits(forecast))
    if sentences:
        yield Folded(
            parts=sentences, sentence=f"{plural(len(sentences), 'sentence')} on limits and sources"
        )


def _limits(forecast: Forecast) -> Iterator[str]:
    for mode in forecast.power_save:
        yield from (f"{mode.mode}: {note}" for note in mode.notes)
    yield from (f"power save: {statement.say}" for statement in forecast.power_statements)
    kept = (each for each in forecast.wifi_limits if each not in forecast.broken_limits)
    yield from (f"Wi-Fi: {sentence}" for sentence in kept)
    yield from forecast.rests_on


def _cpu(scaling: bool | None) -> str:
    """The state of the CPU while the radio is off."""
    return "sleeps" if scaling is None else "slower" if scaling else "at its clock"


def _headline(forecast: Forecast) -> str:
    place = forecast.environment
    where = place.place
    if place.round_trip_ms:
        where += f", {place.round_trip_ms:g} ms more round trip"
    if place.loss:
        where += f", {100 * place.loss:g} % loss"
    of = f"{forecast.chip}, ESP-IDF {forecast.sdk}, {where}: "
    if forecast.left.median < 0:
        low, high = sorted((-forecast.left.high_80, -forecast.left.low_80))
        return (
            f"{of}it does not fit: {-forecast.left.median / 1024:,.0f} KB are missing when all is "
            f"at work (80 %: {low / 1024:,.0f} to {high / 1024:,.0f})"
        )
    return (
        f"{of}{forecast.left.median / 1024:,.0f} KB are left when all is at work "
        f"(80 %: {forecast.left.low_80 / 1024:,.0f} to {forecast.left.high_80 / 1024:,.0f})"
    )


def _tables(forecast: Forecast) -> Iterator[Table]:
    if forecast.throughput_mbps:
        yield Table(
            title="Wi-Fi throughput, one stream, Mbit/s",
            columns=headed("", "#median", "#80 % from", "#80 % to", "#95 % from", "#95 % to"),
            rows=tuple(_band_rows(forecast)),
        )
    yield Table(
        title="Free memory by state, bytes",
        columns=headed("State", "#DRAM", "#80 % from", "#80 % to", "#IRAM", "#PSRAM"),
        rows=(*_state_rows(forecast),),
    )
    yield _part_table(forecast)
    if not forecast.power_save:
        return
    yield Table(
        title="Power save",
        columns=headed("Mode", "#radio on %", "#worst delay ms", "#broadcast heard %, at most"),
        rows=tuple(
            (
                mode.mode,
                f"{'at most ' * mode.at_best}{100 * mode.radio_on:.1f}",
                "never"
                if mode.worst_delay_ms is None
                else f"{'at least ' * mode.at_best}{mode.worst_delay_ms:,.0f}",
                f"{100 * mode.broadcast_heard:.0f}",
            )
            for mode in forecast.power_save
        ),
    )
    if forecast.sleep_current:
        yield Table(
            title="Mean current of an idle station, mA",
            columns=headed("Sleep", "CPU", "Mode", "#median", "#80 % from", "#80 % to"),
            rows=tuple(
                (
                    f"{each.sleep}, {each.band_ghz} GHz",
                    _cpu(each.scaling),
                    each.mode,
                    *(digits(value) for value in (each.median, each.low_80, each.high_80)),
                )
                for each in forecast.sleep_current
            ),
        )


def _state_rows(forecast: Forecast) -> Iterator[tuple[str, ...]]:
    for state, free in forecast.states.items():
        bands = (free.dram.median, free.dram.low_80, free.dram.high_80)
        values = (*bands, free.iram.median, free.psram.median)
        yield (state, *(f"{value:,}" for value in values))
    left = forecast.left
    bytes_left = (left.median, left.low_80, left.high_80)
    yield ("all at work", *(f"{round(value):,}" for value in bytes_left), "-", "-")


def _band_rows(forecast: Forecast) -> Iterator[tuple[str, ...]]:
    for metric, band in forecast.throughput_mbps.items():
        yield (METRIC_NAMES[metric], *_figures(band, 1))
    for metric, band in forecast.streams_mbps.items():
        yield (f"{METRIC_NAMES[metric]}, all streams", *_figures(band, 1))
    if forecast.tls_1mb is not None:
        tls = forecast.tls_1mb
        seconds = (f"{value:.1f}" for value in (tls.seconds, tls.low_80, tls.high_80))
        yield ("1 MB over TLS, s", *seconds, "-", "-")


def _figures(band: Band, digits: int) -> Iterator[str]:
    values = (band.median, band.low_80, band.high_80, band.low_95, band.high_95)
    return (f"{value:,.{digits}f}" for value in values)


def _part_table(forecast: Forecast) -> Table:
    """The parts that options decide come first, the largest at the head."""
    parts = sorted(forecast.parts, key=lambda part: (not part.options, -part.bytes))
    return Table(
        title="RAM that the configuration asks for, bytes: first what options change",
        columns=(
            *headed("Part", "From"),
            Column(heading="Kind", words=True, wide=True),
            Column(heading="bytes", rest="sum"),
            *headed("#±", "Option"),
        ),
        rows=tuple(map(_part_row, parts)),
        most=PARTS,
    )


def _part_row(part: MemoryPart) -> tuple[Cell, ...]:
    count = f", {part.count}" if part.count > 1 else ""
    doubt = part.half_80 or 0
    more = f" +{len(part.options) - 1}" if len(part.options) > 1 else ""
    return (
        f"{part.component}: {part.what}{count}",
        part.state,
        part.kind,
        CellText(f"{known_digits(part.bytes, doubt):,}", part.bytes),
        f"{known_digits(doubt, doubt):,}" if doubt else "-",
        f"{part.options[0]}{more}" if part.options else "-",
    )


def _replayed(result: ReplayResult, fit: TraceFit | None) -> Iterator[RenderableType]:
    """The trace against the predicted memory at its lower bound, then on the median of it, beside
    the system's blocks. `fit` None: events of the trace are lost."""
    yield Text()
    if fit is None:
        text = "Whether the trace fits is not known: events of it are lost."
        yield Text(text, style="bold yellow")
    else:
        yield Text(fit.sentence(), "bold green" if fit.met and not fit.unmet else "bold red")
    yield Text()
    yield Text("The trace beside the system's blocks, with the median left to it", style="bold")
    yield from map(Text, result.verdict.sentences)
    yield tables.tasks(result)
