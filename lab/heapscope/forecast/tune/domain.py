"""Which values the search may give to each knob: those between published ones, or all that
Kconfig takes; and always the one that it has."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Row
from heapscope.config.config import Config
from heapscope.forecast.predict.wifi_table import Knobs, WifiRow, lab, ranks
from heapscope.forecast.tune.memory import LeftMemory
from heapscope.forecast.tune.options import (
    AMPDU_OFF,
    LABELS,
    SWITCHES,
    TOGETHER,
    as_number,
    as_pairs,
    as_tx,
    choice_of,
    option_values,
    out_of_range,
    rules_between,
    values_label,
)
from heapscope.forecast.tune.space import Choice, Knob, KnobRule, Space
from heapscope.forecast.tune.wifi import window

_STEP = 1024  # bytes between the windows that are tried
_COUNTS = ("static_rx", "dynamic_rx")
_WINDOWS = ("tcp_snd_buf", "tcp_wnd")


class SearchedKnob(Row):
    """An option that the search may change, and the values that it may have."""

    knob: str = figure("The name of the knob.")
    values: str = figure("Its values.")
    count: int = figure("The number of values that are tried.", least=1)
    outside: bool = figure(
        "Its present value is not between the published ones: a candidate all the same."
    )

    @property
    @computed("The name of the knob in words.")
    def label(self) -> str:
        return LABELS[self.knob]


@dataclass(frozen=True, kw_only=True)
class Domain:
    """`outside`: knobs whose present value is not among the published ones, so that the models know
    less of it; `thin`: the chip has no table of its own."""

    space: Space
    rows: tuple[WifiRow, ...]
    outside: tuple[str, ...]
    thin: bool

    def searched(self) -> Iterator[SearchedKnob]:
        for knob in self.space.knobs:
            if knob.name == TOGETHER:
                continue
            yield SearchedKnob(
                knob=knob.name,
                values=values_label(knob.name, knob.values),
                count=len(knob.values),
                outside=knob.name in self.outside,
            )


def published(knobs: Knobs) -> tuple[tuple[WifiRow, ...], bool]:
    """Rows of the chip with its PSRAM; or, where there is no table, all rows with as much PSRAM."""
    own = tuple(row for row in ranks() if row.knobs.group == knobs.group)
    if own:
        return own, False
    rows = (*ranks(), *lab())
    return tuple(row for row in rows if row.knobs.psram == knobs.psram) or ranks(), True


def make_space(
    config: Config,
    now: Knobs,
    left: LeftMemory,
    *,
    keep: Sequence[str] = (),
    extrapolate: bool = False,
) -> Domain:
    """Kept knobs have the one value that they have now."""
    rows, thin = published(now)
    current = choice_of(now)
    knobs, outside = [], []
    for name in current:
        values = _values(config, now, name, rows, extrapolate)
        if current[name] not in values:
            outside.append(name)
            values = _with_present(config, name, values, current[name])
        if name in keep:
            values = (current[name],)
        knobs.append(Knob(name=name, values=values))
    by_name = {knob.name: knob.values for knob in knobs}
    larger = window(now, ("tcp_wnd", "dynamic_rx"), (by_name["tcp_wnd"], by_name["dynamic_rx"]))
    rules = list(rules_between(config, knobs))
    if not extrapolate:
        rules += _ratios(rows, current)
    if left.moves_together:
        knobs.append(_together(by_name))
        rules += _of_together(knobs[-1])
    space = Space(knobs=tuple(knobs), larger=(larger, *left.larger(by_name)), rules=tuple(rules))
    return Domain(space=space, rows=rows, outside=tuple(outside), thin=thin)


def _together(values: Mapping[str, Sequence[Hashable]]) -> Knob:
    names = [name for name in SWITCHES if name in values]
    every = product(*(values[name] for name in names))
    return Knob(name=TOGETHER, values=tuple(tuple(zip(names, e, strict=True)) for e in every))


def _of_together(knob: Knob) -> Iterator[KnobRule]:
    """It has the values of the knobs that it stands for."""

    def holds(pairs: Hashable, value: Hashable, at: int) -> bool:
        return as_pairs(TOGETHER, pairs)[at][1] == value

    for at, (name, _) in enumerate(as_pairs(TOGETHER, knob.values[0])):
        yield KnobRule(name=TOGETHER, knobs=(TOGETHER, name), allows=partial(holds, at=at))


def _values(
    config: Config, now: Knobs, name: str, rows: Sequence[WifiRow], extrapolate: bool
) -> tuple[Hashable, ...]:
    current = choice_of(now)[name]
    seen = [choice_of(row.knobs)[name] for row in rows if name in choice_of(row.knobs)]
    every: list[Hashable]
    if name == "icache_kb":
        every = [8, 16] if now.chip == "esp32s2" else [16, 32]
    elif name in SWITCHES:
        every = [False, True]
        chip = [row for row in ranks() if row.knobs.chip == now.chip] or ranks()
        seen = [choice_of(row.knobs)[name] for row in chip]
    elif name == "tx":
        pairs = [as_tx(value) for value in seen]
        kinds = ["dynamic", "static"] if extrapolate else sorted({kind for kind, _ in pairs})
        every = []
        for kind in kinds:
            counts = [count for other, count in pairs if other == kind]
            numbers = _numbers(config, name, kind, counts, extrapolate)
            every += [(kind, number) for number in numbers]
        seen = every
    else:
        every = [*_numbers(config, name, "", [as_number(value) for value in seen], extrapolate)]
        seen = every
    allowed = [value for value in every if extrapolate or value in seen]
    legal = [
        value for value in allowed if not out_of_range(config, option_values(now.chip, name, value))
    ]
    return tuple(legal or [current])


def _with_present(
    config: Config, name: str, values: tuple[Hashable, ...], present: Hashable
) -> tuple[Hashable, ...]:
    """The user's own value is a candidate wherever a build takes it."""
    if out_of_range(config, option_values(config.chip, name, present)):
        return values
    return tuple(sorted((*values, present), key=as_tx if name == "tx" else as_number))


