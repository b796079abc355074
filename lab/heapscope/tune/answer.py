"""The result of a question of tune."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from heapscope.config.renames import line_in
from heapscope.config.value import Value
from heapscope.predict.environment import Environment
from heapscope.tune.answer import (
    AlternativeRow,
    CandidateRow,
    ChangedKnobRow,
    EffectRow,
    FiguresRow,
    FrontPointRow,
    NeedResultRow,
    RelaxationRow,
    TuneDocument,
    TuneTrace,
)
from heapscope.tune.needs import TuneNeed
from heapscope.tune.options import LABELS, label, option_values
from heapscope.tune.tls import TlsChoice
from heapscope.tune.wifi import FREE, WifiFigures
from heapscope.verb_result import VerbResult


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One configuration and what is predicted of it."""

    choice: Mapping[str, Hashable]
    figures: WifiFigures

    def knobs(self) -> dict[str, str]:
        """The value of each knob in words."""
        return {name: label(name, value) for name, value in self.choice.items()}

    def row(self) -> CandidateRow:
        return CandidateRow(
            knobs=self.knobs(),
            median=FiguresRow(**_numbers(self.figures.median)),
            low_80=FiguresRow(**_numbers(self.figures.low)),
            high_80=FiguresRow(**_numbers(self.figures.high)),
        )


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

    def row(self) -> NeedResultRow:
        return NeedResultRow(
            target=self.need.target,
            amount=_rounded(self.need.amount),
            unit=self.need.unit,
            value=_rounded(self.value),
            binds=self.binds,
            goal_gain_without=None if self.without is None else _rounded(self.without),
        )


@dataclass(frozen=True, kw_only=True)
class ChangedKnob:
    """A knob that is not as it was. `effect`: by metric, what is lost when it alone is put back.
    `breaks`: rules that then fail."""

    knob: str
    before: Hashable
    after: Hashable
    effect: Mapping[str, float]
    breaks: tuple[str, ...]

    def row(self) -> ChangedKnobRow:
        return ChangedKnobRow(
            knob=self.knob,
            label=LABELS[self.knob],
            before=label(self.knob, self.before),
            after=label(self.knob, self.after),
            effect=EffectRow(**_numbers(self.effect)),
            breaks_if_put_back=self.breaks,
        )


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """The best configuration that leaves one knob as it is now; `loss` of the goal, in its unit."""

    kept: str
    best: Candidate
    loss: float

    def row(self) -> AlternativeRow:
        return AlternativeRow(kept=self.kept, loss=_rounded(self.loss), best=self.best.row())


@dataclass(frozen=True, kw_only=True)
class FrontPoint:
    """`free` KB and `value` of the other axis, at the bound that counts; nothing has more of
    both."""

    free: float
    value: float
    best: Candidate

    def row(self) -> FrontPointRow:
        return FrontPointRow(
            free_kb=_rounded(self.free), value=_rounded(self.value), best=self.best.row()
        )


@dataclass(frozen=True, kw_only=True)
class Relaxation:
    """`share`: by how much every need at once has to give way, as a share of it; `amounts`: what is
    then left of each. `alone`: what each need can be at most when all others are kept."""

    share: float
    best: Candidate
    amounts: Mapping[str, float]
    alone: Mapping[str, float | None]

    def row(self) -> RelaxationRow:
        return RelaxationRow(
            share=_rounded(self.share),
            amounts=_numbers(self.amounts),
            alone={
                name: None if value is None else _rounded(value)
                for name, value in self.alone.items()
            },
            best=self.best.row(),
        )


@dataclass(frozen=True, kw_only=True)
class Companion:
    """An option that is not in the models but should follow the others."""

    option: str
    value: Value
    reason: str


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
        options = self.options()
        return TuneDocument(
            chip=self.chip,
            sdk=self.sdk,
            psram=self.psram,
            prefer=self.prefer,
            environment=self.environment,
            bound_used="median" if self.median else "lower_80",
            feasible=self.best is not None,
            model="data/wifi/model.json",
            programmes=self.solved,
            no_configuration_above=None if self.bound is None else _rounded(self.bound),
            now=self.now.row(),
            best=None if self.best is None else self.best.row(),
            needs=tuple(each.row() for each in self.needs),
            changes=tuple(each.row() for each in self.changes),
            options=tuple(
                line_in(name, value, self.chip, self.sdk) for name, value in options.items()
            ),
            alternatives=tuple(each.row() for each in self.alternatives),
            front_metric=self.front_metric,
            front=tuple(each.row() for each in self.front),
            relaxation=None if self.relaxation is None else self.relaxation.row(),
            replay=self.replay,
            tls=None if self.tls is None else self.tls.row(),
            notes=self.notes,
        ).to_json()


def _numbers(values: Mapping[str, float]) -> dict[str, float]:
    return {name: _rounded(value) for name, value in values.items()}


def _rounded(value: float) -> float:
    return round(value, 4) + 0.0
