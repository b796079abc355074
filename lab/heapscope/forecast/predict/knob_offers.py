"""Options of the SDK that give memory back: how much, where, at what cost, by the models.

Each is changed alone, to half of what it is (no lower than a published configuration of the chip
has it) or to its other state; others follow only where a rule of the build asks for it. Nothing is
replayed here: whoever can replay a change says so beside it (knob_layout.py,
answers/why/ideas_knobs.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp
from statistics import NormalDist

import numpy as np

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.config.config import Config
from heapscope.config.rules import all_rules
from heapscope.forecast.predict.config_knobs import has_wifi, knobs_of
from heapscope.forecast.predict.constants import Constants, read_constants
from heapscope.forecast.predict.knob_changes import KnobChange, changes
from heapscope.forecast.predict.known_gain import is_known_gain
from heapscope.forecast.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope.forecast.predict.radio import through_air
from heapscope.forecast.predict.throughput import Cases
from heapscope.forecast.predict.wifi_table import METRICS, Knobs

_SHARE = 0.8


class Cost(Row):
    """Change of a throughput in percent; negative: slower."""

    metric: str = figure(
        "The throughput, as heapscope predict names it.",
        choices=("tcp_tx", "tcp_rx", "udp_tx", "udp_rx"),
    )
    change_pct: int = figure("The likeliest change.", least=-100)
    low_pct: int = figure("The lower end of the 80 % band of the change.", least=-100)
    high_pct: int = figure("The upper end of that band.", least=-100)

    @property
    def text(self) -> str:
        """ "tcp_rx -12 % (-16 to -8 %)"."""
        return f"{self.metric} {self.change_pct:+d} % ({self.low_pct:+d} to {self.high_pct:+d} %)"


class KnobOffer(Row):
    """An option of the SDK that gives memory back, as predicted: nothing of it was replayed."""

    key: str = figure("Names the change.")
    text: str = figure("The change in words.", heading="Option of the SDK, predicted")
    lines: tuple[str, ...] = figure(
        "Lines for an sdkconfig.defaults of this SDK.", entries=(1, None), heading="write"
    )
    memory: str = figure("Kind of memory that is won.", choices=("DRAM", "IRAM"), heading="of")
    when: str = figure(
        "Linked in, taken at start, or on demand.", choices=("static", "start", "peak")
    )
    gain: int = figure("Bytes won.", "B", "won", least=None)
    gain_low: int | None = figure(
        "The lower end, as basis says; null: one measurement, without a band.",
        "B",
        "from",
        least=None,
    )
    gain_high: int | None = figure(
        "The upper end, as basis says; null: as gain_low.", "B", "to", least=None
    )
    basis: str = figure("The meaning of gain_low and gain_high.")
    costs: tuple[Cost, ...] = figure("Throughputs; empty where none hangs on it.")
    price: str = figure("The price besides RAM; empty: nothing.", heading="what it costs")
    source: str = figure("Where the bytes are from.")

    @property
    def worst(self) -> Cost | None:
        """The throughput that loses most."""
        return min(self.costs, key=lambda cost: cost.change_pct, default=None)


def knob_offers(config: Config) -> tuple[KnobOffer, ...]:
    """The largest gain first, and none that is far below its band; empty for a chip without Wi-Fi.
    InputError: a value cannot be."""
    if not has_wifi(config):
        return ()
    now = knobs_of(config).knobs
    broken = _broken(config)
    results = [
        _offer(config, now, change)
        for change in changes(config, now)
        if _broken(change.applied(config)) <= broken
    ]
    told = (e for e in results if e.gain > 0 and is_known_gain(e.gain, e.gain_low, e.gain_high))
    return tuple(sorted(told, key=lambda offer: -offer.gain))


def _broken(config: Config) -> set[tuple[str, int]]:
    """Checks of the build that do not hold."""
    return {
        (rule.id, number)
        for rule in all_rules()
        if rule.hard
        for number, check in enumerate(rule.checks)
        if check.counts_in(config.sdk) and check.broken(config)
    }


def _offer(config: Config, now: Knobs, change: KnobChange) -> KnobOffer:
    after = change.applied(config)
    then = knobs_of(after).knobs
    constants = read_constants()
    gain, low, high = change.gain, change.low, change.high
    if gain is None:
        gain, low, high = _summed(config, after)
    return KnobOffer(
        key=change.key,
        text=change.text,
        lines=tuple(
            line for name, value in change.values.items() if (line := config.line(name, value))
        ),
        memory=change.memory,
        when=change.when,
        gain=gain,
        gain_low=low,
        gain_high=high,
        basis=change.basis,
        costs=tuple(_costs(constants, now, then)) if then != now else (),
        price=change.price,
        source=change.source,
    )


def _summed(before: Config, after: Config) -> tuple[int, int, int]:
    """The difference in the memory that is left at the busiest, bytes, by the sum of parts."""
    now, then = (
        MemoryModel(scene=MemoryScene(config=each, minor=minor_of_config(each)))
        for each in (before, after)
    )
    won = now.difference(then, now.busiest)
    ends = (won.median, won.median - won.half_80, won.median + won.half_80)
    mean, low, high = (round(max(0.0, each)) for each in ends)
    return mean, low, high


def _costs(constants: Constants, now: Knobs, then: Knobs) -> Iterator[Cost]:
    """Both configurations hang on the same constants, so that most of their doubt cancels."""
    for metric in METRICS:
        cases = Cases([(now, metric), (then, metric)], constants.names)
        expected, slope = cases.expected_and_slope(constants.throughput.theta)
        step = slope[1] - slope[0]
        reach = _reach(float(step @ constants.throughput.covariance @ step))
        before, middle, least, most = (
            through_air(exp(at), air, constants.widths.sharpness)
            for at, air in (
                (expected[0], cases.air[0]),
                *((expected[1] + off, cases.air[1]) for off in (0.0, -reach, reach)),
            )
        )
        change, low, high = (100 * (after / before - 1) for after in (middle, least, most))
        yield Cost(
            metric=metric, change_pct=round(change), low_pct=round(low), high_pct=round(high)
        )


def _reach(variance: float) -> float:
    return NormalDist().inv_cdf((1 + _SHARE) / 2) * float(np.sqrt(max(0.0, variance)))