def _numbers(
    config: Config, name: str, kind: str, seen: Sequence[int], extrapolate: bool
) -> list[int]:
    if extrapolate:
        probe = {"tx": (kind, 1), "rx_ba_win": 2}.get(name, 1)
        requested = option_values(config.chip, name, probe)
        bounds = config.changed_to(requested).bounds(list(requested)[-1])
        if bounds is None:  # this build cannot set it
            return []
        low, high = bounds
    else:
        numbers = [number for number in seen if name != "rx_ba_win" or number]
        if not numbers:
            return [AMPDU_OFF] if seen else []
        low, high = min(numbers), max(numbers)
    if name in _WINDOWS:
        first = -(-low // _STEP) * _STEP
        results = list(range(first, high + 1, _STEP))
        return sorted({*results, *([high] if high % _STEP else [])})
    results = list(range(low, high + 1))
    if name == "rx_ba_win" and (extrapolate or AMPDU_OFF in seen):
        results = [AMPDU_OFF, *results]
    return results


def _ratios(rows: Sequence[WifiRow], present: Choice) -> list[KnobRule]:
    """A window is no longer for the buffers behind it than in the published rows: its memory is
    in their figures only as far as that. The user's own pair is a candidate in any case."""
    received = present["tcp_wnd"], present["dynamic_rx"]
    sent = present["tcp_snd_buf"], present["tx"]
    receive = max(row.knobs.tcp_wnd / row.knobs.dynamic_rx for row in rows if row.knobs.dynamic_rx)
    send = max(row.knobs.tcp_snd_buf / row.knobs.tx_buffers for row in rows)
    return [
        KnobRule(
            name="published windows",
            knobs=("tcp_wnd", "dynamic_rx"),
            allows=lambda length, count: (
                (length, count) == received or count == 0 or length <= receive * count
            ),
        ),
        KnobRule(
            name="published send buffers",
            knobs=("tcp_snd_buf", "tx"),
            allows=lambda length, buffers: (length, buffers) == sent or length <= send * buffers[1],
        ),
    ]
