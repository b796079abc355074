"""The answers over a sweep's results, as rows."""

from __future__ import annotations

from heapscope.base.rows.figure import figure
from heapscope.base.rows.request import RequestRow
from heapscope.base.rows.row import Document, Row
from heapscope.simulation.jitter.share import Share


class SweepReason(Row):
    """Cells that could not be replayed, for one reason."""

    reason: str = figure("The reason.", heading="reason")
    cells: int = figure("Cells that it is the reason of.", heading="cells", least=1)
    trace: str = figure("The trace of the first of them.", heading="for example")
    configuration: str = figure("The configuration of that one.", heading="with")


class SweepConfiguration(Row):
    """One configuration over all traces and runs that were replayed so far."""

    configuration: str = figure("Its options.", heading="configuration")
    safe: bool = figure("Whether all its cells are there, and each was safe.")
    cells: int = figure("Its cells with traces that can be read.")
    safe_cells: int = figure("Those that were safe.", heading="safe")
    unsafe_cells: int = figure(
        "Those in which a request was refused or a need unmet.", heading="unsafe"
    )
    failed_cells: int = figure("Those that could not be replayed.", heading="failed", wide=True)
    unknown_cells: int = figure(
        "Those replayed without a failure in the part of the trace that is there.",
        heading="unknown",
        wide=True,
    )
    price: float | None = figure(
        "The price of its chip in the plan. null: it gives none.", heading="price"
    )
    internal: int | None = figure(
        "Bytes of its internal heap regions: the largest over its cells. null: no cell was "
        "replayed.",
        "B",
        "heap",
    )
    min_free: int | None = figure(
        "The least bytes free for malloc over all its cells.", "B", "min. free"
    )
    min_largest: int | None = figure(
        "The largest request that malloc could have served at every moment of all of them.",
        "B",
        "min. largest",
    )
    need_margin: int | None = figure(
        "The least margin of a need. null: the plan has no needs.",
        "B",
        "need's margin",
        least=None,
        wide=True,
    )
    share: Share | None = figure(
        "With perturbed runs: the share of its replayed cells that were safe. null: none.",
        heading="safe perturbed runs",
        wide=True,
        default=None,
        absent=True,
    )


class SweepChip(Row):
    """One chip of the plan, and the configuration that carries all traces on it."""

    chip: str = figure("The chip.", heading="chip")
    price: float | None = figure("Its price in the plan. null: it gives none.", heading="price")
    configurations: int = figure("Configurations of the plan with it.", heading="of", least=1)
    safe: int = figure("Those that are safe for all traces.", heading="safe")
    best: str | None = figure(
        "The safe one with the most bytes free at the worst moment. null: none.",
        heading="best configuration",
    )
    internal: int | None = figure("Its internal heap regions.", "B", "heap")
    min_free: int | None = figure("Its least bytes free for malloc.", "B", "min. free")


class SweepCliff(Row):
    """Along one size, with all other options the same: where safety begins. Sizes on which no heap
    can be made are left out."""

    axis: str = figure("The option.", heading="option")
    others: str = figure("The other options.", heading="with")
    tried: int = figure("Sizes whose cells are all there.", heading="sizes", wide=True)
    first_safe: int | None = figure(
        "The smallest size that is safe for all traces; larger ones may not be. null: none is.",
        "B",
        "first safe",
    )
    last_unsafe: int | None = figure(
        "The largest size that is not safe. null: all are.", "B", "last unsafe"
    )
    safe_from: int | None = figure(
        "The smallest size from which on every size of the plan is safe. null: none, or "
        "cells of it are missing.",
        "B",
        "safe from",
    )
    trace: str | None = figure(
        "A trace that is not safe at the largest size that is not. null: all are.",
        heading="decided by",
    )


class SweepLeast(Row):
    """The smallest pools of one configuration, each found for a trace by itself. That the largest
    of them serves the other traces, too, is likely and not proved: a size of the plan's grid is."""

    configuration: str = figure("Its options.", heading="configuration")
    traces: int = figure("Traces with a pool.", heading="traces")
    failed: int = figure("Traces without one, or that could not be replayed.", heading="none")
    smallest: int | None = figure("The smallest of them. null: none.", "B", "smallest")
    median: int | None = figure("Their median. null: none.", "B", "median")
    largest: int | None = figure("The largest of them. null: none.", "B", "largest")
    trace: str | None = figure("The trace of the largest.", heading="of")


