"""The answer of a search in figures and sentences."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from heapscope.answers.place.device_code import device_code
from heapscope.answers.place.ends import find_ends, heap_with_ends
from heapscope.answers.place.ends_placed import EndsPlaced, ends_placed
from heapscope.answers.place.find import WORTH, PlaceSearch, PlaceSolution, Way
from heapscope.answers.place.perturbed_place import PerturbedPlacement, perturbed_placement
from heapscope.answers.place.place_result import OptionPlaced, PlacedMemory, PlaceResult
from heapscope.answers.place.question import PlaceQuestion
from heapscope.answers.place.rule_lines import PlaceRule
from heapscope.answers.place.trial import PlaceTrials, RuleOutcome
from heapscope.base.printable import printable
from heapscope.base.request import Request
from heapscope.base.rows.request import RequestRow
from heapscope.base.wording import plural, size
from heapscope.simulation.jitter.runs import Jitter, kept_in_memory

NONE, SINGLE, BEST, POOLS, ENDS = (
    "no rules",
    "best single rule",
    "best placement",
    "best placement, pools",
    "best placement, both ends",
)

_NOTHING_TO_PERTURB = "There are no rules whose gain perturbed runs could test."

#: Told how many perturbed replays are done, and of how many.
OnPerturbed = Callable[[int, int], None]


def place(
    question: PlaceQuestion,
    *,
    second: Path | None = None,
    jitter: Jitter | None = None,
    perturbing: OnPerturbed | None = None,
) -> PlaceResult:
    """Solves it, replays it, and says what is known."""
    solution = PlaceSearch(question).find()
    need = question.wish.need
    other = None if second is None else _other(question, second)
    ends, both = (None, None) if other is None else _ends(question, solution, other)
    pooled = solution.best if _has_pools(solution.best) else None
    ways = [
        (NONE, solution.none),
        (SINGLE, solution.single),
        (BEST, solution.plain),
        (POOLS, pooled),
        (ENDS, both),
    ]
    best = solution.best if both is None else both
    perturbed = None
    if jitter is not None and (need is not None or best.text != solution.none.text):
        perturbed = _perturbed(question, best, jitter, perturbing)
    return PlaceResult(
        trace=printable(str(question.path), limit=400),
        layout=question.layout.name,
        goal="free" if need is None else "need",
        need=None if need is None else RequestRow.of(need),
        slow_most=question.wish.slow,
        ways=tuple(_placed(name, way, question.room) for name, way in ways if way is not None),
        second=() if other is None else tuple(_second(question, ways, other)),
        ends=ends,
        perturbed=perturbed,
        bound=solution.bound,
        gap=_gap(question, solution),
        proved=solution.proved,
        stopped=solution.stopped,
        classes=len(question.classes.rows),
        moments=solution.moments,
        replays=question.trials.replays,
        decided=best.outcome.rules,
        option=_option(question, solution),
        code=device_code(best.rules, question.layout),
        notes=(
            *question.layout.notes,
            *_notes(question, solution, second=second is not None),
            *(() if jitter is None or perturbed is not None else (_NOTHING_TO_PERTURB,)),
        ),
        verdict=(
            *_verdict(question, solution),
            *(() if ends is None else (ends.sentence,)),
            *(
                ()
                if perturbed is None
                else perturbed.sentences("" if need is None else _need(need))
            ),
        ),
    )


def _ends(
    question: PlaceQuestion, solution: PlaceSolution, other: PlaceQuestion
) -> tuple[EndsPlaced | None, Way | None]:
    """The gain of both ends; and the best placement with them, None: they are not offered."""
    if heap_with_ends(question) is None or _has_pools(solution.best):
        return None, None
    best = solution.best
    high = find_ends(question, other, best.rules)
    if not high.wins:
        return ends_placed(high, kept=False), None
    rules = (*best.rules, *high.rules)
    text = question.text(rules)
    way = Way(rules=rules, text=text, slow=best.slow, outcome=question.trials.run(text))
    before, after = (other.trials.run(each) for each in (best.text, text))
    kept = not _is_worse(question, way.outcome, best.outcome) and not _is_worse(
        question, after, before
    )
    return ends_placed(high, kept=kept), way if kept else None


def _has_pools(way: Way) -> bool:
    return any(rule.pool is not None for rule in way.rules)


def _is_worse(question: PlaceQuestion, one: RuleOutcome, other: RuleOutcome) -> bool:
    if one.failures != other.failures:
        return one.failures > other.failures
    figure, more = question.figure(one), question.figure(other)
    return figure < more - WORTH * max(1, more)


def _other(question: PlaceQuestion, second: Path) -> PlaceQuestion:
    return PlaceQuestion(
        path=second, layout=question.layout, wish=question.wish, tried=question.tried
    )


def _perturbed(
    question: PlaceQuestion, best: Way, jitter: Jitter, done: OnPerturbed | None
) -> PerturbedPlacement:
    counted = itertools.count(1)

    def one() -> None:
        if done is not None:
            done(next(counted), 2 * jitter.runs)

    return perturbed_placement(question, best, jitter, kept_in_memory(question.path), one)


def _need(need: Request) -> str:
    return f"{size(need.size)} from {need.capabilities}"


def _placed(name: str, way: Way, room: int) -> PlacedMemory:
    outcome = way.outcome
    return PlacedMemory(
        name=name,
        rules=len(way.rules),
        failures=outcome.failures,
        free=outcome.free,
        taken=max(0, room - outcome.free),
        largest=None if outcome.largest is None else max(0, outcome.largest),
        slow=round(way.slow, 2),
        elsewhere=outcome.elsewhere,
        lines=tuple(way.text.splitlines()),
    )


def _second(
    question: PlaceQuestion, ways: Sequence[tuple[str, Way | None]], other: PlaceQuestion
) -> Iterator[PlacedMemory]:
    """The rules of the first recording, replayed with another one."""
    for name, way in ways:
        if way is not None:
            outcome = other.trials.run(way.text)
            slow = _slow_of(other, way.rules)
            again = Way(rules=way.rules, text=way.text, slow=slow, outcome=outcome)
            yield _placed(name, again, question.room)


def _slow_of(question: PlaceQuestion, rules: tuple[PlaceRule, ...]) -> float:
    """Percent of this recording's bytes that rules of another one send to slow memory."""
    weights = {target.name: target.weight for target in question.targets}
    total = 0.0
    names = question.recording.names
    counts = question.counts
    for row, count in zip(question.blocks.requested, counts, strict=True):
        for rule in rules:
            if rule.high:
                continue
            owner = rule.owner
            if (
                owner.task in (None, names.tasks[int(row["task"])])
                and owner.site in (None, names.sites[int(row["site"])])
                and owner.heap in (None, int(row["heap"]))
                and rule.least <= row["size"] <= rule.most
            ):
                total += weights.get(rule.target, 0.0) * float(row["size"]) * float(count)
                break
    return 100 * total / max(1, question.classes.total)


