"""Heap series of known truth, drawn from processes: noise, rounds, days, caches, warm-ups, steps,
leaks, and blocks that stay and cut the free memory. No file of anybody is behind them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Levels = NDArray[np.float64]

STABLE, LEAK, FRAGMENTATION = "stable", "leak", "fragmentation"
_TLSF = 16  # classes of free blocks for each power of two


@dataclass(frozen=True, kw_only=True)
class Simulated:
    """Levels at moments. `truth`: None where the series is too short to tell by then; `stops`: of a
    dying one, seconds after the last sample when `need` stops fitting for good, or None."""

    name: str
    truth: str | None
    seconds: Levels  # (samples,)
    free: Levels  # bytes
    largest: Levels  # bytes
    need: float  # bytes
    stops: float | None


def draw(rng: np.random.Generator) -> Simulated:
    """One series, up to some moment of its life."""
    name = str(
        rng.choice(list(_SHARES), p=np.array(list(_SHARES.values())) / sum(_SHARES.values()))
    )
    count = int(np.exp(rng.uniform(np.log(90), np.log(640))))
    seconds = _moments(rng, count)
    share = float(
        rng.choice((0.25, 0.5, 0.75, 1.0)) if rng.random() < 0.5 else rng.uniform(0.15, 1)
    )
    cut = max(12, round(share * count))
    base = np.exp(rng.uniform(np.log(35_000), np.log(150_000)))
    noise = _noise(rng, seconds, base)
    known, taken, pins, kept = _KINDS[name](rng, seconds, base, cut)
    free = np.maximum(base - taken - noise, 0.0)
    largest = _largest(rng, free, base, pins, taken)
    need = base * rng.choice((0.15, 0.25, 0.35))
    truth = known if kept else None
    if (
        name in _FALLS
        and truth is not None
        and not _shows(seconds[:cut], free[:cut], largest[:cut], truth)
    ):
        truth = None
    stops = None
    if truth in (LEAK, FRAGMENTATION):
        fits = np.flatnonzero(largest >= need)
        last = int(fits[-1]) + 1 if fits.size else 0
        stops = float(seconds[last] - seconds[cut - 1]) if cut <= last < count else None
    return Simulated(
        name=name, truth=truth, seconds=seconds[:cut], free=np.rint(free[:cut]),
        largest=np.rint(largest[:cut]), need=float(need), stops=stops,
    )  # fmt: skip


def _moments(rng: np.random.Generator, count: int) -> Levels:
    step = np.exp(rng.uniform(np.log(2), np.log(3600)))
    gaps = step * (1 + rng.uniform(-0.03, 0.03, count))
    if rng.random() < 0.08:
        gaps *= np.geomspace(1, rng.uniform(5, 60), count)
    if rng.random() < 0.1:
        gaps[rng.integers(0, count, 3)] *= rng.uniform(2, 20, 3)
    return np.cumsum(gaps)


def _slow(rng: np.random.Generator, count: int, phi: float) -> Levels:
    """Noise of which a sample keeps the share `phi` of the one before, of variance 1."""
    drawn = rng.normal(size=count)
    levels = np.empty(count)
    levels[0] = drawn[0]
    for at in range(1, count):
        levels[at] = phi * levels[at - 1] + np.sqrt(1 - phi * phi) * drawn[at]
    return levels


def _noise(rng: np.random.Generator, seconds: Levels, base: float) -> Levels:
    """Memory that is in use for a while: churn, rounds, rare big requests, a start that settles."""
    count = len(seconds)
    size = base * np.exp(rng.uniform(np.log(0.002), np.log(0.07)))
    noise = size * np.abs(1.5 + _slow(rng, count, rng.choice((0.0, 0.3, 0.6, 0.85, 0.95))))
    if rng.random() < 0.3:
        length = rng.uniform(2, 13)
        depth = base * rng.uniform(0.05, 0.4)
        inside = (np.arange(count) / length + rng.uniform()) % 1 < rng.uniform(0.1, 0.6)
        noise += depth * inside * rng.uniform(0.9, 1, count)
    if rng.random() < 0.15:
        noise += base * rng.uniform(0.1, 0.5) * (rng.random(count) < rng.uniform(0.01, 0.06))
    if rng.random() < 0.5:
        settled = -np.expm1(-np.arange(count) / rng.uniform(1, 5))
        noise += base * rng.uniform(0.01, 0.15) * settled
    if rng.random() < 0.15:
        noise += base * rng.uniform(0.02, 0.1) * _switch(rng, count, rng.uniform(8, 40))
    if rng.random() < 0.1:
        noise += _days(rng, seconds, base)
    return noise


def _switch(rng: np.random.Generator, count: int, mean: float) -> Levels:
    """On and off, for about `mean` samples each."""
    turns = rng.random(count) < 1 / mean
    return (np.cumsum(turns) % 2).astype(float)


def _days(rng: np.random.Generator, seconds: Levels, base: float) -> Levels:
    length = (seconds[-1] - seconds[0]) / rng.uniform(2.5, 20)
    phase = 2 * np.pi * (seconds / length + rng.uniform())
    return base * rng.uniform(0.02, 0.12) * (1 + np.sin(phase))


def _largest(
    rng: np.random.Generator, free: Levels, base: float, pins: Levels, taken: Levels
) -> Levels:
    """`pins`: the share of free memory that its longest piece has, by blocks that stay."""
    count = len(free)
    loose = rng.uniform(0, 0.12) * np.abs(1 + 0.7 * _slow(rng, count, rng.choice((0.2, 0.7, 0.9))))
    loose += rng.choice((0.0, 0.3), p=(0.6, 0.4)) * rng.uniform(0, 1) * taken / base
    other = rng.choice((0.0, rng.uniform(0.02, 0.3)), p=(0.6, 0.4)) * base
    levels = np.minimum(np.maximum(free - other, 0), free * pins * np.maximum(1 - loose, 0.05))
    if rng.random() < 0.6:
        step = 2.0 ** np.floor(np.log2(np.maximum(levels, 64))) / rng.choice((8, _TLSF, 32))
        levels = np.floor(levels / step) * step
    return levels


# ---- what grows ----------------------------------------------------------------------------------
# Each: the truth by the cut, bytes that are taken, the longest piece's share, whether it counts.

Drawn = tuple[str, Levels, Levels, bool]


def _whole(count: int) -> Levels:
    return np.ones(count)


def _nothing(rng: np.random.Generator, seconds: Levels, base: float, cut: int) -> Drawn:
    return STABLE, np.zeros(len(seconds)), _whole(len(seconds)), True


def _walk(rng: np.random.Generator, seconds: Levels, base: float, cut: int) -> Drawn:
    """Memory in use goes up and down at random, between nothing and a bound."""
    count = len(seconds)
    bound = base * rng.uniform(0.1, 0.6)
    steps = rng.normal(size=count) * bound * np.exp(rng.uniform(np.log(0.003), np.log(0.15)))
    walk = rng.uniform(0, bound) + np.cumsum(steps)
    folded = np.abs((walk + bound) % (4 * bound) - 2 * bound)  # reflected at both ends
    return STABLE, np.minimum(folded, 2 * bound) / 2, _whole(count), True


def _daily(rng: np.random.Generator, seconds: Levels, base: float, cut: int) -> Drawn:
    cycles = rng.uniform(2, 20)
    length = (seconds[-1] - seconds[0]) / cycles
    wave = 1 + np.sin(2 * np.pi * (seconds / length + rng.uniform()))
    seen = (seconds[cut - 1] - seconds[0]) / length
    return STABLE, base * rng.uniform(0.03, 0.2) * wave, _whole(len(seconds)), seen > 1.5


def _warm(rng: np.random.Generator, seconds: Levels, base: float, cut: int) -> Drawn:
    since = seconds - seconds[0]
    tau = since[-1] * np.exp(rng.uniform(np.log(0.02), np.log(0.4)))
    grown = base * rng.uniform(0.05, 0.4) * -np.expm1(-since / tau)
    return STABLE, grown, _whole(len(seconds)), since[cut - 1] > 2 * tau


def _cache(rng: np.random.Generator, seconds: Levels, base: float, cut: int) -> Drawn:
    """It fills evenly to its limit; or a leak that stops."""
    since = seconds - seconds[0]
    full = since[-1] * rng.uniform(0.05, 0.6)
    grown = base * rng.uniform(0.1, 0.5) * np.minimum(since / full, 1)
    return STABLE, grown, _whole(len(seconds)), since[cut - 1] > 1.4 * full


def _saw(rng: np.random.Generator, seconds: Levels, base: float, cut: int) -> Drawn:
    """A cache that is emptied when it is full, or a collector's heap."""
    since = (seconds - seconds[0]) / (seconds[-1] - seconds[0])
    cycles = rng.uniform(2, 14)
    lengths = 1 / cycles * rng.uniform(1 - (wander := rng.uniform(0, 0.3)), 1 + wander, 40)
    edges = np.cumsum(lengths)
    at = np.searchsorted(edges, since)
    part = (since - np.concatenate(([0.0], edges))[at]) / lengths[at]
    grown = base * rng.uniform(0.05, 0.4) * part
    return STABLE, grown, _whole(len(seconds)), since[cut - 1] > 1.35 * edges[0]


