"""`python -m heapscope_studies.memory_parts.fit`: the sum of parts fitted to published figures.

    (no option)  writes data/memory/fit.json
    --check      fails (exit code 1) when that would change it
    --errors     only prints the errors on what was left out, figure by figure

A figure is the memory of a chip, less an empty program, less the parts times a factor for each kind
of figure, less what the sum of a state leaves out. Factors and sums have a belief before the data;
errors have heavy tails. Errors are those of figures whose whole publisher, or whose whole chip, was
left out: everything was then learned from the others, the width of the bands among it.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import lgamma, log, pi, sqrt
from typing import Any

import numpy as np

from heapscope.base.whole_file import write_whole
from heapscope.forecast.predict.memory_fit import FILE, MemoryFit
from heapscope.forecast.predict.memory_states import IRAM, MORE
from heapscope.forecast.predict.part_table import APP_MAIN, BOOT, KINDS
from heapscope.forecast.predict.posterior import Array
from heapscope_studies.memory_parts.cases import DIFFERENCE, MOVED, NAMES, SENDING, Case, cases
from heapscope_studies.wifi_model.fit import same

#: Before the data: how far all figures of a kind are off together, and each by itself, as shares.
_BELIEFS: Mapping[str, tuple[float, float]] = {
    "exact": (0.001, 0.02),
    "map": (0.001, 0.10),
    "run": (0.001, 0.10),
    "peer": (0.001, 0.15),
    "measured": (0.05, 0.10),
    "documented": (0.15, 0.20),
    "object": (0.20, 0.15),
    "object-late": (0.40, 0.25),
    "bt-object": (0.30, 0.20),
    "estimated": (0.30, 0.50),
    "ceiling": (0.20, 0.50),  # runs with three radios: by so much what they fill differs
    "perhaps": (0.001, 1.0),
}
#: The same for what the sum of a state leaves out, bytes.
_MORE = 12_000.0
_DEGREES = 4.0  # of freedom of the errors' t distribution
_TYPICAL = (
    4_000.0  # by how much programs of one state differ, bytes, before the data; a factor of 2
)
_SPREADS: Array = 500.0 * 1.19 ** np.arange(26.0)
#: By how much empty programs differ by release and by chip: before the data as programs do.
_STEPS, _CHIPS = (500.0, 1000.0, 2000.0, 4000.0), (1000.0, 2000.0, 4000.0)
_ROUNDS = 8
_SHARE = 0.8
_FEW = 10  # figures of a group, below which its band is at least that of all groups
#: No other chip has code in a memory of its own: the others say nothing of it.
_ALONE = "esp32"
_TOGETHER = 6  # projects, each with few builds
#: Groups of figures that are not the free memory of a whole program.
_PARTIAL = (DIFFERENCE, MOVED, SENDING, IRAM, BOOT)
_LARGE = 1000  # bytes from which on a difference is judged by its share


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A figure as predicted from others. `error`: predicted less published, bytes."""

    case: Case
    predicted: float
    error: float
    deviation: float
    half_80: float

    @property
    def inside(self) -> bool:
        return abs(self.error) <= self.half_80


def _prior() -> tuple[Array, Array]:
    mean = np.array([1.0] * len(KINDS) + [0.0] * len(MORE))
    width = np.array([*(_BELIEFS[kind][0] for kind in KINDS), *([_MORE] * len(MORE))])
    return mean, width


def _blank(step: float, chip: float) -> MemoryFit:
    mean, width = _prior()
    groups = dict.fromkeys((case.group for case in cases()), _TYPICAL) | {DIFFERENCE: 0.0}
    return MemoryFit(
        names=NAMES,
        mean=mean,
        covariance=np.diag(width**2),
        own={kind: own for kind, (_, own) in _BELIEFS.items()},
        spread=groups,
        reach=dict.fromkeys(groups, 1.2816),
        step=step,
        chip=chip,
        measured={},
    )


def learned(from_cases: Sequence[Case], without: frozenset[str], fit: MemoryFit) -> MemoryFit:
    """Constants and spreads, but for the reach of bands. Gauss and Newton's weights of t errors."""
    mean, width = _prior()
    rows = np.array([case.features for case in from_cases])
    squares = np.array([case.squares for case in from_cases])
    bases = [case.base(without, (fit.step, fit.chip)) for case in from_cases]
    target = np.array([
        base - case.published for case, (base, _) in zip(from_cases, bases, strict=True)
    ])  # fmt: skip
    rounding = np.array([(case.high - case.low) ** 2 / 12 for case in from_cases])
    doubts = np.array([doubt for _, doubt in bases])
    for _ in range(_ROUNDS):
        own = squares @ _own_variances(fit)
        spread = np.array([fit.spread[case.group] for case in from_cases])
        variance = doubts**2 + rounding + own + spread**2
        off = target - rows @ fit.mean
        weight = (_DEGREES + 1) / (_DEGREES + off**2 / variance) / variance
        precision = np.diag(1 / width**2) + (rows * weight[:, None]).T @ rows
        covariance = np.linalg.inv(precision)
        result = covariance @ (mean / width**2 + rows.T @ (weight * target))
        fit = replace(fit, mean=result, covariance=covariance)
        off = target - rows @ fit.mean
        fit = replace(fit, spread=_spreads(from_cases, off, doubts**2 + rounding + own))
    return fit


