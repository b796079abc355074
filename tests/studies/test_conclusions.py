"""Conclusions follow from figures: other figures, another sentence. Each function that concludes is
given its own figures, and then such that do not bear what it says of them."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from heapscope.native.structs import Struct
from heapscope_studies.conclusion import alike, concluded, part_of
from heapscope_studies.heap_change import control, counts, upgrade
from heapscope_studies.ice_pools import marks
from heapscope_studies.ice_pools.recorded import read_dumps
from heapscope_studies.registry import EXPERIMENTS
from heapscope_studies.script_heap import compute as script_heap
from heapscope_studies.tls_ladder import tables as ladder
from heapscope_studies.wifi_path import distance, heap, sweeps, tenants, throughput
from heapscope_studies.wifi_path.measured import Link, read_link

SOURCES = Path(__file__).resolve().parents[2] / "studies" / "heapscope_studies"


@pytest.fixture(scope="module")
def link() -> Link:
    return read_link()


def text_of(sentences: Iterator[str]) -> str:
    return " ".join(sentences)


def turned(conclude: Callable[[Any], Iterator[str]], figures: Any, others: Any, *text: str) -> None:
    """`text` stands where the figures bear it, and nowhere with the others."""
    before, after = text_of(conclude(figures)), text_of(conclude(others))
    for phrase in text:
        assert phrase in before
        assert phrase not in after


def test_udp_is_a_miss_while_a_coin_would_do_as_well(link: Link) -> None:
    result = throughput.opinions(link)
    total = result["udp"].order.total
    better = replace(result["udp"], order=throughput.Pairs(right=total - 3, total=total))
    guessed = replace(result["udp"], order=throughput.Pairs(right=total // 3, total=total))

    def conclude(udp: Any) -> Iterator[str]:
        return throughput.findings(link, {**result, "udp": udp})

    turned(conclude, guessed, better, "UDP is a miss", "come out alike")
    half = replace(result["udp"], order=throughput.Pairs(right=total // 2, total=total))
    assert "UDP is a miss" in text_of(conclude(half))


def test_the_better_throughput_model_is_the_one_with_the_smaller_error(link: Link) -> None:
    result = throughput.opinions(link)
    near = replace(result["tcp"], simulated=result["tcp"].simulated / 100)
    turned(
        lambda tcp: throughput.findings(link, {**result, "tcp": tcp}),
        result["tcp"],
        near,
        "it is the better one",
    )


def test_what_losses_cost_follows_from_the_ratios(link: Link) -> None:
    result, form = distance.far(link), distance.forms(link)
    none = tuple(replace(one, simulated=one.predicted * 2) if one.loss else one for one in result)
    turned(lambda far: distance.findings(far, form), result, none, "knows no timeouts")
    exact = tuple(replace(one, bare_pct=one.worst_pct + 1) for one in form)
    turned(lambda forms: distance.findings(result, forms), form, exact, "are worth what they are")


def test_what_sweeps_say_follows_from_their_curves(link: Link) -> None:
    flat = copy.deepcopy(link)
    for curves in flat.sweeps.values():
        for curve in curves:
            for key in ("mbit", "peak"):
                curve[key] = [50.0 for _ in curve[key]]
    turned(
        sweeps.findings,
        link,
        flat,
        "a slow start holds back",
        "what came after the gap waits",
        "Where a frame is lost decides",
        "frames wait for the one before",
        "stalls a connection",
    )


def test_what_heaps_say_follows_from_their_peaks() -> None:
    heaps = heap.read_heaps()
    huge = {
        name: replace(one, peak={metric: 50 * peak for metric, peak in one.peak.items()})
        for name, one in heaps.items()
    }
    turned(
        heap.findings,
        heaps,
        huge,
        "Sending holds what it sends twice",
        "not all buffers of both directions",
    )


def test_the_generators_window_is_reported_where_it_takes_more() -> None:
    result = tenants.compared()
    less = tuple(
        replace(one, tenants={task: size // 3 for task, size in one.tenants.items()})
        for one in result
    )
    turned(tenants.findings, result, less, "a whole window under way at once")


def test_the_ladders_misses_are_reported_while_they_miss(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: dict[str, tuple[Any, ...]] = {}

    def kept(*figures: Any) -> Iterator[str]:
        reported["figures"] = figures
        return iter(())

    with monkeypatch.context() as patch:
        patch.setattr(ladder, "findings", kept)
        EXPERIMENTS["tls-ladder"].run(lambda done, total: None)
    result, peaks, priced, firmware, ours = reported["figures"]

    def conclude(figures: tuple[Any, Any]) -> Iterator[str]:
        return ladder.findings(result, peaks, figures[0], firmware, figures[1])

    near = [
        replace(one, low=one.published / 2) if one.key == "tcp_minimal_mbps" else one
        for one in priced
    ]
    larger = replace(ours, tasks={**ours.tasks, "aws_iot": (50_000, 0)})
    others = (near, larger)
    turned(
        conclude,
        (priced, ours),
        others,
        "With no delay that was tried it is as slow as published",
        "no record buffer before there is a record",
    )
    assert "is among those with other delays" in text_of(conclude(others))


def test_most_of_an_upgrade_is_tables_while_it_is() -> None:
    started = upgrade.start_all()
    other = {
        name: replace(one, parts=replace(one.parts, control=one.parts.control // 4))
        for name, one in started.items()
    }
    turned(upgrade.findings, started, other, "nearly all of it tables")
    assert part_of(5, 100) == "hardly any of it"
    assert [part_of(n, 100) for n in (100, 90, 89, 50, 49, 10, 9)] == [
        *["nearly all of it"] * 2,
        *["most of it"] * 2,
        *["some of it"] * 2,
        "hardly any of it",
    ]


def test_light_poisoning_is_reported_by_the_builds_that_have_it() -> None:
    opened = control.open_all()
    assert control.poisoned_note(opened) == "light poisoning changes nothing here"
    name, rows = next((name, rows) for name, rows in opened.items() if rows[0] is not None)
    assert rows[0] is not None
    larger = Struct(**vars(rows[0]) | {"control": rows[0].control + 12})
    more = (larger, *rows[1:])
    reported = control.poisoned_note(opened, {**opened, name: more})
    assert reported == f"light poisoning changes what is taken of {name}"


def test_what_the_counts_of_blocks_say_follows_from_them() -> None:
    counted = counts.count_all()
    other = {
        name: replace(row, blocks={size: blocks + 1 for size, blocks in row.blocks.items()})
        for name, row in counted.items()
    }
    turned(counts.findings, counted, other, "from unlike builds; like for like")


def test_the_quiet_marks_are_reported_to_come_out_while_they_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = {one["key"]: read_dumps(one["dumps"]) for one in marks.CONFIGURATIONS}
    before = text_of(marks.findings(calls))
    first, *others = marks.CONFIGURATIONS
    changed = {**first, "used": [first["used"][0] + 8, *first["used"][1:]]}
    monkeypatch.setattr(marks, "CONFIGURATIONS", [changed, *others])
    after = text_of(marks.findings(calls))
    assert "all 24 of the four quiet marks among them" in before
    assert "but not all of the four quiet marks" in after


def test_a_shared_heap_is_as_fast_while_it_is() -> None:
    def measured(seconds: float, private: str | None) -> Any:
        arrangement = SimpleNamespace(shared="heapscope", private=private)
        return SimpleNamespace(
            played=SimpleNamespace(arrangement=arrangement),
            spread=lambda kind, day: SimpleNamespace(middle=seconds),
        )

    alone = measured(0.100, "heapscope")
    for seconds, reported in [(0.100, "is as fast where all share it"), (0.300, "it takes 300 ms")]:
        assert reported in script_heap.where_all_share(alone, [measured(seconds, None), alone])


def test_figures_are_alike_within_their_share() -> None:
    assert alike(115, 100)
    assert alike(85, 100)
    assert not alike(116, 100)
    assert not alike(84, 100)
    assert concluded(True, "a", "b") + concluded(False, "a", "b") == "ab"


#: Words of a verdict on figures. A sentence that has one is chosen by concluded().
VERDICTS = (
    "is a miss",
    "are not what",
    "is the better",
    "nearly all of",
    "too fast for",
    "unlike builds",
    "comes out:",
    "need not have",
    "less to give",
    "no difference",
    "stalls a",
    "as fast where",
)


@pytest.mark.parametrize("path", sorted(SOURCES.rglob("*.py")), ids=lambda path: path.name)
def test_no_verdict_is_typed_outside_of_a_choice(path: Path) -> None:
    """Every literal with such words lies within a call of concluded() or under an `if`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    chosen = {
        id(node)
        for choice in ast.walk(tree)
        if isinstance(choice, (ast.If, ast.IfExp))
        or (isinstance(choice, ast.Call) and getattr(choice.func, "id", "") in ("concluded",))
        for node in ast.walk(choice)
    }
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            typed = [word for word in VERDICTS if word in node.value]
            free = id(node) not in chosen and id(node) not in docstrings
            assert not (typed and free and path.name != "conclusion.py"), (node.lineno, typed)