def _step(rng: np.random.Generator, seconds: Levels, base: float, cut: int) -> Drawn:
    taken = np.zeros(len(seconds))
    for _ in range(int(rng.integers(1, 5))):
        taken[int(rng.integers(5, len(seconds))) :] += base * rng.uniform(0.02, 0.15)
    return STABLE, np.minimum(taken, 0.6 * base), _whole(len(seconds)), True


def _early_pins(rng: np.random.Generator, seconds: Levels, base: float, cut: int) -> Drawn:
    """Blocks that stay are put in the first part of its life only."""
    end = rng.uniform(0.05, 0.4)
    pins = _pieces(rng, seconds, end=end, many=rng.integers(1, 7))
    past = (seconds[cut - 1] - seconds[0]) / (seconds[-1] - seconds[0])
    return STABLE, np.zeros(len(seconds)), pins, past > 1.9 * end


def _leak(rng: np.random.Generator, seconds: Levels, base: float, cut: int) -> Drawn:
    since = (seconds - seconds[0]) / (seconds[-1] - seconds[0])
    return LEAK, base * rng.uniform(0.5, 1) * since, _whole(len(seconds)), True


def _round_leak(rng: np.random.Generator, seconds: Levels, base: float, cut: int) -> Drawn:
    _, taken, pins, kept = _leak(rng, seconds, base, cut)
    unit = base * rng.uniform(0.004, 0.06)
    return LEAK, np.floor(taken / unit) * unit, pins, kept