def _own_variances(fit: MemoryFit) -> Array:
    """By kind, the variance of a part of one byte, as MemoryFit.own_variance has it."""
    own = np.array([fit.own[kind] for kind in KINDS])
    return np.square(own * fit.mean[: len(KINDS)])


def _spreads(from_cases: Sequence[Case], off: Array, known: Array) -> dict[str, float]:
    built = {DIFFERENCE: 0.0}
    for group in dict.fromkeys(case.group for case in from_cases):
        at = np.array([case.group == group for case in from_cases])
        if group != DIFFERENCE:
            variances = known[at] + (_SPREADS**2)[:, None]
            best = int(_likely(off[at], variances, _SPREADS).argmax())
            built[group] = float(_SPREADS[best])
    return {group: built.get(group, _TYPICAL) for group in (*built, *_groups())}


def _groups() -> tuple[str, ...]:
    return tuple(dict.fromkeys(case.group for case in cases()))


def _likely(off: Array, variance: Array, spread: Array) -> Array:
    """For each spread, the likelihood of all errors; ln. `variance`: a row for each spread."""
    half = _DEGREES / 2
    height = lgamma(half + 0.5) - lgamma(half) - 0.5 * log(pi * _DEGREES)
    errors = height - 0.5 * np.log(variance)
    errors -= (half + 0.5) * np.log1p(off**2 / variance / _DEGREES)
    doubt: Array = np.log2(spread / _TYPICAL)
    return np.asarray(errors.sum(axis=-1) - 0.5 * doubt**2)


def judged(case: Case, without: frozenset[str], fit: MemoryFit) -> Judged:
    base, doubt = case.base(without, (fit.step, fit.chip))
    predicted = base - float(case.features @ fit.mean)
    own = float(case.features @ fit.covariance @ case.features + case.squares @ _own_variances(fit))
    deviation = sqrt(doubt**2 + fit.spread[case.group] ** 2 + own)
    return Judged(
        case=case,
        predicted=predicted,
        error=case.off(predicted),
        deviation=deviation,
        half_80=fit.reach[case.group] * deviation,
    )


def folds(of: Sequence[Case], by: str) -> list[tuple[frozenset[str], list[Case], list[Case]]]:
    """Names that are left out, cases to learn from, cases to predict. `by`: publisher or chip."""
    built = []
    for keys in _left_together(of, by):
        ask = [case for case in of if getattr(case, by) in keys]
        names = frozenset(keys if by == "publisher" else (f"chip {key}" for key in keys))
        built.append((names, [case for case in of if getattr(case, by) not in keys], ask))
    return built


def _left_together(of: Sequence[Case], by: str) -> Iterator[Sequence[str]]:
    """One publisher or chip each, and some projects of public builds at a time."""
    keys = dict.fromkeys(getattr(case, by) for case in of)
    if by == "chip":
        yield from ([key] for key in keys if key != _ALONE)
        return
    others = dict.fromkeys(case.publisher for case in of if case.group != BOOT)
    yield from ([key] for key in others)
    projects = [key for key in keys if key not in others]
    yield from (projects[at : at + _TOGETHER] for at in range(0, len(projects), _TOGETHER))


def with_reach(of: Sequence[Case], without: frozenset[str], start: MemoryFit) -> MemoryFit:
    """Learned, with bands that hold 80 % of what is left out once more, by publisher and chip."""
    judgedses: list[list[Judged]] = []
    for by in ("publisher", "chip"):
        for gone, learn, ask in folds(of, by):
            fit = learned(learn, without | gone, start)
            judgedses.append([judged(case, without | gone, fit) for case in ask])
    reach = {}
    every = _quantile(judgedses)
    for group in _groups():
        mine = [[each for each in fold if each.case.group == group] for fold in judgedses]
        if group == DIFFERENCE:  # the program, which a publisher's figures share, drops out
            mine = [[each] for fold in mine for each in fold]
        mine = [fold for fold in mine if fold]
        reach[group] = _quantile(mine) if mine else every
        if sum(map(len, mine)) < 2 * _FEW:
            reach[group] = max(reach[group], every)
    return replace(learned(of, without, start), reach=reach)


def _quantile(judgedses: Sequence[Sequence[Judged]]) -> float:
    """That holds the share of what is left out next. Figures of one fold go together, so that they
    count as no more figures than there are folds; and the quantile of few is the one that is too
    large as often as too small (Hyndman and Fan 1996, definition 8)."""
    few = len(judgedses)
    rank = _SHARE * (few + 1 / 3) + 1 / 3
    level = min(1.0, (rank - 1) / (few - 1)) if few > 1 else 1.0
    off = [abs(each.error) / each.deviation for fold in judgedses for each in fold]
    return float(np.quantile(off, level))