class SweepPerturbedLeast(Row):
    """The least pools of perturbed runs of one configuration: how much 99 % of a trace's runs need,
    for the trace that needs most. Survival is not monotone in the size, so a run may fail on a pool
    larger than its least: only a size that is replayed shows that it serves so many runs."""

    configuration: str = figure("Its options.", heading="configuration")
    traces: int = figure("Traces with perturbed runs.", heading="traces")
    failed: int = figure("Traces without any, or whose runs could not be replayed.", heading="none")
    runs: int = figure("Perturbed runs of the trace that needs most.", heading="runs")
    enough: int | None = figure(
        "The least pools of 99 % of its runs are at most this. null: more than 1 % have none up to "
        "twice the recorded run's pool (or the allocator's largest heap), or no run is there.",
        "B",
        "99 % of runs",
    )
    low: int | None = figure(
        "Lower end of the 95 % interval of `enough`, by the order of the runs. null: no run is "
        "there, or so many have no pool.",
        "B",
        "from",
        wide=True,
    )
    high: int | None = figure(
        "Upper end. null: it cannot be told by so few runs (see `runs_that_settle`), or so many "
        "have no pool.",
        "B",
        "to",
        wide=True,
    )
    trace: str | None = figure("The trace that needs most.", heading="of")
    unserved: int = figure(
        "Runs of all traces for which no pool was found.", heading="runs without", wide=True
    )


class SweepEffect(Row):
    """One value of an option against the first value of it: pairs of cells that are alike in all
    else."""

    grid: int = figure("The grid, from 1.", heading="grid", least=1)
    option: str = figure("The option.", heading="option")
    value: str = figure("The value.", heading="value")
    against: str = figure(
        "The first value of the option in its grid.", heading="against", wide=True
    )
    cells: int = figure("Cells with the value that were replayed.", heading="cells")
    safe_cells: int = figure("Those that were safe.", heading="safe")
    pairs: int = figure("Pairs of cells that were both replayed.", heading="pairs", wide=True)
    won: int = figure("Pairs in which this value is safe and the first is not.", heading="won")
    lost: int = figure("Pairs in which the first is safe and this value is not.", heading="lost")
    min_free: int | None = figure(
        "Median over the pairs of what it adds to the least bytes free. null: no pair.",
        "B",
        "to min. free",
        least=None,
    )
    min_largest: int | None = figure(
        "Median over the pairs of what it adds to the least largest request. null: no pair.",
        "B",
        "to min. largest",
        least=None,
    )


class SweepPanel(Row):
    """One small picture: safe configurations along one option's values."""

    title: str = figure("The options that all of its configurations share.")
    axis: str = figure("The option along which it goes.")
    labels: tuple[str, ...] = figure("The values.")
    safe: tuple[float | None, ...] = figure(
        "The share of replayed cells that were safe. null: none was replayed.", most=1
    )
    min_free: tuple[int | None, ...] = figure("The least bytes free. null: none was replayed.")


class SweepResult(Document):
    """Answers over the results of a sweep, as they stand."""

    VERB = "sweep"
    VERSION = 1
    COMMAND = "sweep show --json"
    main_table = "configurations"

    output: str = figure("The folder of the results.")
    complete: bool = figure("Whether every cell of the plan is there.")
    cells: int = figure("Cells of the plan.")
    done: int = figure("Cells that are there.")
    failed: int = figure("Those that could not be replayed.")
    traces: int = figure("Traces of the plan.")
    unreadable_traces: int = figure(
        "Those that cannot be read. Whether a configuration is safe is judged without them."
    )
    unknown: int = figure("Cells replayed without a failure in what the trace tells of its run.")
    wide_traces: int = figure("Those recorded with 64-bit pointers.")
    damaged_traces: int = figure(
        "Those whose metadata is damaged, so that their word size is not known."
    )
    needs: tuple[RequestRow, ...] = figure(
        "The requests that safe cells, and pools that were searched for, have room for at every "
        "moment."
    )
    runs: int = figure("Replays of a configuration with one trace: 1, and the perturbed runs.")
    configurations_count: int = figure(
        "Configurations of the plan but those that search for the least pool."
    )
    searches_count: int = figure("Configurations that search for it.")
    safe_count: int = figure("Those that are safe for all traces and runs.")
    reasons: tuple[SweepReason, ...] = figure("Why cells could not be replayed, the most first.")
    configurations: tuple[SweepConfiguration, ...] = figure(
        "Those with the fewest cells that are not safe, at most 1,000; of the like the cheapest "
        "first, and then those with the smallest heap."
    )
    chips: tuple[SweepChip, ...] = figure("The chips, the cheapest first that carries all traces.")
    cliffs: tuple[SweepCliff, ...] = figure("Where safety begins along a size, at most 1,000.")
    least: tuple[SweepLeast, ...] = figure(
        'The configurations with pool = "least", which are not among the others.'
    )
    perturbed_least: tuple[SweepPerturbedLeast, ...] = figure(
        "The same configurations over their perturbed runs, those that need least first."
    )
    runs_that_settle: int = figure(
        "Perturbed runs from which on the interval of `enough` has an upper end."
    )
    front: tuple[SweepConfiguration, ...] = figure(
        "The safe configurations of which none other is both no dearer and no worse: by price (or "
        "the internal heap), least bytes free, and largest request; at most 1,000."
    )
    effects: tuple[SweepEffect, ...] = figure(
        "The effect of each value of each option; sizes in steps are among the cliffs instead."
    )
    panels: tuple[SweepPanel, ...] = figure("The pictures of the page, at most 48.")
