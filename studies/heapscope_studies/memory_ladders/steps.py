"""The steps of both ladders: what the page says that each gives, and what the sum of parts says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope.forecast.predict.part_table import BOOT, CONNECTED
from heapscope.forecast.predict.part_table import PROVISIONING as COMMISSIONING
from heapscope_studies.memory_ladders.sums import (
    LINKS,
    PUBLISHED,
    Sum,
    bluetooth_data,
    free,
    model_of,
    step,
    without,
)

#: A step agrees within 15 % or 2 KB, whichever is larger.
SHARE, LEAST = 0.15, 2048
_KIB = 1024
#: By phase of the device's life, the state of the sum.
_PHASES = {"used": BOOT, "commissioning": COMMISSIONING, "running": CONNECTED}


@dataclass(frozen=True, kw_only=True)
class Gain:
    """One published figure. `computed` None: the sum has no part that the step changes. `shipped`:
    as the product says it, which has learned from the page."""

    step: str
    what: str
    published: int
    computed: float | None
    shipped: float | None

    @property
    def allowed(self) -> float:
        return max(float(LEAST), SHARE * abs(self.published))

    @property
    def holds(self) -> bool:
        return self.computed is not None and self._near(self.computed)

    @property
    def shipped_holds(self) -> bool:
        return self.shipped is not None and self._near(self.shipped)

    def _near(self, value: float) -> bool:
        return abs(value - self.published) <= self.allowed


def _gain(
    title: str, what: str, published: int, result: Sum, *, beside: float = 0.0, known: bool = True
) -> Gain:
    """`known`: some part changes by this step, in this state or in another."""
    return Gain(
        step=title,
        what=what,
        published=published,
        computed=result.given + beside if known and not result.own else None,
        shipped=result.shipped + beside if known else None,
    )


def c2_lines(key: str, ignored: frozenset[str] = frozenset()) -> list[str]:
    """All lines of a configuration: its own, behind those of the files before it. `ignored`: lines
    that take no effect."""
    lines: list[str] = []
    for one in PUBLISHED["c2"]["configuration"]:
        lines = [*without(lines, one.get("drops", ())), *(set_lines(one, ignored))]
        if one["key"] == key:
            return lines
    raise KeyError(key)


def set_lines(one: Mapping[str, Any], ignored: frozenset[str]) -> list[str]:
    return [line for line in one["lines"] if line not in ignored]


def c2() -> tuple[Gain, ...]:
    return (*c2_files(), *(_scenario(one) for one in PUBLISHED["c2"]["scenario"]))


def c2_files(ignored: frozenset[str] = frozenset()) -> tuple[Gain, ...]:
    """The steps from file to file, without the scenarios."""
    data = PUBLISHED["c2"]
    keys = [one["key"] for one in data["configuration"]]
    built = []
    for reported in data["told"]:
        models = {
            key: model_of("c2", reported["release"], c2_lines(key, ignored), tls=1) for key in keys
        }
        for place, code in (("text", True), ("free", False)):
            for before, after in pairwise(keys):
                if before in reported[place] and after in reported[place]:
                    rose = reported[place][after] - reported[place][before]
                    result = step(
                        "c2", models[before], models[after], data["state"], code_only=code
                    )
                    built.append(
                        _gain(
                            f"{before} to {after}, {reported['release']}",
                            "code out of RAM" if code else "free heap",
                            -rose if code else rose,
                            result,
                        )
                    )
    return tuple(built)


def _scenario(reported: Mapping[str, Any]) -> Gain:
    before, after = (_scene_model(reported, c2_lines(key)) for key in ("defaults", "opt.3"))
    return _gain(
        reported["title"],
        "free heap",
        (reported["after"] - reported["before"]) * _KIB,
        step("c2", before, after, reported["state"]),
    )


def _scene_model(reported: Mapping[str, Any], lines: Sequence[str]) -> MemoryModel:
    has_ble = reported.get("ble", False)
    used = lines if has_ble else [line for line in lines if not line.startswith("BT_")]
    links = LINKS if has_ble else LINKS[:1]
    return model_of("c2", "5.5", used, tls=reported.get("tls", 0), links=links)


def c2_left() -> tuple[float, float]:
    """Free bytes with everything at work, by the default options and by the deep ones."""
    state = PUBLISHED["c2"]["state"]
    first, last = (
        free("c2", model_of("c2", "5.5", c2_lines(key), tls=1), state)
        for key in ("defaults", "opt.3")
    )
    return first, last


def matter() -> tuple[Gain, ...]:
    """Three phases of a device's life: what is linked, commissioning, running."""
    data = PUBLISHED["matter"]
    base = model_of("matter", data["release"], data["lines"])
    built = []
    for change in data["change"]:
        lines = [*data["lines"], *change.get("lines", ())]
        model = model_of("matter", data["release"], lines)
        result = {phase: step("matter", base, model, state) for phase, state in _PHASES.items()}
        known = "beside" in change or any(each.changes for each in result.values())
        for phase in _PHASES:
            if change[phase] == 0:
                continue
            beside = sum(one["bytes"] for one in change.get("beside", ()) if phase in one["phases"])
            title = "code and data" if phase == "used" else phase
            built.append(
                _gain(
                    change["title"], title, change[phase], result[phase], beside=beside, known=known
                )
            )
    return (*built, _returned(base))


def _returned(base: MemoryModel) -> Gain:
    """The memory that comes back when commissioning is over and Bluetooth ends: what Bluetooth
    allocated, and its own data."""
    default = PUBLISHED["matter"]["default"]
    shipped = base.free_dram(CONNECTED).median - base.free_dram(COMMISSIONING).median
    return Gain(
        step="commissioning ends",
        what="running",
        published=default["running"] - default["commissioning"],
        computed=free("matter", base, CONNECTED)
        - free("matter", base, COMMISSIONING)
        + bluetooth_data("matter", base),
        shipped=shipped,
    )
