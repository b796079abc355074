"""Each published configuration against the best one that takes no more memory.

By the models' medians, for software and clock of the tables. A rank that no build would take (it
breaks a rule, or is out of Kconfig's range) is first projected: the nearest configuration that one
would take stands for it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heapscope.config.config import settle
from heapscope.predict.constants import read_constants
from heapscope.predict.wifi_table import METRICS, NO_PSRAM, WifiRow, table
from heapscope.rows.figure import figure
from heapscope.rows.row import Document
from heapscope.tune.answer import Candidate, FiguresRow, RankGainRow
from heapscope.tune.needs import SPEED
from heapscope.tune.options import LABELS, as_number, label, option_values, out_of_range
from heapscope.tune.problem import Problem, with_psram
from heapscope.tune.wifi import FREE
from heapscope.verb_result import Results

_SDK = "5.5"  # whose rules and ranges count
#: Ranks that are named after a direction; the others are for all of them.
_DIRECTIONS = {"TX prior": "tcp_tx", "RX prior": "tcp_rx"}
_WINDOWS = ("tcp_snd_buf", "tcp_wnd")
_GAIN = 1e-4  # of a throughput: less is the solver's tolerance
Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class RankGain:
    """`refused`: why no build takes the rank as it is published. `base`: the rank, or what stands
    for it. `best`: no less memory, no throughput lower, and most of `direction`; where that is no
    more than the base has, the base. `spare`: percent of the base's time per bit, added up over all
    throughputs, below which the solver's bound says that no configuration comes."""

    WRITTEN = RankGainRow

    row: WifiRow
    refused: tuple[str, ...]
    base: Candidate
    best: Candidate
    direction: str
    spare: float
    programmes: int

    @property
    def gains(self) -> dict[str, float]:
        """In percent of a throughput."""
        before, after = self.base.figures.median, self.best.figures.median
        return {metric: 100 * (after[metric] / before[metric] - 1) for metric in METRICS}

    @property
    def moved(self) -> str:
        """The changes, for people."""
        return ", ".join(
            f"{LABELS[name]} {label(name, before)} -> {label(name, self.best.choice[name])}"
            for name, before in self.base.choice.items()
            if before != self.best.choice[name]
        )

    @property
    def gained(self) -> bool:
        return max(self.gains.values()) > 100 * _GAIN

    @property
    def proven(self) -> bool:
        """That there is none: whatever is better in one throughput and worse in none takes less
        time in all, and nothing takes less than the bound."""
        return not self.gained and self.spare <= 100 * _GAIN

    def to_json(self) -> dict[str, Any]:
        before, after = self.base.figures.median, self.best.figures.median
        return RankGainRow(
            rank=self.row.id,
            label=self.row.label,
            group=self.row.knobs.group,
            refused=self.refused,
            projected=self.base.knobs() if self.refused else None,
            direction=self.direction,
            predicted=_figures(self.base),
            best=self.best.knobs(),
            best_predicted=_figures(self.best),
            gain_pct={name: round(value, 2) for name, value in self.gains.items()},
            gain_free_kb=round(after[FREE] - before[FREE], 2),
            gained=self.gained,
            proven_none=self.proven,
            spare_pct=round(self.spare, 4),
        ).to_json()


class RanksDocument(Document):
    """Published configurations beside the best ones. Throughputs are in Mbit/s, memory is in KB
    (1024 bytes); figures are predictions."""

    VERB = "tune-ranks"
    COMMAND = "tune --ranks --json"

    ranks: tuple[RankGain, ...] = figure("The published configurations.")


class RankGains(Results[RankGain]):
    """Each published configuration beside the best one."""

    def to_json(self) -> Any:
        return RanksDocument(ranks=self.results).to_json()


def rank_gains(
    rows: Sequence[WifiRow], progress: Progress = lambda done, total: None
) -> list[RankGain]:
    found = []
    for number, row in enumerate(rows):
        progress(number, len(rows))
        found.append(_gain(row))
    return found


def _gain(row: WifiRow) -> RankGain:
    config = settle((), chip=row.knobs.chip, sdk=_SDK)
    if row.knobs.psram != NO_PSRAM:
        config = with_psram(config, row.knobs.psram)
    problem = Problem.of(config, read_constants(), now=row.knobs, median=True)
    refused = _refused(problem, row.id)
    legal = not problem.domain.space.broken(problem.current) and _inside(problem)
    choice = problem.current if legal else _nearest(problem)
    base = problem.candidate(choice)
    space = problem.domain.space
    limits = {
        problem.quantities[name]: problem.quantities[name].value(choice, space)
        for name in (FREE, *METRICS)
    }
    best, direction, spare = base, SPEED, 100.0
    for direction in dict.fromkeys((_DIRECTIONS.get(row.label, SPEED), SPEED)):
        found = problem.best(direction, limits)
        goal = problem.quantities[direction]
        if found is not None:
            spare = 100 * (1 - found.bound / goal.value(choice, space))
        if found is not None and goal.value(choice, space) - found.value > _GAIN * goal.scale:
            best = problem.candidate(problem.polished(direction, limits, found))
            break
    return RankGain(
        row=row,
        refused=refused,
        base=base,
        best=best,
        direction=direction,
        spare=spare,
        programmes=problem.solved,
    )


def _refused(problem: Problem, rank: str) -> tuple[str, ...]:
    """Rules that it breaks, and values that are out of Kconfig's range. Longer windows than it
    takes stand in the tables at the longest."""
    choice = problem.current
    broken = [rule.name for rule in problem.domain.space.broken(choice)]
    values: dict[str, Any] = {}
    for name, value in choice.items():
        values.update(option_values(problem.now.chip, name, value))
    said = [
        f"{LABELS[name]} of {row[f'{name}_kb']} KB: {as_number(choice[name]):,} bytes, the most, "
        "stand for it"
        for row in table("beyond")
        for name in _WINDOWS
        if row["id"] == rank
    ]
    return (*dict.fromkeys(broken), *out_of_range(problem.config, values), *said)


def _inside(problem: Problem) -> bool:
    return all(problem.current[knob.name] in knob.values for knob in problem.domain.space.knobs)


def _nearest(problem: Problem) -> Mapping[str, Hashable]:
    """Least changed in all: shares of each knob's range, added up."""
    weights: dict[str, dict[Hashable, float]] = {}
    for knob in problem.domain.space.knobs:
        current = problem.current[knob.name]
        numbers = [_number(value) for value in (*knob.values, current)]
        span = max(numbers) - min(numbers) or 1.0
        weights[knob.name] = {
            value: abs(_number(value) - _number(current)) / span for value in knob.values
        }
    found = problem.search.lightest(weights, {})
    assert found is not None  # every table has ranks that can be built
    return found.choice


def _number(value: Hashable) -> float:
    count = value[1] if isinstance(value, tuple) else value
    return float(count)  # type: ignore[arg-type]


def _figures(candidate: Candidate) -> FiguresRow:
    return FiguresRow(**{name: round(value, 2) for name, value in candidate.figures.median.items()})
