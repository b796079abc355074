"""The memory that a configuration asks for, part by part, as predict writes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import sqrt
from statistics import NormalDist

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.forecast.predict.held_part import Held
from heapscope.forecast.predict.memory_fit import memory_fit
from heapscope.forecast.predict.memory_states import DRAM, MEMORIES, MemoryModel
from heapscope.forecast.predict.memory_use import use_of
from heapscope.forecast.predict.part_table import BOOT, PROVISIONING, STATES


class MemoryPart(Row):
    """Memory that the configuration asks for."""

    component: str = figure("The component that takes it.")
    what: str = figure("The name of the part.")
    kind: str = figure("The memory kind.", choices=MEMORIES)
    state: str = figure(
        "The state from which on it is held; boot: it is linked in; load: it is taken on demand, "
        "at most.",
        choices=STATES,
    )
    count: int = figure("The number of its blocks.", default=1)
    bytes: int = figure("Its size; below 0: it is given back.", "B", least=None)
    half_80: int | None = figure(
        "Half of the band that is to hold 80 % of such figures; null: no measure of it.", "B"
    )
    options: tuple[str, ...] = figure(
        "The options that it hangs on and that a file can set, those first on which the fewest "
        "others hang; empty: none.",
        default=(),
    )
    source: str = figure("The source of the figure.")


#: Bytes without a named part from which on an answer says so before anything else.
MUCH_UNEXPLAINED = 4096
_UNEXPLAINED = "not explained"


def parts_of(model: MemoryModel) -> tuple[MemoryPart, ...]:
    """All that is held when everything that the configuration has is at work, and what a session
    of provisioning takes; and what code and data no part tells of."""
    return (*_named_parts(model), *_unexplained(model))


def not_explained(model: MemoryModel) -> Iterator[str]:
    """The sentence that each answer begins with, where it is much."""
    size = round(model.unexplained)
    if abs(size) <= MUCH_UNEXPLAINED:
        return
    if size < 0:
        yield (
            f"not explained: the firmware has {-size:,} bytes of code and data less than the parts "
            "of its configuration, and no part tells why; what is left counts its own"
        )
    else:
        yield (
            f"not explained: {size:,} bytes of code and data, of which no part tells; what is left "
            "counts them, but no option that is known gives them back"
        )


def _unexplained(model: MemoryModel) -> Iterator[MemoryPart]:
    size = round(model.unexplained)
    if size:
        yield MemoryPart(
            component=_UNEXPLAINED,
            what="code and data that no part tells of",
            kind=DRAM,
            state=BOOT,
            bytes=size,
            half_80=None,
            source="what an empty program, or the firmware's own file, has more than its parts",
        )


def _named_parts(model: MemoryModel) -> tuple[MemoryPart, ...]:
    states = [model.busiest]
    if PROVISIONING in model.states:
        states.append(PROVISIONING)
    held = {each.part.id: each for state in states for each in model.held(state)}
    read: dict[str, frozenset[str]] = {}
    for state in states:
        read |= model.options_read(state)
    readers = Counter(name for part in held for name in read[part])
    return tuple(
        MemoryPart(
            component=each.part.component,
            what=each.part.what,
            kind=each.place,
            state=each.part.state,
            count=each.count,
            bytes=round(each.bytes),
            half_80=round(_half_80(each)),
            options=tuple(
                sorted(
                    filter(model.scene.config.can_set, read[each.part.id]),
                    key=lambda name: (readers[name], name),
                )
            ),
            source=each.part.source,
        )
        for each in held.values()
        if round(each.bytes)
    )


def _half_80(held: Held) -> float:
    """The band takes the error of one figure as normal."""
    return NormalDist().inv_cdf(0.9) * sqrt(
        use_of([(held.part.kind, held.taken)]).variance(memory_fit())
    )
