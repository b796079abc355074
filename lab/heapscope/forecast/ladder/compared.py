"""The differences of two configurations, and what each gives, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from heapscope.forecast.ladder.difference import (
    CODE,
    DEFAULT,
    LINE,
    RELEASE,
    REST,
    Difference,
    GainBand,
    Gained,
    MemoryGain,
    OptionGain,
    SpeedGain,
    UnknownOption,
)
from heapscope.forecast.ladder.exchange import PLATFORM, Exchange, exchange
from heapscope.forecast.ladder.fair_share import Array
from heapscope.forecast.ladder.memory_gain import (
    PLACES,
    STATIC,
    MemoryGains,
    MemoryShare,
    memory_gains,
)
from heapscope.forecast.ladder.option_change import can_be_set, shown_value
from heapscope.forecast.ladder.side import ConfigSide
from heapscope.forecast.ladder.speed_gain import SpeedGains, SpeedShare, speed_gains
from heapscope.forecast.predict.memory_states import DRAM, MEMORIES

RULE = (
    "shares: options act together, so that each figure's difference is divided by Shapley's rule: "
    "an option gets what it adds on average over all orders of the changes. The shares add up to "
    "the total"
)
#: Bytes that rounding may leave over.
_LEAST_BYTES = 1


def difference_of(before: ConfigSide, after: ConfigSide) -> Difference:
    pair = exchange(_by_parts(before), _by_parts(after))
    memory, speed = memory_gains(pair), speed_gains(pair)
    rows = [*_rows(pair, memory, speed), *_rest(pair, memory)]
    return Difference(
        total=_gain(memory, memory.total, _rounded([memory.total])[0], speed.total),
        options=tuple(sorted(rows, key=_weight, reverse=True)),
        unknown=tuple(_unknown(pair)),
    )


def _by_parts(side: ConfigSide) -> ConfigSide:
    """With the static use as its parts have it: a file of a build tells that of one side alone,
    and the other's follows from it by this very difference. Code behind IRAM stays where the
    file has it."""
    coded = None if side.model.static_iram is None else side.model
    model = replace(side.model, static_dram=None, static_iram=None, coded=coded)
    return replace(side, model=model)


def static_gain(before: ConfigSide, after: ConfigSide) -> tuple[float, float]:
    """Bytes of code and data that `after` takes less, in DRAM and in the ESP32's IRAM."""
    total = memory_gains(exchange(before, after)).total.median
    was, then = before.model.scene.memory, after.model.scene.memory
    dram = float(total[-1][PLACES.index(STATIC)]) - (then.dram - was.dram)
    return dram, float(total[0][MEMORIES.index("iram")]) - (then.iram - was.iram)


def _rows(pair: Exchange, memory: MemoryGains, speed: SpeedGains) -> Iterator[OptionGain]:
    names = sorted(memory.shares)
    rounded = _rounded([memory.shares[name] for name in names])
    for name, medians in zip(names, rounded, strict=True):
        share, speeds = memory.shares[name], speed.shares.get(name, {})
        gives = bool(share.median.any()) or any(each.median for each in speeds.values())
        if name in (PLATFORM, CODE):
            if pair.of_platform if name == PLATFORM else pair.of_code:
                chips = pair.before.config.chip != pair.after.config.chip
                shown = partial(_platform, chip=chips) if name == PLATFORM else _code
                yield OptionGain(
                    option=name,
                    before=shown(pair.before),
                    after=shown(pair.after),
                    cause=RELEASE if name == PLATFORM else CODE,
                    follow=(),
                    gain=_gain(memory, share, medians, speeds),
                )
            continue
        change, members = pair.changes[name], pair.members[name]
        if not gives and (change.before == change.after or not members & pair.queried):
            continue
        yield OptionGain(
            option=name,
            before=shown_value(change.before),
            after=shown_value(change.after),
            cause=LINE if change.given else DEFAULT,
            follow=tuple(sorted(members - {name})),
            gain=_gain(memory, share, medians, speeds),
        )


def _rest(pair: Exchange, memory: MemoryGains) -> Iterator[OptionGain]:
    """The memory that predict has besides: nothing, as long as it is a sum of parts."""
    before, after = pair.before.model, pair.after.model
    states = [(each, each) for each in memory.states[:-1]] + [(before.busiest, after.busiest)]
    more = memory.total.median.copy()
    more[:] = 0
    for row, (here, there) in enumerate(states):
        old, new = before.free(here), after.free(there)
        for column, place in enumerate(MEMORIES):
            total = memory.total.median[row][column]
            more[row][column] = new[place].median - old[place].median - total
    if abs(more).max() >= _LEAST_BYTES:
        share = MemoryShare(median=more, half_80=0 * more)
        yield OptionGain(
            option=REST,
            before="-",
            after="-",
            cause=REST,
            follow=(),
            gain=_gain(memory, share, more.round(), {}),
        )


def _unknown(pair: Exchange) -> Iterator[UnknownOption]:
    for name, change in pair.changes.items():
        sides = (pair.before.config, pair.after.config)
        settable = change.given or any(can_be_set(side, name) for side in sides)
        if name not in pair.queried and change.before != change.after and settable:
            yield UnknownOption(
                option=name,
                before=shown_value(change.before),
                after=shown_value(change.after),
                line=change.given,
            )


def _platform(side: ConfigSide, chip: bool) -> str:
    """`chip`: it differs, too."""
    return f"{side.config.chip}, {side.release}" if chip else side.release


def _code(side: ConfigSide) -> str:
    return "-" if side.core is None else side.core.named.shown


def _rounded(shares: Sequence[MemoryShare]) -> list[Array]:
    """Whole bytes that add up to the whole bytes of the sum."""
    built, total, given = [], 0 * shares[0].median, 0 * shares[0].median
    for share in shares:
        total = total + share.median
        built.append(total.round() - given)
        given = total.round()
    return built


def _gain(
    memory: MemoryGains, share: MemoryShare, medians: Array, speed: Mapping[str, SpeedShare]
) -> Gained:
    def band(row: int, column: int) -> GainBand:
        middle, half = medians[row][column], share.half_80[row][column]
        return GainBand(
            median=round(middle), low_80=round(middle - half), high_80=round(middle + half)
        )

    rows = [
        MemoryGain(**{place: band(row, column) for column, place in enumerate(MEMORIES)})
        for row in range(len(memory.states))
    ]
    return Gained(
        left=rows[-1],
        static_dram=band(len(rows) - 1, PLACES.index(STATIC)),
        states=dict(zip(memory.states[:-1], rows[:-1], strict=True)),
        throughput_mbps={metric: _speed(each) for metric, each in speed.items()},
    )


def _speed(share: SpeedShare) -> SpeedGain:
    low, high = share.median - share.half_80, share.median + share.half_80
    return SpeedGain(median=share.median, low_80=low, high_80=high)


def _weight(row: OptionGain) -> tuple[int, float]:
    """A gain that its band leaves open is not ranked among others."""
    gain = row.gain
    bands = [getattr(gain.left, place) for place in (DRAM, "iram")]
    bytes_of = sum(abs(each.median) for each in bands if each.is_known_gain)
    return bytes_of, sum(abs(each.median) for each in gain.throughput_mbps.values())
