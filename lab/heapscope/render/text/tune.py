"""The best configuration for people: the answer first, then why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from heapscope.base.printable import printable
from heapscope.forecast.predict.wifi_table import METRICS
from heapscope.forecast.tune.answer import Candidate, GoalResult, TuneResult
from heapscope.forecast.tune.fragment import effect_text, fragment
from heapscope.forecast.tune.goals import SPEED, Goal
from heapscope.forecast.tune.memory import FREE
from heapscope.forecast.tune.options import LABELS, label
from heapscope.forecast.tune.tls import TlsChoice
from heapscope.render.text.predict import PARTS
from heapscope.render.text.table import Cell, Table, headed

if TYPE_CHECKING:
    from heapscope.forecast.tune.ranks import RankGain

_FIGURES = (FREE, *METRICS)
_NAMES = {FREE: "free KB", **{metric: metric for metric in METRICS}}


def tune_parts(result: TuneResult) -> Iterator[RenderableType]:
    for position, sentence in enumerate(_sentences(result)):
        yield Text(sentence, style="bold" if position == 0 else "")
    for note in result.notes:
        yield Text(f"note: {printable(note, limit=400)}", style="dim")
    yield _figures(result)
    if result.relaxation is not None:
        yield Text(f"nearest: {_moved(result.now, result.relaxation.best)}")
    yield _goals(result)
    yield _changes(result)
    yield _alternatives(result)
    yield _trades(result, taken=True)
    if result.tls is not None:
        yield _tls(result.tls)
    yield _front(result)
    yield _trades(result, taken=False)
    if result.best is not None:
        yield Text()
        for line in fragment(result).splitlines():
            style = "green" if line.startswith("CONFIG_") else "dim"
            yield Text(line, style=style, no_wrap=True)


def ranks_parts(rank_gains: Sequence[RankGain]) -> Iterator[RenderableType]:
    gained, proven = (
        sum(each.gained for each in rank_gains),
        sum(each.proven_none for each in rank_gains),
    )
    yield Text(
        f"{gained} of {len(rank_gains)} published ranks can be bettered at no less memory and no "
        f"lower throughput; for {proven} it is proven, by the models, that none is better.",
        style="bold",
    )
    yield Text("note: medians, software and clock of the tables", style="dim")
    yield Table(
        title="Published ranks",
        columns=headed("rank", "gain", *(f"#{metric} %" for metric in METRICS), "#free KB", "by"),
        rows=tuple(map(_rank, rank_gains)),
        most=len(rank_gains),
        notes=tuple(
            f"* {each.rank}: {'; '.join(each.refused)}" for each in rank_gains if each.refused
        ),
    )


def _rank(each: RankGain) -> tuple[Cell, ...]:
    gains = [*each.gain_pct.values(), each.gain_free_kb]
    return (
        each.rank + ("*" if each.refused else ""),
        "yes" if each.gained else "none" if each.proven_none else "none found",
        *(f"{gain:+.1f}" if each.gained else None for gain in gains),
        each.moved,
    )


def _moved(now: Candidate, then: Candidate) -> str:
    moved = ", ".join(
        f"{LABELS[name]} {label(name, now.choice[name])} -> {label(name, value)}"
        for name, value in then.choice.items()
        if value != now.choice[name]
    )
    return moved or "the configuration as it is now"


def _sentences(result: TuneResult) -> Iterator[str]:
    if result.best is not None:
        changes = len(result.changes) + len(result.traded)
        what = "no option has to change" if not changes else f"{changes} to change"
        yield f"Best for {_goal(result)} on {_target(result)}: {what}."
        most = result.no_configuration_above
        if most is None:
            yield "Optimal: by the models, no configuration of the domain takes less time in all."
        else:
            unit, equal = _unit(result.prefer), result.equal_within or 0.0
            yield (
                f"Optimal: by the models, no configuration of the domain has more than {most:.1f} "
                f"{unit} of it, and none within {equal:.1f} {unit} of that changes fewer options."
            )
        yield _domain(result)
        return
    relaxation = result.relaxation
    assert relaxation is not None
    yield f"No configuration of {_target(result)} in the domain has all that is needed."
    yield from _meeting(result)
    least = ", ".join(
        f"{goal.target}>={_amount(goal, relaxation.amounts[goal.target])}" for goal in result.goals
    )
    yield f"The smallest relaxation, of all at once: {100 * relaxation.share:.1f} %: {least}."
    for each in result.goals:
        most = relaxation.alone[each.target]
        if len(result.goals) > 1 and most is not None:
            yield f"Or, with the others kept: {each.target} up to {_amount(each, most)}."
        elif len(result.goals) > 1:
            yield f"No amount of {each.target} lets the others be kept."
    yield _domain(result)


def _domain(result: TuneResult) -> str:
    searched = "; ".join(f"{each.label} {each.values}" for each in result.domain)
    return f"Domain: {searched}; every other option as it is, but for what --trade gives up."


def _meeting(result: TuneResult) -> Iterator[str]:
    """The trades with which there is a configuration, before all else that may help."""
    some = [each for each in result.trades if each.meets]
    if some:
        given = "; ".join(f"{e.text} ({e.gain / 1024:+.1f} KB, loses: {e.loses})" for e in some)
        kinds = ",".join(dict.fromkeys(each.group for each in some))
        yield f"There is one that gives up: {given}. Ask with --trade {kinds}."
    elif any(each.target == FREE for each in result.goals):
        yield "No set of trades on offer meets them."


def _goal(result: TuneResult) -> str:
    return {FREE: "available memory", SPEED: "all throughputs"}.get(result.prefer, result.prefer)


def _target(result: TuneResult) -> str:
    psram = "" if result.psram == "none" else f" with {result.psram} PSRAM"
    return f"{result.chip}{psram}, ESP-IDF {result.sdk}"


def _unit(target: str) -> str:
    return "KB" if target == FREE else "Mbit/s"


def _amount(goal: Goal, amount: float) -> str:
    return f"{amount:.1f} {goal.unit}"


def _figures(result: TuneResult) -> Table:
    rows = [("now", result.now)]
    if result.best is not None:
        rows.append(("best", result.best))
    if result.relaxation is not None:
        rows.append(("nearest", result.relaxation.best))
    cells: list[tuple[Cell, ...]] = []
    for name, candidate in rows:
        cells.append((name, *_medians(candidate)))
        cells.append(("  80 % band", *(_band(candidate, metric) for metric in _FIGURES)))
    columns = headed("", *(f"#{_NAMES[metric]}" for metric in _FIGURES))
    return Table(title="Predicted (throughputs in Mbit/s)", columns=columns, rows=tuple(cells))


def _medians(candidate: Candidate) -> Iterator[str]:
    return (f"{candidate.median[metric]:.1f}" for metric in _FIGURES)


def _band(candidate: Candidate, metric: str) -> str:
    return f"{candidate.low_80[metric]:.0f}-{candidate.high_80[metric]:.0f}"


def _goals(result: TuneResult) -> Table:
    rows = (
        (
            f"{each.target}>={_amount(each, each.amount)}",
            _amount(each, each.value),
            _binds(result, each),
        )
        for each in result.goals
    )
    return Table(title="Goals", columns=headed("goal", "#has", "binds"), rows=tuple(rows))


def _binds(result: TuneResult, each: GoalResult) -> str:
    if each.gain_without is None:
        return "met" if each.value >= each.amount else "not met"
    if not each.binds:
        return "no"
    if result.prefer == SPEED:
        return "yes: without it all would be faster"
    return f"yes: without it {each.gain_without:.1f} {_unit(result.prefer)} more {result.prefer}"


def _changes(result: TuneResult) -> Table:
    rows = []
    for each in result.changes:
        text = effect_text(each)
        if each.breaks_if_put_back:
            text += f"; rule {', '.join(each.breaks_if_put_back)} needs it"
        rows.append((each.label, each.before, each.after, text))
    columns = headed("changed", "#from", "#to", "gives and costs, if all else is so")
    return Table(title="Changes", columns=columns, rows=tuple(rows))


def _alternatives(result: TuneResult) -> Table:
    rows = []
    for each in sorted(result.alternatives, key=lambda one: one.loss):
        kept = f"{LABELS[each.kept]} {label(each.kept, each.best.choice[each.kept])}"
        loss = f"{each.loss:.1f} {_unit(result.prefer)}"
        if result.prefer == SPEED:
            loss = f"{each.loss:.3f}"
        rows.append((kept, loss, *_medians(each.best)))
    return Table(
        title="Alternatives: the best that leaves one option alone",
        columns=headed("kept as it is", "#costs", *(f"#{_NAMES[metric]}" for metric in _FIGURES)),
        rows=tuple(rows),
    )


def _trades(result: TuneResult, *, taken: bool) -> Table:
    """The largest gain first."""
    some = sorted((e for e in result.trades if e.taken == taken), key=lambda each: -each.gain)
    title = (
        "Given up for memory" if taken else "On offer: memory for what no model weighs (--trade)"
    )
    return Table(
        title=title,
        columns=headed("trade", "option", "#KB", "#80 % band", "loses"),
        rows=tuple(
            (
                each.group,
                each.text,
                f"{each.gain / 1024:.1f}",
                f"{each.gain_low / 1024:.1f}-{each.gain_high / 1024:.1f}",
                each.loses + each.elsewhere,
            )
            for each in some
        ),
        most=len(some) if taken else PARTS,
    )


def _tls(choice: TlsChoice) -> Table:
    rows = []
    for each in choice.worthwhile():
        mark = " (now)" if each is choice.now else ""
        mark += " *" if each is choice.best else ""
        asks = [*([f"peer: {each.asks_peer}"] if each.asks_peer else []), *each.asks]
        sizes = (each.internal_bytes, each.psram_bytes or None, each.longest_buffer_bytes)
        rows.append((each.name + mark, *sizes, "; ".join(asks) or "nothing"))
    return Table(
        title=f"TLS modes, {choice.sessions} at once, bytes; "
        "*: the least that asks nothing of the peer",
        columns=headed("TLS", "#internal", "#PSRAM", "#longest", "asks"),
        rows=tuple(rows),
    )


def _front(result: TuneResult) -> Table:
    held = "median" if result.median else "lower bound"
    figures = (f"#free KB ({held})", f"#{result.front_metric} ({held})")
    knobs = ("static_rx", "dynamic_rx", "tx", "rx_ba_win")
    return Table(
        title=f"Front: none has more of both memory and {result.front_metric}",
        columns=headed(*figures, "#static RX", "#dynamic RX", "#TX", "#block-ack", "IRAM"),
        rows=tuple(
            (
                f"{point.free_kb:.1f}",
                f"{point.value:.1f}",
                *(label(name, point.best.choice[name]) for name in knobs),
                _iram(point.best),
            )
            for point in result.front
        ),
        most=len(result.front),
    )


def _iram(candidate: Candidate) -> str:
    names = {"wifi_iram": "Wi-Fi", "wifi_rx_iram": "RX", "lwip_iram": "lwIP"}
    return " ".join(text for name, text in names.items() if candidate.choice[name]) or "none"
