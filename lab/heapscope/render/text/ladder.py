"""Configurations side by side: the total, what each option gives, and the steps of a staircase."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter

from rich.console import RenderableType
from rich.text import Text

from heapscope.base.wording import plural, signed
from heapscope.forecast.ladder.difference import (
    Difference,
    GainBand,
    Gained,
    Ladder,
    MemoryGain,
    OptionGain,
    ReplayedMemory,
    Rung,
    UnknownOption,
)
from heapscope.render.text.predict import METRIC_NAMES, PARTS
from heapscope.render.text.table import Cell, CellText, Table, change, headed, table_of
from heapscope.render.text.terminal import Folded

_NAMED = 8  # options in a sentence
_VALUE_MAX = 24  # characters of a value
_BUSY = "when everything is at work"
_BAND = ("#DRAM", "#80 % from", "#80 % to")
_OPTION_HEADINGS = ("Option", "before", "after", *_BAND, "#of it static", "#IRAM", "#PSRAM")
_TOTAL = CellText("total", tone="strong")


def ladder_parts(ladder: Ladder) -> Iterator[RenderableType]:
    if len(ladder.steps) == 1:
        yield from _one_step(ladder)
        return
    first, last = ladder.rungs[0], ladder.rungs[-1]
    steps = plural(len(ladder.steps), "step")
    yield Text(f"{first.name} -> {last.name}, {steps}: {_gained(ladder.total)}", style="bold")
    yield from _dim(ladder.notes)
    yield _staircase(ladder)
    yield from _replayed(ladder.replayed)
    yield _levels(ladder.rungs)
    for rung, step in zip(ladder.rungs[1:], ladder.steps, strict=True):
        yield Text()
        yield Text(f"{rung.name}: {_headline(step)}", style="bold")
        yield from _option_tables(step)
        yield from _unknown(step.unknown)
    yield from _dim(ladder.rests_on)


def _one_step(ladder: Ladder) -> Iterator[RenderableType]:
    (before, after), (step,) = ladder.rungs, ladder.steps
    yield Text(f"{before.name} -> {after.name}: {_headline(step)}", style="bold")
    yield from _dim(ladder.notes)
    yield from _option_tables(step)
    yield from _replayed(ladder.replayed)
    yield _levels(ladder.rungs)
    yield _states(step.total)
    yield from _unknown(step.unknown)
    yield from _dim(ladder.rests_on)


def _dim(sentences: Sequence[str]) -> Iterator[Text]:
    return (Text(sentence, style="dim") for sentence in sentences)


def _headline(step: Difference) -> str:
    if step.options:
        return _gained(step.total)
    if step.unknown:
        differ = plural(len(step.unknown), "option")
        return f"{differ} with another value, and what it changes nobody published"
    return "no option has another value in the end"


def _gained(total: Gained) -> str:
    dram = total.left.dram
    if not (dram.low_80 or dram.high_80):
        iram = round(total.left.iram.median)
        more = f", and {signed(iram)} bytes of IRAM {_BUSY}" if iram else ""
        return f"by the parts that are known the same DRAM is free{more}"
    low, high = signed(dram.low_80), signed(dram.high_80)
    if not dram.is_known_gain:
        return (
            f"whether DRAM is gained or lost {_BUSY} is not known: {signed(dram.median)} bytes "
            f"(80 %: {low} to {high})"
        )
    return f"{signed(dram.median)} bytes of free DRAM {_BUSY} (80 %: {low} to {high})"


def _option_tables(step: Difference) -> Iterator[RenderableType]:
    if not step.options:
        return
    acting = [row for row in step.options if _does_something(row.gain)]
    quiet = [row.option for row in step.options if row not in acting]
    first, others = acting[:PARTS], acting[PARTS:]
    notes = [
        *(f"{row.option} brings {_named(row.follow)}" for row in first if row.follow),
        *([f"no effect by the parts that ask about it: {_named(quiet)}"] if quiet else []),
    ]
    rows = [*map(_option_row, first), *([_rest(others)] if others else [])]
    total = (_TOTAL, "", "", *_memory(step.total.left, step.total.static_dram))
    yield _table(f"Memory gained {_BUSY}, bytes", _OPTION_HEADINGS, [*rows, total], notes)
    if others:
        table = _table(
            f"Options that change less, {_BUSY}, bytes",
            _OPTION_HEADINGS,
            list(map(_option_row, others)),
            [f"{row.option} brings {_named(row.follow)}" for row in others if row.follow],
        )
        yield Folded(parts=(table,), sentence=f"{plural(len(others), 'option')} that change less")
    faster: list[tuple[Cell, Gained]] = [
        (_of(row), row.gain) for row in acting if _has_speed(row.gain)
    ]
    faster += [(_TOTAL, step.total)] if _has_speed(step.total) else []
    if faster:
        yield _table(
            "Throughput gained, Mbit/s, with its 80 % band",
            ("Option", *(f"#{name}" for name in METRIC_NAMES.values())),
            [(name, *_speeds(gain)) for name, gain in faster],
        )


def _option_row(row: OptionGain) -> tuple[Cell, ...]:
    words = _of(row), _value(row.before), _value(row.after)
    return (*words, *_memory(row.gain.left, row.gain.static_dram))


def _rest(rows: Sequence[OptionGain]) -> tuple[Cell, ...]:
    """The sums of several, without a band: theirs do not add up."""
    gains = [row.gain.left for row in rows]
    dram, iram, psram = (
        sum(band.median for band in bands)
        for bands in zip(*((gain.dram, gain.iram, gain.psram) for gain in gains), strict=True)
    )
    static = sum(row.gain.static_dram.median for row in rows)
    sums = (change(each, better=1) if each else None for each in (static, iram, psram))
    name = plural(len(rows), "other")
    return (name, "", "", change(dram, better=1) if dram else None, None, None, *sums)


def _does_something(gain: Gained) -> bool:
    memory = [gain.left, *gain.states.values()]
    bands = [band for each in memory for band in (each.dram, each.iram, each.psram)]
    return any(band.low_80 or band.high_80 for band in bands) or _has_speed(gain)


def _staircase(ladder: Ladder) -> Table:
    first, *rungs = ladder.rungs
    rows = [
        (first.name, first.left.median, *[None] * 6),
        *(
            (rung.name, rung.left.median, *_memory(step.total.left, step.total.static_dram))
            for rung, step in zip(rungs, ladder.steps, strict=True)
        ),
        (_TOTAL, "", *_memory(ladder.total.left, ladder.total.static_dram)),
    ]
    return _table(
        f"The staircase: DRAM left {_BUSY}, and what each step gains, bytes",
        ("Configuration", "#left", "#gained", *_BAND[1:], "#of it static", "#IRAM", "#PSRAM"),
        rows,
    )


def _replayed(rows: Sequence[ReplayedMemory]) -> Iterator[Table]:
    if rows:
        yield _table(
            "The trace in the memory of each configuration: the least that is free, bytes",
            ("Configuration", "#DRAM", "#gained", "#IRAM", "#gained ", "#failed requests"),
            [
                (
                    row.name,
                    row.minimum_free,
                    change(row.gained, better=1) if row.gained else None,
                    row.minimum_free_iram or None,
                    change(row.gained_iram, better=1) if row.gained_iram else None,
                    row.failures or None,
                )
                for row in rows
            ],
        )


def _levels(rungs: Sequence[Rung]) -> Table:
    """Each configuration by itself, as predict has it."""
    return _table(
        "Each configuration: throughput in Mbit/s, and the 80 % band of the DRAM that is left",
        (
            "Configuration", "chip", "ESP-IDF", "#DRAM", *_BAND[1:],
            *(f"#{name}" for name in METRIC_NAMES.values()),
        ),
        [
            (
                rung.name,
                rung.chip,
                rung.release,
                rung.left.median,
                rung.left.low_80,
                rung.left.high_80,
                *(
                    _digits(rung.throughput_mbps[metric].median)
                    if rung.throughput_mbps
                    else None
                    for metric in METRIC_NAMES
                ),
            )
            for rung in rungs
        ],
    )  # fmt: skip


def _states(total: Gained) -> Table:
    return _table(
        "Memory gained by state, bytes",
        ("State", *_BAND, "#IRAM", "#PSRAM"),
        [(state, *_memory(gain)) for state, gain in total.states.items()],
    )


def _memory(gain: MemoryGain, static: GainBand | None = None) -> Iterator[Cell]:
    dram = gain.dram
    if dram.low_80 or dram.high_80:
        yield change(dram.median, better=1)
        yield from (CellText(signed(end), end) for end in (dram.low_80, dram.high_80))
    else:
        yield from (None, None, None)
    if static is not None:
        yield _or_nothing(static)
    yield _or_nothing(gain.iram)
    yield _or_nothing(gain.psram)


def _or_nothing(band: GainBand) -> Cell:
    return change(band.median, better=1) if band.median else None


def _has_speed(gain: Gained) -> bool:
    return any(round(each.median, 1) for each in gain.throughput_mbps.values())


def _speeds(gain: Gained) -> Iterator[Cell]:
    for metric in METRIC_NAMES:
        band = gain.throughput_mbps.get(metric)
        if band is None or not (round(band.low_80, 1) or round(band.high_80, 1)):
            yield None
        else:
            text = f"{band.median:+.1f} ({band.low_80:+.1f} to {band.high_80:+.1f})"
            tone = "better" if band.low_80 > 0 else "worse" if band.high_80 < 0 else ""
            yield CellText(text, band.median, tone)


def _digits(value: float) -> CellText:
    return CellText(f"{value:.1f}", value)


def _of(row: OptionGain) -> str:
    return f"{row.option} ({row.cause})" if row.cause == "default" else row.option


def _value(text: str) -> str:
    return text if len(text) <= _VALUE_MAX else f"{text[: _VALUE_MAX - 1]}…"


def _unknown(options: Sequence[UnknownOption]) -> Iterator[Text]:
    """Those of lines by name; of defaults how many."""
    own = [each.option for each in options if each.line]
    others = len(options) - len(own)
    reported = [f"of lines: {_named(own)}"] if own else []
    reported += [f"{plural(others, 'default')}"] if others else []
    if reported:
        yield Text(
            f"Nothing is known of the memory of {plural(len(options), 'other option')} that "
            f"differ ({'; '.join(reported)}); --json names all.",
            style="yellow",
        )


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _table(
    title: str,
    headings: Sequence[str],
    rows: Sequence[tuple[Cell, ...]],
    notes: Sequence[str] = (),
) -> Table:
    """Columns in which no row has anything are left out."""
    columns = [replace(one, of=itemgetter(at)) for at, one in enumerate(headed(*headings))]
    return table_of(title, columns, rows, most=len(rows), notes=tuple(notes))
