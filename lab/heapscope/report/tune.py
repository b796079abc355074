"""The best configuration for people: the answer first, then why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from heapscope.predict.wifi_table import METRICS
from heapscope.report.table import Cell, Column, table
from heapscope.trace.names import printable
from heapscope.tune.answer import Candidate, NeedResult, TuneResult
from heapscope.tune.fragment import effect_text, fragment
from heapscope.tune.needs import SPEED, TuneNeed
from heapscope.tune.options import LABELS, label
from heapscope.tune.tls import TlsChoice
from heapscope.tune.wifi import FREE

if TYPE_CHECKING:
    from heapscope.tune.ranks import RankGain

__all__ = ["print_ranks", "print_tune"]

_FIGURES = (FREE, *METRICS)
_NAMES = {FREE: "free KB", **{metric: metric for metric in METRICS}}


def print_tune(result: TuneResult, target: Console) -> None:
    for position, sentence in enumerate(_sentences(result)):
        target.print(Text(sentence, style="bold" if position == 0 else ""))
    for note in result.notes:
        target.print(Text(f"note: {printable(note, limit=400)}", style="dim"))
    target.print()
    _print_figures(result, target)
    if result.relaxation is not None:
        target.print(Text(f"nearest: {_moved(result.now, result.relaxation.best)}"))
    if result.needs:
        target.print()
        _print_needs(result, target)
    if result.changes:
        target.print()
        _print_changes(result, target)
    if result.alternatives:
        target.print()
        _print_alternatives(result, target)
    if result.tls is not None:
        target.print()
        _print_tls(result.tls, target)
    if result.front:
        target.print()
        _print_front(result, target)
    if result.best is not None:
        target.print()
        for line in fragment(result).splitlines():
            style = "green" if line.startswith("CONFIG_") else "dim"
            target.print(Text(line, style=style), soft_wrap=True)


def print_ranks(found: Sequence[RankGain], target: Console) -> None:
    gained, proven = sum(each.gained for each in found), sum(each.proven for each in found)
    target.print(
        Text(
            f"{gained} of {len(found)} published ranks can be bettered at no less memory and no "
            f"lower throughput; for {proven} it is proven, by the models, that none is better.",
            style="bold",
        )
    )
    target.print(Text("note: medians, software and clock of the tables", style="dim"))
    target.print()
    columns = [
        Column(heading="rank", name=True),
        Column(heading="gain", name=True),
        *(Column(heading=f"{metric} %") for metric in METRICS),
        Column(heading="free KB"),
        Column(heading="by", name=True, wide=True),
    ]
    rows: list[list[Cell]] = []
    for each in found:
        gains = each.gains
        free = each.best.figures.median[FREE] - each.base.figures.median[FREE]
        rows.append(
            [
                each.row.id + ("*" if each.refused else ""),
                _verdict(each),
                *(f"{gains[metric]:+.1f}" if each.gained else None for metric in METRICS),
                f"{free:+.1f}" if each.gained else None,
                each.moved,
            ]
        )
    target.print(table("Published ranks", columns, rows, width=target.width))
    for each in found:
        if each.refused:
            target.print(Text(f"* {each.row.id}: {'; '.join(each.refused)}"))


def _moved(now: Candidate, then: Candidate) -> str:
    moved = ", ".join(
        f"{LABELS[name]} {label(name, now.choice[name])} -> {label(name, value)}"
        for name, value in then.choice.items()
        if value != now.choice[name]
    )
    return moved or "the configuration as it is now"


def _verdict(each: RankGain) -> str:
    if each.gained:
        return "yes"
    return "none" if each.proven else "none found"


def _sentences(result: TuneResult) -> Iterator[str]:
    if result.best is not None:
        changes = len(result.changes)
        what = "no option has to change" if not changes else f"{changes} to change"
        yield f"Best for {_goal(result)} on {_target(result)}: {what}."
        if result.bound is None:
            yield "Optimal: by the models, no configuration takes less time in all."
        else:
            unit = _unit(result.prefer)
            yield f"Optimal: by the models, none has more than {result.bound:.1f} {unit} of it."
        return
    relaxation = result.relaxation
    assert relaxation is not None
    yield f"No configuration of {_target(result)} has all that is needed."
    least = ", ".join(
        f"{need.need.target}>={_amount(need.need, relaxation.amounts[need.need.target])}"
        for need in result.needs
    )
    yield f"The smallest relaxation, of all at once: {100 * relaxation.share:.1f} %: {least}."
    for each in result.needs:
        most = relaxation.alone[each.need.target]
        if len(result.needs) > 1 and most is not None:
            yield f"Or, with the others kept: {each.need.target} up to {_amount(each.need, most)}."
        elif len(result.needs) > 1:
            yield f"No amount of {each.need.target} lets the others be kept."


def _goal(result: TuneResult) -> str:
    return {FREE: "available memory", SPEED: "all throughputs"}.get(result.prefer, result.prefer)


def _target(result: TuneResult) -> str:
    psram = "" if result.psram == "none" else f" with {result.psram} PSRAM"
    return f"{result.chip}{psram}, ESP-IDF {result.sdk}"


def _unit(target: str) -> str:
    return "KB" if target == FREE else "Mbit/s"


def _amount(need: TuneNeed, amount: float) -> str:
    return f"{amount:.1f} {need.unit}"


def _print_figures(result: TuneResult, target: Console) -> None:
    rows = [("now", result.now)]
    if result.best is not None:
        rows.append(("best", result.best))
    if result.relaxation is not None:
        rows.append(("nearest", result.relaxation.best))
    columns = [
        Column(heading="", name=True),
        *(Column(heading=_NAMES[metric]) for metric in _FIGURES),
    ]
    cells: list[list[Cell]] = []
    for name, candidate in rows:
        cells.append([name, *(f"{candidate.figures.median[metric]:.1f}" for metric in _FIGURES)])
        cells.append(["  80 % band", *(_band(candidate, metric) for metric in _FIGURES)])
    target.print(table("Predicted (throughputs in Mbit/s)", columns, cells, width=target.width))


def _band(candidate: Candidate, metric: str) -> str:
    return f"{candidate.figures.low[metric]:.0f}-{candidate.figures.high[metric]:.0f}"


def _print_needs(result: TuneResult, target: Console) -> None:
    columns = [
        Column(heading="need", name=True),
        Column(heading="has"),
        Column(heading="binds", name=True),
    ]
    rows: list[list[Cell]] = [
        [
            f"{each.need.target}>={_amount(each.need, each.need.amount)}",
            _amount(each.need, each.value),
            _binds(result, each),
        ]
        for each in result.needs
    ]
    target.print(table("Needs", columns, rows, width=target.width))


def _binds(result: TuneResult, each: NeedResult) -> str:
    if each.without is None:
        return "met" if each.value >= each.need.amount else "not met"
    if not each.binds:
        return "no"
    if result.prefer == SPEED:
        return "yes: without it all would be faster"
    return f"yes: without it {each.without:.1f} {_unit(result.prefer)} more {result.prefer}"


def _print_changes(result: TuneResult, target: Console) -> None:
    columns = [
        Column(heading="changed", name=True),
        Column(heading="from"),
        Column(heading="to"),
        Column(heading="gives and costs, if all else is so", name=True),
    ]
    rows: list[list[Cell]] = []
    for each in result.changes:
        text = effect_text(each)
        if each.breaks:
            text += f"; rule {', '.join(each.breaks)} needs it"
        rows.append(
            [LABELS[each.knob], label(each.knob, each.before), label(each.knob, each.after), text]
        )
    target.print(table("Changes", columns, rows, width=target.width))


def _print_alternatives(result: TuneResult, target: Console) -> None:
    columns = [
        Column(heading="kept as it is", name=True),
        Column(heading="costs"),
        *(Column(heading=_NAMES[metric]) for metric in _FIGURES),
    ]
    speed = result.prefer == SPEED
    rows: list[list[Cell]] = []
    for each in sorted(result.alternatives, key=lambda one: one.loss):
        kept = f"{LABELS[each.kept]} {label(each.kept, each.best.choice[each.kept])}"
        loss = f"{each.loss:.3f}" if speed else f"{each.loss:.1f} {_unit(result.prefer)}"
        rows.append(
            [kept, loss, *(f"{each.best.figures.median[metric]:.1f}" for metric in _FIGURES)]
        )
    target.print(
        table(
            "Alternatives: the best that leaves one option alone", columns, rows, width=target.width
        )
    )


def _print_tls(choice: TlsChoice, target: Console) -> None:
    columns = [
        Column(heading="TLS", name=True),
        Column(heading="internal"),
        Column(heading="PSRAM"),
        Column(heading="longest"),
        Column(heading="asks", name=True),
    ]
    rows: list[list[Cell]] = []
    for each in choice.worthwhile():
        mark = " (now)" if each is choice.now else ""
        mark += " *" if each is choice.best else ""
        asks = [*([f"peer: {each.peer}"] if each.peer else []), *each.asks]
        rows.append(
            [
                each.name + mark,
                f"{each.internal:,}",
                f"{each.external:,}" if each.external else None,
                f"{each.piece:,}",
                "; ".join(asks) or "nothing",
            ]
        )
    title = (
        f"TLS modes, {choice.sessions} at once, bytes; *: the least that asks nothing of the peer"
    )
    target.print(table(title, columns, rows, width=target.width))


def _print_front(result: TuneResult, target: Console) -> None:
    held = "median" if result.median else "lower bound"
    columns = [
        Column(heading=f"free KB ({held})"),
        Column(heading=f"{result.front_metric} ({held})"),
        Column(heading="static RX"),
        Column(heading="dynamic RX"),
        Column(heading="TX"),
        Column(heading="block-ack"),
        Column(heading="IRAM", name=True),
    ]
    rows: list[list[Cell]] = [
        [
            f"{point.free:.1f}",
            f"{point.value:.1f}",
            *(
                label(name, point.best.choice[name])
                for name in ("static_rx", "dynamic_rx", "tx", "rx_ba_win")
            ),
            _iram(point.best),
        ]
        for point in result.front
    ]
    target.print(
        table(
            f"Front: none has more of both memory and {result.front_metric}",
            columns,
            rows,
            width=target.width,
        )
    )


def _iram(candidate: Candidate) -> str:
    names = {"wifi_iram": "Wi-Fi", "wifi_rx_iram": "RX", "lwip_iram": "lwIP"}
    return " ".join(text for name, text in names.items() if candidate.choice[name]) or "none"
