"""Evidence that levels fall for good: a few numbers without a unit, from any series."""

from __future__ import annotations

import numpy as np

from heapscope.answers.series.envelope import Levels, best_knot, blocks, slope

#: The meaning of the numbers of `fall`, in their order.
FALL = (
    "evidence",  # standard errors of the slope of the envelope, on a scale that saturates
    "evidence of the last half",
    "steadiness",  # the slope of the last half, in slopes of the whole
    "last third",  # its share in the fall
    "largest step",  # the share of the largest fall from a stretch to the next
    "come back",  # the largest rise after a fall, in largest falls
    "up and down",  # all that it rose, in all that it fell
    "never again",  # how much lower the best of the last third is than the best of the first
    "fallen",  # in shares of the level
    "below its lows",  # samples of the last fifth below all of the first fifth, as a share
    "bend",  # how much better a curve that flattens fits than a line
    "samples",
    "evidence since the last change",  # of the piece behind the knot that fits best
    "length since the last change",  # in shares of the whole time
)
#: The meaning of those of `fragments`.
PARTS = (
    "fallen",  # of the largest block, never reached again, as a share
    "fallen alone",  # the same without what free bytes fell by
    "late",  # the share of that in the last two thirds, and in the last third
    "latest",
    "steps",  # how many there were
    "silence",  # since the last one, in mean times between two
)
_STEP = 0.04


def fall(seconds: Levels, levels: Levels) -> Levels:
    """(len(FALL),) of one figure, at least 8 samples in the order of time."""
    moments, tops = blocks(seconds, levels)
    whole, evidence = slope(moments, tops)
    half = len(tops) // 2
    late, late_evidence = slope(moments[half:], tops[half:])
    steps = np.diff(tops)
    down, up = -steps[steps < 0].sum() + 1e-9, steps[steps > 0].sum()
    drop = float(tops[0] - tops[-1])
    scale = max(abs(drop), 0.3 * float(np.ptp(tops)), 1.0)
    third = max(1, len(tops) // 3)
    deepest = float((np.maximum.accumulate(tops) - tops).max())
    highest = float((tops - np.minimum.accumulate(tops)).max())
    fifth = max(2, len(levels) // 5)
    below = float((levels[-fifth:] < levels[:fifth].min()).mean())
    return np.array([
        np.tanh(evidence / 8),
        np.tanh(late_evidence / 6),
        np.clip(late / whole, -1, 2) if whole < 0 else -1.0,
        np.clip((tops[-third - 1] - tops[-1]) / scale, -1, 1),
        np.clip(-min(0.0, float(steps.min())) / scale, 0, 1.5),
        min(highest / max(deepest, 1.0), 1.5),
        min(float(up / down), 1.5),
        np.clip((tops[:third].max() - tops[-third:].max()) / scale, -0.5, 1),
        np.clip(drop / max(float(tops[0]), 1.0), -0.3, 1),
        below,
        _bend(moments, tops),
        np.log(len(levels) / 100),
        *_last_piece(moments, tops),
    ])  # fmt: skip


def _last_piece(moments: Levels, tops: Levels) -> tuple[float, float]:
    knot = best_knot(moments, tops)
    _, evidence = slope(moments[knot:], tops[knot:])
    return float(np.tanh(evidence / 6)), 1 - float(moments[knot] - moments[0]) / max(
        float(moments[-1] - moments[0]), 1e-9
    )


def _bend(moments: Levels, tops: Levels) -> float:
    """Positive: it flattens; negative: it gets steeper. The logarithm of the ratio of what a line
    leaves to what a curve with the best of a few time constants leaves."""
    since = (moments - moments[0]) / max(float(moments[-1] - moments[0]), 1e-9)

    def rest(shape: Levels) -> float:
        design = np.stack([np.ones(len(shape)), shape], axis=1)
        line, *_ = np.linalg.lstsq(design, tops, rcond=None)
        left = tops - design @ line
        return float(left @ left) + 1e-6 * float(tops @ tops) / len(tops) + 1e-9

    line = rest(since)
    flatter = min(rest(np.expm1(-since / tau)) for tau in (0.08, 0.2, 0.5))
    steeper = min(rest(np.expm1(since / tau)) for tau in (0.2, 0.5))
    return float(np.clip(np.log(line / flatter), 0, 2) - np.clip(np.log(line / steeper), 0, 2))


def fragments(seconds: Levels, free: Levels, largest: Levels) -> Levels:
    """(len(PARTS),) of a largest block beside what is free."""
    moments, tops = blocks(seconds, largest)
    _, frees = blocks(seconds, free)
    ever = np.maximum.accumulate(tops[::-1])[::-1]
    first, last = max(float(ever[0]), 1.0), float(ever[-1])
    lost = np.maximum.accumulate(frees[::-1])[::-1]
    share, free_share = 1 - last / first, 1 - float(lost[-1]) / max(float(lost[0]), 1.0)
    count = len(ever)
    late = float(ever[int(count * 0.33)] - last) / first
    latest = float(ever[int(count * 0.66)] - last) / first
    when = np.flatnonzero(np.diff(ever) < -_STEP * first)
    silence = 1.0
    if when.size:
        span = float(moments[when[-1] + 1] - moments[0])
        silence = float(moments[-1] - moments[when[-1] + 1]) * when.size / max(span, 1e-9)
    return np.array([
        share, share - max(free_share, 0.0), late / max(share, 0.05), latest / max(share, 0.05),
        min(when.size, 6) / 6, min(silence, 4.0) / 4,
    ])  # fmt: skip
