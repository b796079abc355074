"""A step of a ladder as the sum of parts says it.

Some parts of the table have their figure from the very page whose steps are computed here. A study
is not computed from itself: another publisher's figure stands in their place, and the factors of
the sum are learned without either page. `own=True` gives the sum as it ships, which has both pages
in it; nothing counts that.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from heapscope.config.read_file import ConfigFile
from heapscope.forecast.ladder.side import NamedFiles, side_of
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.held_part import Held
from heapscope.forecast.predict.memory_fit import MemoryFit, memory_fit
from heapscope.forecast.predict.memory_states import DRAM, MemoryModel
from heapscope.forecast.predict.part_table import BOOT, PartRow, part_table
from heapscope_studies.data_file import read_published
from heapscope_studies.memory_parts.cases import Case, cases
from heapscope_studies.memory_parts.fit import fit_without, judged

PUBLISHED = read_published("memory_ladders")
LADDERS = ("c2", "matter")
PUBLISHERS = frozenset(PUBLISHED[ladder]["publisher"] for ladder in LADDERS)
LINKS = ("wifi", "ble")
_CODE = "code"


@dataclass(frozen=True, kw_only=True)
class Instead:
    """The figure that stands in place of a part's own. `stated`: the bytes of the table's row."""

    part: str
    stated: float
    bytes: float
    kind: str
    source: str


@functools.cache
def insteads(ladder: str) -> Mapping[str, Instead]:
    rows = {part.id: part for part in part_table()}
    built = {}
    for one in PUBLISHED[ladder]["instead"]:
        own = rows[one["part"]]
        if one.get("learned"):
            learned = lacking(own)
            size, kind, source = learned.bytes, LEARNED, learned.source
        elif "row" in one:
            other = rows[one["row"]]
            size, kind, source = _plain(other), other.kind, other.source
        else:
            size, kind, source = one["bytes"], one["kind"], one["source"]
        built[own.id] = Instead(
            part=own.id, stated=_plain(own), bytes=size, kind=kind, source=source
        )
    return built


def _plain(part: PartRow) -> float:
    """The bytes of a row whose figure asks for no option."""
    size = part.each(_NoScene())
    if size is None:
        raise ValueError(f"{part.id}: its figure hangs on options")
    return float(size)


class _NoScene:
    """A scene for figures that are a number."""

    def option(self, name: str) -> None:
        return None

    def default(self, option: str) -> None:
        return None

    def name(self, name: str) -> float:
        raise ValueError(f"{name} hangs on options")

    def library(self, name: str, memory: str) -> float:
        raise ValueError(f"the {memory} of {name} hangs on a build")

    def block(self, size: float) -> float:
        raise ValueError("a block hangs on options")

    def stack(self, size: float) -> float:
        raise ValueError("a stack hangs on options")


@dataclass(frozen=True, kw_only=True)
class Lacking:
    """The bytes that other publishers' programs lack without a part, in the median."""

    bytes: float
    source: str


#: Stands for a figure that is learned whole, so that no factor of its kind is put on it.
LEARNED = "learned"
#: Only one of the pages tells the memory of this part.
_REPORTED_BY_ONE = "bt-environment"


@functools.cache
def independent_fit() -> MemoryFit:
    """Learned from all other publishers, and from no program that has a part which only one of the
    pages tells. Some three seconds."""
    return fit_without(PUBLISHERS, _programs_with(_REPORTED_BY_ONE))


@functools.cache
def _programs_with(part: str) -> frozenset[Case]:
    """The programs of other publishers that hold the part."""
    return frozenset(
        case
        for case in cases()
        if case.model is not None
        and case.publisher not in PUBLISHERS
        and part in case.model.sizes(case.state, case.place)
    )


def lacking(part: PartRow) -> Lacking:
    """The part's memory as other publishers' programs have it: how much more is free by the sum
    without it than they found."""
    fit = independent_fit()
    results = []
    for case in sorted(_programs_with(part.id), key=lambda each: each.id):
        kind, size = case.model.sizes(case.state, case.place)[part.id] if case.model else ("", 0.0)
        without_it = judged(case, PUBLISHERS, fit).predicted + size * fit.factor(kind)
        results.append(without_it - case.published)
    publishers = ", ".join(sorted({case.publisher for case in _programs_with(part.id)}))
    return Lacking(
        bytes=max(0.0, median(results)),
        source=f"the median of {len(results)} programs of {publishers}, less their other parts",
    )


