"""A change that is worth a replay: what it is, and the replay that shows it."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.answers.why.moment import TrialCase
from heapscope.answers.why.trial import Target, Trials, Variation
from heapscope.forecast.predict.knob_offers import KnobOffer
from heapscope.simulation.result.headroom import HeadroomRow


@dataclass(frozen=True, kw_only=True)
class Question:
    """A moment whose request has to succeed. `rewrites`: events may be changed too, as none of them
    was lost. `knobs`: options of the SDK that give memory back, as predicted."""

    moment: TrialCase
    target: Target
    trials: Trials
    need: HeadroomRow | None = None
    knobs: tuple[KnobOffer, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Idea:
    """A change before it was tried. The fields mean the same as in Change. `target` None: that of
    the question."""

    kind: str
    text: str
    effort: str
    variation: Variation
    options: str = ""
    given_up: int = 0
    rules: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    target: Target | None = None
