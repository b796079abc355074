"""The smallest pools of all allocators side by side, the best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from rich.console import RenderableType
from rich.text import Text

from heapscope.answers.fit.floor import floor_sentence
from heapscope.answers.fit.net_bytes import NetBytes, NetPart
from heapscope.answers.fit.on_system import ram_of
from heapscope.answers.fit.provable import provable_sentences
from heapscope.answers.fit.smallest_pool import FitResult, Mean, means
from heapscope.base.rows.request import with_room
from heapscope.base.wording import plural, size
from heapscope.memory.layout.faults import faults_of
from heapscope.render.text.next_command import loss_lines
from heapscope.render.text.table import NOTHING, CellText, Column, Table, columns_of, table_of
from heapscope.trace.loss import Loss, is_cut

REFERENCE = "idf-4.2"  # the rival that needs least on most traces


def fit_parts(results: Sequence[FitResult]) -> Iterator[RenderableType]:
    """`results` of one trace stand together."""
    traces = [list(rows) for _, rows in groupby(results, key=lambda row: row.trace)]
    for rows in traces:
        yield Text()
        yield from _trace(rows)
    if len(traces) > 1:
        yield _means(means(results), len(traces))


def _trace(rows: list[FitResult]) -> Iterator[RenderableType]:
    yield Text(rows[0].trace, style="bold")
    served = sorted((row for row in rows if row.pool is not None), key=ram_of)
    loss = rows[0].loss
    if is_cut(loss):
        yield from _bounds(loss, rows, served)
    else:
        yield Text(_sentence(rows[0], served))
        for sentence in () if loss is None else loss.of_facts():
            yield Text(sentence, style="bold yellow")
        for message in rows[0].messages:
            yield Text(f"damage: {message}", style="yellow")
        yield _pools(served)
        yield from _of_system(served)
        if rows[0].floor is not None:
            smallest = min((row.pool for row in served if row.pool is not None), default=None)
            yield Text(floor_sentence(rows[0].floor, smallest))
        proven = [(row.allocator, row.pool, row.provable) for row in rows if row.provable]
        yield from map(Text, provable_sentences(proven))
    for row in rows:
        if row.pool is None:
            yield Text(f"{row.allocator}: no pool: {row.reason}{_at(row)}")
    yield from map(Text, _runs(rows))
    for fault in faults_of(row.allocator for row in served):
        yield Text(f"note: {fault}", style="dim")
    for row in rows:
        if row.net is not None:
            yield Text()
            yield from _net(row.net)


def _of_system(served: list[FitResult]) -> Iterator[RenderableType]:
    """By all RAM, where a system is asked about."""
    costs = [(row.allocator, row.system) for row in served if row.system is not None]
    if not costs:
        return
    if costs[0][1].outside is None:
        yield Text(f"{costs[0][0]} keeps a little beside its pool, and how much is not known.")
    columns = (
        Column(heading="Allocator", of=lambda each: each[0], words=True),
        Column(heading="RAM", of=lambda each: f"{each[1].together:,}"),
        Column(heading="of it beside the pool", of=lambda each: _known(each[1].outside)),
        Column(heading="worst malloc", of=lambda each: _known(each[1].malloc)),
        Column(heading="worst free", of=lambda each: _known(each[1].free)),
        Column(heading="code", of=lambda each: _known(each[1].code)),
    )
    notes = (
        "RAM is the pool and the static variables beside it; where those are not known, the pool "
        "alone. Instructions (a bound) and code are of RV32IMC, where they were derived.",
    )
    title = f"{costs[0][1].name}: all that an allocator takes"
    yield replace(table_of(title, columns, costs), notes=notes)


def _known(value: int | None) -> str:
    return "not known" if value is None else f"{value:,}"


def _runs(rows: list[FitResult]) -> Iterator[str]:
    """How perturbed runs go, the allocators in the order asked for."""
    perturbed = [(row, row.perturbed) for row in rows if row.perturbed is not None]
    for row, runs in perturbed:
        yield from runs.sentences(row.allocator, row.pool or 0)
    for _, runs in perturbed[:1]:
        yield "The interval is Wilson's, at 95 %, over the runs that the model makes."
        yield from runs.varied


def _net(net: NetBytes) -> Iterator[RenderableType]:
    yield Text(net.sentence)
    yield from (Text(sentence) for sentence in net.open_questions)
    columns = (
        Column(heading="Bytes", of=lambda part: part.part, words=True),
        Column(heading=net.before, of=lambda part: _between(part.before_least, part.before_most)),
        Column(heading="Heapscope's", of=lambda part: _between(part.after_least, part.after_most)),
        Column(heading="gained", of=_gained),
        Column(heading="from", of=lambda part: part.source, words=True, wide=True),
    )
    table = table_of("Net bytes", columns, net.parts)
    yield replace(table, notes=net.notes)


def _between(least: int | None, most: int | None, form: str = ",") -> str:
    if least is None or most is None:
        return "not known"
    return f"{least:{form}}" if least == most else f"{least:{form}} to {most:{form}}"


def _gained(part: NetPart) -> str:
    gained = _between(part.gain_least, part.gain_most, "+,")
    return gained if part.counts else f"({gained})"


def _bounds(loss: Loss, rows: list[FitResult], served: list[FitResult]) -> Iterator[RenderableType]:
    """Where events are missing, bounds are all that is reported: no pool is recommended or
    compared."""
    yield from loss_lines(loss)
    of = f" of {rows[0].task}" if rows[0].task else ""
    peak = f"Live payload{of} reached at least {size(rows[0].peak_live)}."
    use = (
        "A smaller pool than these cannot serve the whole run; a larger one may be needed, so none "
        "is recommended and none is called the best."
    )
    needs = " and ".join(need.text for need in rows[0].needs)
    room = f" A pool also has room for {needs}." if needs else ""
    yield Text(f"{peak}{room} {use}" if served else f"{peak}{room}")
    name, pool, *_, refused = _COLUMNS
    columns = (name, replace(pool, heading="at least"), refused)
    yield table_of("Lower bounds of the pool", columns, served)


def _sentence(any_row: FitResult, served: list[FitResult]) -> str:
    of = f" of {any_row.task}" if any_row.task else ""
    room = with_room(any_row.needs)
    peak = f"live payload{of} up to {size(any_row.peak_live)}"
    if not served:
        return f"No pool serves it with any of these allocators{room}; {peak}."
    best, last = served[0], served[-1]
    text = f"{best.allocator} needs least, {size(ram_of(best))}"
    if len(served) > 1:
        text += f"; {last.allocator} needs most, {size(ram_of(last))}"
    for row in served[1:]:
        if row.system is not None and row.system.own:
            text += f"; {row.allocator}, which {row.system.name} has, {size(ram_of(row))}"
    return f"{text}{room}; {peak}."


def _reference(names: list[str]) -> str:
    """The allocator that others are compared with: the usual one, or the first if it is missing."""
    return REFERENCE if REFERENCE in names else names[0]


def _pools(served: list[FitResult]) -> Table:
    if not served:
        return NOTHING
    own = [row.allocator for row in served if row.system and row.system.own]
    against = (own or [_reference([row.allocator for row in served])])[0]
    base = next(row.pool for row in served if row.allocator == against) or 1
    best, margin = served[0].pool, served[0].margin
    name, pool, advised, proven, ratio, least, refused = _COLUMNS
    columns = (
        replace(name, of=lambda row: CellText(row.allocator, tone=_tone(row.pool, best))),
        replace(pool, of=lambda row: CellText(f"{row.pool:,}", row.pool, _tone(row.pool, best))),
        replace(advised, heading=f"with {margin:g} % margin" if margin is not None else ""),
        *([proven] if any(row.provable for row in served) else ()),
        ratio,
        Column(heading=f"of {against}", of=lambda row: f"{(row.pool or 0) / base:.4f}"),
        least,
        refused,
    )
    return table_of("Smallest pool that it and the next 2 % survive", columns, served)


def _tone(pool: float | None, best: float | None) -> str:
    return "better" if pool == best and pool is not None else ""


def _ratio(ratio: float | None) -> str | None:
    return None if ratio is None else f"{ratio:.4f}"


def _refused(row: FitResult) -> str:
    """The request that was refused on a pool just below."""
    if row.failing is None:
        return "-"
    failing = row.failing
    return f"{failing.call} {failing.size:,} of {failing.task}, event {failing.event:,}"


def _at(row: FitResult) -> str:
    return "" if row.failing is None else f" ({_refused(row)})"


_COLUMNS = columns_of(
    FitResult,
    "allocator pool advised provable ratio pool_min failing",
    provable=lambda row: row.provable and row.provable.pool,
    ratio=lambda row: _ratio(row.ratio),
    failing=_refused,
)


def _means(rows: list[Mean], traces: int) -> Table:
    ranked = sorted(rows, key=lambda row: (row.ratio is None, row.ratio or 0.0))
    given = {row.allocator: row.ratio for row in rows if row.ratio is not None}
    against = _reference(list(given)) if given else REFERENCE
    best = ranked[0].ratio
    columns = (
        Column(
            heading="Allocator",
            of=lambda row: CellText(row.allocator, tone=_tone(row.ratio, best)),
            words=True,
        ),
        Column(heading="of live peak", of=lambda row: _ratio(row.ratio)),
        Column(
            heading=f"of {against}",
            of=lambda row: _ratio(None if row.ratio is None else row.ratio / given[against]),
        ),
    )
    title = f"Pool, geometric mean over {plural(traces, 'trace')}"
    return table_of(title, columns, ranked)