def model_of(
    ladder: str, release: str, lines: Sequence[str], *, tls: int = 0, links: Sequence[str] = LINKS
) -> MemoryModel:
    text = "".join(f"CONFIG_{line}\n" for line in lines)
    named = NamedFiles(name=ladder, files=(ConfigFile(name="sdkconfig.defaults", text=text),))
    demand = Demand(tcp=0, tls=tls)
    chip = PUBLISHED[ladder]["chip"]
    return side_of(named, chip=chip, idf=release, demand=demand, links=links).model


@dataclass(frozen=True, kw_only=True)
class Sum:
    """Bytes that a step gives. `shipped`: the same as the product says it, with the study's own
    figures and a fit that saw them. `own`: parts of it that only the study tells. `changes`: parts
    that the step changes."""

    given: float
    shipped: float
    own: tuple[str, ...]
    changes: tuple[str, ...]


def step(
    ladder: str, before: MemoryModel, after: MemoryModel, state: str, *, code_only: bool = False
) -> Sum:
    gave: dict[str, float] = {}
    kinds: dict[str, str] = {}
    owns: set[str] = set()
    for sign, model in ((1, before), (-1, after)):
        for each in _held(model, state, code_only=code_only):
            gave[each.part.id] = gave.get(each.part.id, 0.0) + sign * each.taken
            kinds[each.part.id] = each.part.kind
            if PUBLISHED[ladder]["publisher"] in each.part.source:
                owns.add(each.part.id)
    changed = {part: size for part, size in gave.items() if size}
    fit, instead = independent_fit(), insteads(ladder)
    return Sum(
        given=sum(_other(part, size, kinds[part], instead, fit) for part, size in changed.items()),
        shipped=sum(size * memory_fit().factor(kinds[part]) for part, size in changed.items()),
        own=tuple(sorted(owns & changed.keys() - instead.keys())),
        changes=tuple(changed),
    )


def _held(model: MemoryModel, state: str, *, code_only: bool) -> Iterator[Held]:
    for each in model.held(state):
        if each.place == DRAM and (not code_only or each.part.memory == _CODE):
            yield each


def _other(
    part: str, size: float, kind: str, instead: Mapping[str, Instead], fit: MemoryFit
) -> float:
    if part not in instead:
        return size * fit.factor(kind)
    other = instead[part]
    factor = 1.0 if other.kind == LEARNED else fit.factor(other.kind)
    return size * other.bytes / other.stated * factor


def free(ladder: str, model: MemoryModel, state: str) -> float:
    """Free bytes in a state, without anything that the study told."""
    fit, instead = independent_fit(), insteads(ladder)
    left = model.before_code(state, DRAM)
    base = model.less_empty(left, DRAM, PUBLISHERS, (fit.step, fit.chip))[0]
    taken = sum(
        _other(part, size, kind, instead, fit)
        for part, (kind, size) in model.sizes(state, DRAM).items()
    )
    return base - taken - sum(map(fit.factor, model.more(state)))


def bluetooth_data(ladder: str, model: MemoryModel) -> float:
    """Data of host and controller, which esp_bt_mem_release() gives to the heap when Bluetooth has
    ended (espressif/esp-idf v5.4.1 components/bt/controller/esp32c3/bt.c; a Matter device calls it:
    project-chip/connectedhomeip PR 23165)."""
    fit, instead = independent_fit(), insteads(ladder)
    return sum(
        _other(each.part.id, each.taken, each.part.kind, instead, fit)
        for each in model.held(BOOT)
        if each.place == DRAM and _is_bluetooth_data(each.part)
    )


def _is_bluetooth_data(part: PartRow) -> bool:
    return part.link == "ble" and part.memory in ("data", "bss", "bt-bss")


def without(lines: Sequence[str], names: Collection[str]) -> list[str]:
    return [line for line in lines if line.split("=")[0] not in names]
