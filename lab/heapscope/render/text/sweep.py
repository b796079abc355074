"""The answers over a sweep: sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.base.rows.request import with_room
from heapscope.base.wording import plural, size
from heapscope.fleet.sweep.answer import (
    SweepChip,
    SweepCliff,
    SweepConfiguration,
    SweepEffect,
    SweepLeast,
    SweepPerturbedLeast,
    SweepReason,
    SweepResult,
)
from heapscope.render.text.next_command import next_command
from heapscope.render.text.table import Table, columns_of, table_of

SHOWN = 20  # rows; --json has more


def sweep_parts(result: SweepResult) -> Iterator[RenderableType]:
    for position, sentence in enumerate(sentences(result)):
        yield Text(sentence, style="bold" if position == 0 else "")
    yield from tables(result)
    if not result.complete:
        yield next_command("sweep", "show", result.output)


def sentences(result: SweepResult) -> Iterator[str]:
    """The answer first."""
    yield _verdict(result)
    if result.safe_count == 0:
        yield from _nearest(result)
    if result.configurations_count and result.searches_count:
        yield _searched(result)
    yield from _perturbed_searches(result)
    yield f"{_progress(result)}: {_extent(result)}."
    chip = next((one for one in result.chips if one.safe), None)
    if chip is not None:
        yield _cheapest(result, chip)
    elif result.chips and result.unreadable_traces < result.traces:
        yield "None of the chips carries all traces."
    if result.failed:
        yield f"{plural(result.failed, 'cell')} could not be replayed, for the reasons below."
    if 0 < result.unreadable_traces < result.traces:
        yield f"{_unreadable(result)}; the configurations are judged by the others."
    if result.unknown:
        yield (
            f"{plural(result.unknown, 'cell')} had no failure in what the trace tells, which is "
            "not all of its run: they prove nothing."
        )
    if result.wide_traces:
        yield (
            f"{plural(result.wide_traces, 'trace')} of {result.traces:,}: recorded on a 64-bit "
            "machine, where structures with pointers are larger than on a chip."
        )
    if result.damaged_traces:
        yield (
            f"{plural(result.damaged_traces, 'trace')} of {result.traces:,}: the metadata is "
            "damaged, so it is not known whether the sizes are those of a chip."
        )


def _verdict(result: SweepResult) -> str:
    tested = result.configurations_count
    if tested == 0 and result.unreadable_traces < result.traces:
        return _searched(result)
    if result.unreadable_traces == result.traces:
        return f"Nothing is known: {_unreadable(result)}."
    over = plural(result.traces - result.unreadable_traces, "trace")
    runs = "" if result.runs == 1 else f" and all {result.runs:,} runs of each"
    if result.safe_count == 0:
        so_far = "" if result.complete else " so far"
        return f"None of {plural(tested, 'configuration')} is safe for {over}{runs}{so_far}."
    so_far = "" if result.complete else " so far"
    is_or_are = "is" if result.safe_count == 1 else "are"
    return (
        f"{result.safe_count:,} of {plural(tested, 'configuration')} {is_or_are} safe for "
        f"{over}{runs}{so_far}."
    )


def _nearest(result: SweepResult) -> Iterator[str]:
    """Where no configuration is safe in every run: the share of runs in which one is."""
    best = next((one for one in result.configurations if one.share is not None), None)
    if best is not None and best.share is not None and best.safe_cells:
        yield (
            f"Nearest comes {best.configuration}, which is safe in {best.share.text}, all traces "
            "together."
        )


def _unreadable(result: SweepResult) -> str:
    if result.unreadable_traces == result.traces:
        return f"none of {plural(result.traces, 'trace')} can be read"
    return f"{result.unreadable_traces:,} of {plural(result.traces, 'trace')} cannot be read"


def _searched(result: SweepResult) -> str:
    """The least pools of the recorded runs."""
    best = next(iter(result.least), None)
    so_far = "" if result.complete else " so far"
    if best is None or best.largest is None:
        return f"No pool was found for any trace{with_room(result.needs)}{so_far}."
    of = "" if best.failed == 0 else f", and for {plural(best.failed, 'trace')} none was found"
    return (
        f"{best.configuration} needs the smallest pools: at most {size(best.largest)} for "
        f"each of {plural(best.traces, 'trace')}{with_room(result.needs)}{of}{so_far}."
    )


def _perturbed_searches(result: SweepResult) -> Iterator[str]:
    best = next((row for row in result.perturbed_least if row.traces), None)
    if best is None:
        return
    of = f"{plural(best.runs, 'perturbed run')} of {best.trace}"
    if best.enough is None:
        yield f"More than 1 % of {of} have no pool with any configuration."
        return
    yield (
        f"With {best.configuration}, 99 % of {of} need {size(best.enough)} at most "
        f"({_interval(best, result.runs_that_settle)})."
    )
    yield (
        "Survival is not monotone in the size, so a run may fail on a pool above its least: give "
        "that size as a pool of the plan, with another seed, to see what it serves."
    )


def _interval(row: SweepPerturbedLeast, settled_by: int) -> str:
    text = f"95 % interval: from {size(row.low or 0)}"
    if row.high is not None:
        return f"{text} to {size(row.high)}"
    if row.runs < settled_by:
        return f"{text}; {row.runs:,} runs cannot tell the other end, {settled_by:,} can"
    return f"{text}; at the other end are runs without any pool"


def _progress(result: SweepResult) -> str:
    if result.complete:
        return "The cell is there" if result.cells == 1 else f"All {result.cells:,} cells are there"
    part = 100 * result.done / max(result.cells, 1)
    return f"{result.done:,} of {plural(result.cells, 'cell')} are there ({part:.1f} %)"


def _extent(result: SweepResult) -> str:
    """How many cells come to be so many."""
    runs = "" if result.runs == 1 else f", {result.runs:,} runs of each"
    configurations = result.configurations_count + result.searches_count
    return f"{plural(result.traces, 'trace')}, {plural(configurations, 'configuration')}{runs}"


def _cheapest(result: SweepResult, chip: SweepChip) -> str:
    if chip.price is not None:
        what = f"The cheapest chip that carries all traces is {chip.chip}, at {chip.price:g}"
    elif any(one.price is not None for one in result.chips):
        what = f"Among chips without a price, {chip.chip} carries all traces"
    else:
        what = (
            "The plan has no prices; the chip with the smallest heap that carries all traces is "
            f"{chip.chip}"
        )
    return f"{what}; {size(chip.min_free or 0)} stay free with {chip.best}."


def _share(row: SweepConfiguration) -> str | None:
    share = row.share
    return None if share is None else f"{share.good:,} of {share.runs:,} ({share.between})"


def tables(result: SweepResult) -> Iterator[Table]:
    """Those that have rows."""
    configurations = columns_of(SweepConfiguration, share=_share)
    built = (
        table_of(
            "Configurations, the safe ones first",
            configurations,
            result.configurations,
            most=SHOWN,
            name="configurations",
        ),
        table_of("Chips", columns_of(SweepChip), result.chips, most=SHOWN, name="chips"),
        table_of(
            "Where safety begins", columns_of(SweepCliff), result.cliffs, most=SHOWN, name="cliffs"
        ),
        table_of("Smallest pools", columns_of(SweepLeast), result.least, most=SHOWN, name="least"),
        table_of(
            "Smallest pools of perturbed runs",
            columns_of(SweepPerturbedLeast),
            result.perturbed_least,
            most=SHOWN,
            name="perturbed_least",
        ),
        table_of(
            "Safe, and none is both no dearer and no worse",
            configurations,
            result.front,
            most=SHOWN,
            name="front",
        ),
        table_of("Effects of each choice", columns_of(SweepEffect), result.effects, name="effects"),
        table_of(
            "Cells that could not be replayed",
            columns_of(SweepReason),
            result.reasons,
            name="reasons",
        ),
    )
    yield from (one for one in built if one.rows)