def _gap(question: PlaceQuestion, solution: PlaceSolution) -> float | None:
    figure = question.figure(solution.best.outcome)
    if figure <= 0 or solution.bound < figure:
        return None
    return 100 * (solution.bound - figure) / figure


def _option(question: PlaceQuestion, solution: PlaceSolution) -> OptionPlaced | None:
    """malloc's own threshold, replayed as the option sets it, with the memory that it reserves."""
    way = solution.threshold
    if way is None or question.with_threshold is None:
        return None
    most = way.rules[0].least - 1
    layout = question.with_threshold(most)
    if layout is None:
        return None
    trials = PlaceTrials(question.recording, layout, need=question.wish.need, tried=question.tried)
    outcome = trials.run("")
    return OptionPlaced(
        lines=(
            "CONFIG_SPIRAM=y",
            "CONFIG_SPIRAM_USE_MALLOC=y",
            f"CONFIG_SPIRAM_MALLOC_ALWAYSINTERNAL={most}",
        ),
        free=outcome.free,
        failures=outcome.failures,
        largest=None if outcome.largest is None else max(0, outcome.largest),
        slow=round(way.slow, 2),
    )


def _notes(question: PlaceQuestion, solution: PlaceSolution, *, second: bool) -> Iterator[str]:
    owners = {row.owner for row in question.classes.rows}
    if len(owners) == 1:
        yield (
            "The trace tells one task and no call sites, so rules can tell its requests apart by "
            "size alone."
        )
    if question.layout.chip and not question.slow:
        yield "There is no slow memory that rules may use: --psram 4MB adds some, --slow allows it."
    if question.wish.pools and not question.pools:
        yield "No block size promises anything from a pool."
    if second and heap_with_ends(question) is not None and _has_pools(solution.best):
        yield "Both ends of the heap were not tried beside pools."
    if not second and heap_with_ends(question) is not None:
        yield "The heap has two ends: --second tries whether they bring anything."
    if solution.best.rules and not second:
        yield "The rules were made from one recording: --second tries them on another one."