def _phase_leak(rng: np.random.Generator, seconds: Levels, base: float, cut: int) -> Drawn:
    """It leaks only while something is off."""
    off = _switch(rng, len(seconds), len(seconds) / rng.uniform(4, 24))
    taken = np.cumsum(off * np.diff(seconds, prepend=seconds[0]))
    if taken[-1] == 0:
        return STABLE, taken, _whole(len(seconds)), False
    taken *= base * rng.uniform(0.5, 1) / taken[-1]
    turns = int((np.diff(off[:cut]) != 0).sum())
    return LEAK, taken, _whole(len(seconds)), turns >= 3


def _changing_leak(rng: np.random.Generator, seconds: Levels, base: float, cut: int) -> Drawn:
    """It begins, or changes its speed."""
    since = (seconds - seconds[0]) / (seconds[-1] - seconds[0])
    change, slow = rng.uniform(0.15, 0.7), rng.choice((0.0, rng.uniform(0.1, 0.5)))
    taken = np.where(since < change, slow * since, slow * change + since - change)
    taken *= base * rng.uniform(0.5, 1) / taken[-1]
    past = float(since[cut - 1])
    if slow == 0 and past < change:
        return STABLE, taken, _whole(len(seconds)), True
    return LEAK, taken, _whole(len(seconds)), past > 1.3 * change or slow > 0


