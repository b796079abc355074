"""Each published configuration against the best one that takes no more memory.

By the models' medians, for software and clock of the tables. A rank that no build would take (it
breaks a rule, or is out of Kconfig's range) is first projected: the nearest configuration that one
would take stands for it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Document, Row
from heapscope.base.verb_result import Results
from heapscope.config.config import settle
from heapscope.forecast.predict.constants import read_constants
from heapscope.forecast.predict.wifi_table import METRICS, NO_PSRAM, WifiRow, table
from heapscope.forecast.tune.answer import Candidate
from heapscope.forecast.tune.goals import SPEED
from heapscope.forecast.tune.memory import FREE
from heapscope.forecast.tune.options import LABELS, as_number, label, option_values, out_of_range
from heapscope.forecast.tune.problem import Problem, with_psram

_SDK = "5.5"  # whose rules and ranges count
#: Ranks that are named after a direction; the others are for all of them.
_DIRECTIONS = {"TX prior": "tcp_tx", "RX prior": "tcp_rx"}
_WINDOWS = ("tcp_snd_buf", "tcp_wnd")
_GAIN = 1e-4  # of a throughput: less is the solver's tolerance
Progress = Callable[[int, int], None]


class RankGain(Row):
    """A published configuration and the best one that takes no more memory, no throughput lower.
    Where that is no more than the published one has, it is the published one."""

    row: WifiRow = figure("The published configuration.", hidden=True)
    base: Candidate = figure("The same, or what stands for it.", hidden=True)
    then: Candidate = figure("The best configuration.", hidden=True)
    refused: tuple[str, ...] = figure("The reasons why no build takes it as published.")
    direction: str = figure(
        "The figure that was made most of.", choices=(SPEED, "tcp_tx", "tcp_rx")
    )
    spare_pct: float = figure(
        "The part of its time per bit, all throughputs added up, that the bound is below it.",
        "%",
        least=None,
        digits=4,
    )

    @property
    @computed("The published configuration.")
    def rank(self) -> str:
        return self.row.id

    @property
    @computed("The name that it has in its table.")
    def label(self) -> str:
        return self.row.label

    @property
    @computed("The chip and the PSRAM.")
    def group(self) -> str:
        return self.row.knobs.group

    @property
    @computed("The value of each knob that then stands for it; null: it is taken as published.")
    def projected(self) -> dict[str, str] | None:
        return self.base.knobs if self.refused else None

    @property
    @computed(
        "The medians of the published configuration: Mbit/s; free in KB.", least=None, digits=2
    )
    def predicted(self) -> dict[str, float]:
        return self.base.median

    @property
    @computed("The value of each knob of the best configuration.")
    def best(self) -> dict[str, str]:
        return self.then.knobs

    @property
    @computed("The medians of the best configuration: Mbit/s; free in KB.", least=None, digits=2)
    def best_predicted(self) -> dict[str, float]:
        return self.then.median

    @property
    @computed("The gain of each throughput.", "%", least=None, digits=2)
    def gain_pct(self) -> dict[str, float]:
        before, after = self.base.median, self.then.median
        return {metric: 100 * (after[metric] / before[metric] - 1) for metric in METRICS}

    @property
    @computed("The gain of available memory.", "KB", least=None, digits=2)
    def gain_free_kb(self) -> float:
        return self.then.median[FREE] - self.base.median[FREE]

    @property
    @computed("A throughput is better by more than the solver's tolerance.")
    def gained(self) -> bool:
        return max(self.gain_pct.values()) > 100 * _GAIN

    @property
    @computed("By the solver's bound nothing is better.")
    def proven_none(self) -> bool:
        """Whatever is better in one throughput and worse in none takes less time in all, and
        nothing takes less than the bound."""
        return not self.gained and self.spare_pct <= 100 * _GAIN

    @property
    def moved(self) -> str:
        """The changes, for people."""
        return ", ".join(
            f"{LABELS[name]} {label(name, before)} -> {label(name, self.then.choice[name])}"
            for name, before in self.base.choice.items()
            if before != self.then.choice[name]
        )


class RanksDocument(Document):
    """Published configurations beside the best ones. Throughputs are in Mbit/s, memory is in KB
    (1024 bytes); figures are predictions."""

    VERB = "tune"
    KIND = "ranks"
    COMMAND = "tune --ranks --json"

    ranks: tuple[RankGain, ...] = figure("The published configurations.")


class RankGains(Results[RankGain]):
    """Each published configuration beside the best one."""

    def to_json(self) -> Any:
        return RanksDocument(ranks=self.results).to_json()


def rank_gains(
    rows: Sequence[WifiRow], progress: Progress = lambda done, total: None
) -> list[RankGain]:
    results = []
    for number, row in enumerate(rows):
        progress(number, len(rows))
        results.append(_gain(row))
    return results


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
        result = problem.best(direction, limits)
        goal = problem.quantities[direction]
        if result is not None:
            spare = 100 * (1 - result.bound / goal.value(choice, space))
        if result is not None and goal.value(choice, space) - result.value > _GAIN * goal.scale:
            best = problem.candidate(problem.polished(direction, limits, result))
            break
    return RankGain(
        row=row,
        refused=refused,
        base=base,
        then=best,
        direction=direction,
        spare_pct=spare,
    )


def _refused(problem: Problem, rank: str) -> tuple[str, ...]:
    """Rules that it breaks, and values that are out of Kconfig's range. Longer windows than it
    takes stand in the tables at the longest."""
    choice = problem.current
    broken = [rule.name for rule in problem.domain.space.broken(choice)]
    values: dict[str, Any] = {}
    for name, value in choice.items():
        values.update(option_values(problem.now.chip, name, value))
    results = [
        f"{LABELS[name]} of {row[f'{name}_kb']} KB: {as_number(choice[name]):,} bytes, the most, "
        "stand for it"
        for row in table("beyond")
        for name in _WINDOWS
        if row["id"] == rank
    ]
    return (*dict.fromkeys(broken), *out_of_range(problem.config, values), *results)


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
    result = problem.search.lightest(weights, {})
    assert result is not None  # every table has ranks that can be built
    return result.choice


def _number(value: Hashable) -> float:
    count = value[1] if isinstance(value, tuple) else value
    return float(count)  # type: ignore[arg-type]