@functools.cache
def left_out(by: str) -> tuple[Judged, ...]:
    """Each figure as predicted without its publisher, or without its chip. Some seconds the first
    time."""
    judgeds: list[Judged] = []
    for gone, learn, ask in folds(cases(), by):
        fit = with_reach(learn, gone, _start(learn, gone))
        judgeds += [judged(case, gone, fit) for case in ask]
    return tuple(judgeds)


def _start(of: Sequence[Case], without: frozenset[str]) -> MemoryFit:
    """By how much empty programs differ: the mean, in logarithms, of all pairs of both figures,
    each as likely as it makes programs without a radio, public builds among them, and as it was
    before the data. Many pairs make them nearly as likely: the best of some would be a choice."""
    boot = [case for case in of if case.group in (BOOT, APP_MAIN)]

    def likely(fit: MemoryFit) -> float:
        results = [judged(case, without, fit) for case in boot]
        results += [
            judged(case, without | {f"chip {case.chip}"}, fit)
            for case in boot
            if case.chip != _ALONE
        ]
        errors = np.array([each.error for each in results])
        variances = np.array([each.deviation**2 for each in results])
        return float(_likely(errors, variances, np.array(_TYPICAL)))

    pairs = [(step, chip) for step in _STEPS for chip in _CHIPS]
    before = -0.5 * np.square(np.log2(np.array(pairs) / _TYPICAL)).sum(axis=1)
    heights = np.array([likely(_blank(*pair)) for pair in pairs]) + before
    weights = np.exp(heights - heights.max())
    step, chip = np.exp(weights @ np.log(pairs) / weights.sum())
    return _blank(_digits(float(step)), _digits(float(chip)))


def fit_without(publishers: frozenset[str], skipped: Collection[Case] = frozenset()) -> MemoryFit:
    """Constants and spreads as learned from all other publishers, but for the reach of bands.
    `skipped`: figures that are not learned from, whoever published them."""
    learn = [case for case in cases() if case.publisher not in publishers and case not in skipped]
    return learned(learn, publishers, _start(learn, publishers))


def summary(judgeds: Sequence[Judged]) -> dict[str, dict[str, float]]:
    """By group; bytes, for differences percent of those over 1 KB."""
    built = {}
    whole = [each for each in judgeds if each.case.group not in _PARTIAL]
    for group in ("all", *_groups()):
        rows = whole if group == "all" else [each for each in judgeds if each.case.group == group]
        if group == DIFFERENCE:
            rows = [each for each in rows if abs(each.case.published) >= _LARGE]
        if rows:
            sizes = [abs(each.error) for each in rows]
            built[group] = {
                "figures": len(rows),
                "median_bytes": round(float(np.median(sizes))),
                "in_80_pct": round(100 * sum(each.inside for each in rows) / len(rows), 1),
            }
        if rows and group == DIFFERENCE:
            shares = [abs(each.error / each.case.published) for each in rows]
            built[group]["median_pct"] = round(100 * float(np.median(shares)), 1)
    return built


def fit_all() -> MemoryFit:
    fit = with_reach(cases(), frozenset(), _start(cases(), frozenset()))
    measured = {
        f"{by}: {group}": values
        for by in ("publisher", "chip")
        for group, values in summary(left_out(by)).items()
    }
    return replace(fit, measured=measured)


def to_json(fit: MemoryFit) -> dict[str, Any]:
    return {
        "heapscope_memory_fit": 1,
        "made_by": "python -m heapscope_studies.memory_parts.fit",
        "constants": {n: _digits(v) for n, v in zip(fit.names, fit.mean, strict=True)},
        "covariance": [
            [_digits(fit.covariance[row, column]) for column in range(row + 1)]
            for row in range(len(fit.names))
        ],
        "own": dict(fit.own),
        "spread": {group: _digits(value) for group, value in fit.spread.items()},
        "reach": {group: _digits(value) for group, value in fit.reach.items()},
        "step": fit.step,
        "chip": fit.chip,
        "measured": {key: dict(value) for key, value in fit.measured.items()},
    }


def _digits(value: float) -> float:
    return float(f"{value:.6g}")


def main(arguments: Sequence[str]) -> int:
    if "--errors" in arguments:
        for by in ("publisher", "chip"):
            result = left_out(by)
            for each in result:
                print(
                    f"{each.case.id:<12}{each.case.group:<14}{each.case.published:>10,.0f}"
                    f"{each.predicted:>10,.0f}{each.error:>9,.0f}{each.half_80:>9,.0f}"
                    f"{'' if each.inside else '  outside'}"
                )
            print(f"{by} left out")
            for group, values in summary(result).items():
                print(f"  {group:<14}{values}")
        return 0
    document = to_json(fit_all())
    text = json.dumps(document, indent=1) + "\n"
    if "--check" in arguments:
        if FILE.is_file() and same(document, json.loads(FILE.read_text(encoding="utf-8"))):
            return 0
        print(f"{FILE.name} is not what the figures give; write it anew: without --check")
        return 1
    write_whole(FILE, text.encode("utf-8"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