def _pieces(
    rng: np.random.Generator, seconds: Levels, *, end: float, many: int, stay: float = np.inf
) -> Levels:
    """Blocks at random places and moments up to the share `end`; each stays for `stay` of the whole
    time in the mean. The longest piece between them."""
    since = (seconds - seconds[0]) / (seconds[-1] - seconds[0])
    born = np.sort(rng.uniform(0.01, end, many))
    gone = born + (rng.exponential(stay, many) if np.isfinite(stay) else np.inf)
    places = rng.beta(1, rng.choice((1.0, 1.0, 2.0)), many)
    share = np.ones(len(seconds))
    for at, now in enumerate(since):
        cuts = np.sort(places[(born <= now) & (gone > now)])
        share[at] = np.diff(np.concatenate(([0.0], cuts, [1.0]))).max()
    return share


def _pinned(rng: np.random.Generator, seconds: Levels, base: float, cut: int) -> Drawn:
    pins = _pieces(rng, seconds, end=1, many=int(rng.integers(4, 20)))
    taken = base * rng.uniform(0, 0.08) * np.linspace(0, 1, len(seconds))
    return FRAGMENTATION, taken, pins, True


def _replaced(rng: np.random.Generator, seconds: Levels, base: float, cut: int) -> Drawn:
    """Some of the blocks that cut it go again."""
    lasting = _pieces(rng, seconds, end=1, many=int(rng.integers(4, 14)))
    passing = _pieces(
        rng, seconds, end=1, many=int(rng.integers(3, 20)), stay=rng.uniform(0.01, 0.1)
    )
    return FRAGMENTATION, np.zeros(len(seconds)), np.minimum(lasting, passing), True


_KINDS = {
    "nothing": _nothing, "walk": _walk, "daily": _daily, "warm": _warm,
    "cache": _cache, "saw": _saw,
    "step": _step, "early pins": _early_pins, "leak": _leak, "leak by rounds": _round_leak,
    "leak in a phase": _phase_leak, "changing leak": _changing_leak, "pinned": _pinned,
    "replaced pins": _replaced,
}  # fmt: skip
_SHARES = {
    "nothing": 14, "walk": 12, "daily": 6, "warm": 7, "cache": 8, "saw": 9, "step": 7,
    "early pins": 6,
    "leak": 12, "leak by rounds": 6, "leak in a phase": 5, "changing leak": 8, "pinned": 10,
    "replaced pins": 8,
}  # fmt: skip
_FALLS = frozenset(
    ("leak", "leak by rounds", "leak in a phase", "changing leak", "pinned", "replaced pins")
)


def _shows(seconds: Levels, free: Levels, largest: Levels, truth: str) -> bool:
    """Whether so many samples can tell it at all."""
    if truth == FRAGMENTATION:
        quarter = max(3, len(free) // 6)
        fallen = 1 - np.quantile(largest[-quarter:], 0.9) / np.quantile(largest[:quarter], 0.9)
        lost = 1 - np.quantile(free[-quarter:], 0.9) / np.quantile(free[:quarter], 0.9)
        ever = np.maximum.accumulate(largest[::-1])[::-1]
        steps = int((np.diff(ever[: -max(2, len(ever) // 20)]) < -0.04 * ever[0]).sum())
        return bool(fallen > 0.2 and lost < fallen / 2 and steps >= 2)
    if truth == LEAK:
        fit = np.polyfit(seconds, free, 1)
        rest = free - np.polyval(fit, seconds)
        again = np.clip(np.corrcoef(rest[1:], rest[:-1])[0, 1], 0, 0.95)
        error = rest.std() * np.sqrt((1 + again) / (1 - again) / len(rest)) / seconds.std()
        return bool(-fit[0] > 4 * error)
    return True
