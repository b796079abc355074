"""The result of a question of tune."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from heapscope.config.renames import line_in
from heapscope.config.value import Value
from heapscope.predict.environment import Environment
from heapscope.tune.needs import TuneNeed
from heapscope.tune.options import LABELS, label, option_values
from heapscope.tune.tls import TlsChoice
from heapscope.tune.wifi import FREE, WifiFigures
from heapscope.verb_result import VerbResult

__all__ = [
    "Alternative",
    "Candidate",
    "ChangedKnob",
    "Companion",
    "FrontPoint",
    "NeedResult",
    "Relaxation",
    "TuneResult",
    "TuneTrace",
    "less",
]


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One configuration and what is predicted of it."""

    choice: Mapping[str, Hashable]
    figures: WifiFigures


def less(candidate: Candidate, kb: float) -> Candidate:
    """With so much less memory."""
    made = candidate.figures
    median, low, high = (
        {**each, FREE: each[FREE] - kb} for each in (made.median, made.low, made.high)
    )
    return replace(candidate, figures=WifiFigures(median=median, low=low, high=high))


@dataclass(frozen=True, kw_only=True)
class NeedResult:
    """`value`: what the best configuration has, at the bound that counts. `without`: by how much
    the goal would be better if this need were not asked for; above 0 the need binds. None: not
    asked."""

    need: TuneNeed
    value: float
    without: float | None

    @property
    def binds(self) -> bool:
        return bool(self.without and self.without > 0)


@dataclass(frozen=True, kw_only=True)
class ChangedKnob:
    """A knob that is not as it was. `effect`: by metric, what is lost when it alone is put back.
    `breaks`: rules that then fail."""

    knob: str
    before: Hashable
    after: Hashable
    effect: Mapping[str, float]
    breaks: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """The best configuration that leaves one knob as it is now; `loss` of the goal, in its unit."""

    kept: str
    best: Candidate
    loss: float


@dataclass(frozen=True, kw_only=True)
class FrontPoint:
    """`free` KB and `value` of the other axis, at the bound that counts; nothing has more of
    both."""

    free: float
    value: float
    best: Candidate


@dataclass(frozen=True, kw_only=True)
class Relaxation:
    """`share`: by how much every need at once has to give way, as a share of it; `amounts`: what is
    then left of each. `alone`: what each need can be at most when all others are kept."""

    share: float
    best: Candidate
    amounts: Mapping[str, float]
    alone: Mapping[str, float | None]


@dataclass(frozen=True, kw_only=True)
class Companion:
    """An option that is not in the models but should follow the others."""

    option: str
    value: Value
    reason: str


@dataclass(frozen=True, kw_only=True)
class TuneTrace:
    """`fits_from_kb`: available memory from which the trace survives. `refused`: configurations
    that the replay refused. `largest_min`: bytes of the largest block at the worst moment of the
    accepted one."""

    trace: str
    fits_from_kb: float
    replays: int
    refused: int
    largest_min: int | None


@dataclass(frozen=True, kw_only=True)
class TuneResult(VerbResult):
    main_table = "changes"

    chip: str
    sdk: str
    psram: str
    prefer: str
    median: bool
    now: Candidate
    best: Candidate | None
    bound: float | None  # no configuration has more of `prefer`; None: `speed`, or no answer
    needs: tuple[NeedResult, ...]
    changes: tuple[ChangedKnob, ...] = ()
    companions: tuple[Companion, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    front: tuple[FrontPoint, ...] = ()
    front_metric: str = ""
    relaxation: Relaxation | None = None
    replay: TuneTrace | None = None
    tls: TlsChoice | None = None
    environment: Environment
    notes: tuple[str, ...] = ()
    solved: int = 0

    def options(self) -> dict[str, Value]:
        """Every option that changes, by its name; companions included."""
        made: dict[str, Value] = {}
        for each in self.changes:
            before = option_values(self.chip, each.knob, each.before)
            after = option_values(self.chip, each.knob, each.after)
            made |= {name: value for name, value in after.items() if before.get(name) != value}
        made |= self.tls.lines if self.tls is not None else {}
        return made | {each.option: each.value for each in self.companions}

    def to_json(self) -> dict[str, Any]:
        return {
            "chip": self.chip,
            "sdk": self.sdk,
            "psram": self.psram,
            "prefer": self.prefer,
            "environment": {
                "place": self.environment.place,
                "round_trip_ms": self.environment.round_trip_ms,
                "loss_pct": 100 * self.environment.loss,
            },
            "bound_used": "median" if self.median else "lower_80",
            "feasible": self.best is not None,
            "model": "data/wifi/model.json",
            "programmes": self.solved,
            "no_configuration_above": _rounded(self.bound),
            "now": _candidate(self.now),
            "best": None if self.best is None else _candidate(self.best),
            "needs": [
                {
                    "target": each.need.target,
                    "amount": _rounded(each.need.amount),
                    "unit": each.need.unit,
                    "value": _rounded(each.value),
                    "binds": each.binds,
                    "goal_gain_without": _rounded(each.without),
                }
                for each in self.needs
            ],
            "changes": [
                {
                    "knob": each.knob,
                    "label": LABELS[each.knob],
                    "before": label(each.knob, each.before),
                    "after": label(each.knob, each.after),
                    "effect": _numbers(each.effect),
                    "breaks_if_put_back": list(each.breaks),
                }
                for each in self.changes
            ],
            "options": [
                line_in(name, value, self.chip, self.sdk) for name, value in self.options().items()
            ],
            "alternatives": [
                {"kept": each.kept, "loss": _rounded(each.loss), "best": _candidate(each.best)}
                for each in self.alternatives
            ],
            "front_metric": self.front_metric,
            "front": [
                {
                    "free_kb": _rounded(p.free),
                    "value": _rounded(p.value),
                    "best": _candidate(p.best),
                }
                for p in self.front
            ],
            "relaxation": None if self.relaxation is None else _relaxation(self.relaxation),
            "replay": None if self.replay is None else asdict(self.replay),
            "tls": None if self.tls is None else self.tls.to_json(),
            "notes": list(self.notes),
        }


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "knobs": {name: label(name, value) for name, value in candidate.choice.items()},
        "median": _numbers(candidate.figures.median),
        "low_80": _numbers(candidate.figures.low),
        "high_80": _numbers(candidate.figures.high),
    }


def _relaxation(each: Relaxation) -> dict[str, Any]:
    return {
        "share": _rounded(each.share),
        "amounts": _numbers(each.amounts),
        "alone": {name: _rounded(value) for name, value in each.alone.items()},
        "best": _candidate(each.best),
    }


def _numbers(values: Mapping[str, float]) -> dict[str, float | None]:
    return {name: _rounded(value) for name, value in values.items()}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4) + 0.0