# ---- sentences -----------------------------------------------------------------------------------


def _verdict(question: PlaceQuestion, solution: PlaceSolution) -> Iterator[str]:
    need, best, none = question.wish.need, solution.best, solution.none
    figure, before = question.figure(best.outcome), max(0, question.figure(none.outcome))
    if need is not None:
        yield _held(question, solution, figure)
    elif best.text != none.text:
        yield (
            f"{size(figure)} of internal memory stay free at the worst moment, and {size(before)} "
            "without these rules."
        )
    else:
        yield f"Nothing is to be gained: {size(before)} stay free at the worst moment as it is."
    if best.outcome.failures != none.outcome.failures:
        yield f"Without them {plural(none.outcome.failures, 'request')} fail."
    if best.outcome.failures:
        yield f"{plural(best.outcome.failures, 'request')} of the trace still fail."
    yield from _against_single(question, solution)
    yield from _pools(question, solution, figure)
    yield from _bound(question, solution, figure)
    if solution.stopped:
        yield "The time was over before all was tried: --time-limit gives more."


def _held(question: PlaceQuestion, solution: PlaceSolution, figure: int) -> str:
    assert question.wish.need is not None
    wanted, bytes_ = _need(question.wish.need), question.wish.need.size
    before = max(0, question.figure(solution.none.outcome))
    if figure >= bytes_ and solution.best.text == solution.none.text:
        return (
            f"Nothing is to be gained: {wanted} fit at every moment as it is, and the largest "
            f"block is {size(before)} at the worst."
        )
    if figure >= bytes_:
        return (
            f"{wanted} fit at every moment: the largest block is {size(figure)} at the worst, and "
            f"{size(before)} without these rules."
        )
    if solution.bound < bytes_:
        return (
            f"{wanted} cannot fit at every moment: no rules for these classes leave a block above "
            f"{size(solution.bound)}, and the best that was found leaves {size(max(0, figure))}."
        )
    return (
        f"No rules were found with which {wanted} fit at every moment: the best leave "
        f"{size(max(0, figure))}. The bound does not rule it out."
    )


def _against_single(question: PlaceQuestion, solution: PlaceSolution) -> Iterator[str]:
    single, best = solution.single, solution.best
    if single is None or best.text == solution.none.text:
        return
    figure, other = question.figure(best.outcome), question.figure(single.outcome)
    if best.text == single.text:
        yield "A single rule does it."
    elif other > 0 and best.outcome.failures == single.outcome.failures:
        more = 100 * (figure - other) / other
        yield f"That is {more:.1f} % more than the best single rule gives ({size(other)})."


def _pools(question: PlaceQuestion, solution: PlaceSolution, figure: int) -> Iterator[str]:
    if not question.pools:
        return
    if not solution.pools:
        yield "The time was over before pools of fixed blocks were tried."
        return
    tried = plural(len(question.pools), "block size")
    if not _has_pools(solution.best):
        yield f"Pools of fixed blocks gain nothing here: {tried} were tried."
        return
    without = max(0, question.figure(solution.plain.outcome))
    pools = dict.fromkeys(rule.pool for rule in solution.best.rules if rule.pool is not None)
    yield (
        f"With {plural(len(pools), 'pool')} of fixed blocks that is {size(figure - without)} more "
        f"than the best rules without pools give ({size(without)}); {tried} were tried."
    )


def _bound(question: PlaceQuestion, solution: PlaceSolution, figure: int) -> Iterator[str]:
    what = "leave more than" if question.wish.need is None else "leave a block above"
    rules = "rules for these classes"
    rules += " and pools of these block sizes" if solution.pools else ""
    gap = _gap(question, solution)
    if solution.bound < figure:
        yield (
            "The bound does not hold here: requests were served elsewhere than the rules say, "
            "which it does not count."
        )
    elif gap is None:
        yield f"No {rules} {what} {size(solution.bound)}."
    else:
        solved = "" if solution.proved else ", by the best bound when the time was over"
        yield (
            f"No {rules} {what} {size(solution.bound)}{solved}, which is {gap:.1f} % "
            "more than the replay shows."
        )
