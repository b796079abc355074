"""The configurations of one answer, made ready, and each by itself as predict has it."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TypedDict

from heapscope.base.choices import known
from heapscope.base.printable import printable
from heapscope.config.config import Config
from heapscope.forecast.ladder.compared import RULE, static_gain
from heapscope.forecast.ladder.difference import Rung
from heapscope.forecast.ladder.option_change import option_changes
from heapscope.forecast.ladder.side import ConfigSide, NamedFiles, side_of
from heapscope.forecast.predict.config_knobs import has_wifi, knobs_of
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.forecast import Forecast, forecast
from heapscope.forecast.predict.memory_states import DRAM, IRAM
from heapscope.forecast.predict.part_table import BLE, LINKS, NET, WIFI
from heapscope.forecast.predict.static_use import KnownStatic, static_use

#: By what is linked, the options that nothing else has.
_WIFI = "wifi"
_OPTIONS: Mapping[str, re.Pattern[str]] = {
    _WIFI: re.compile(r"ESP(32)?_WIFI_"),
    NET: re.compile(r"LWIP_|ESP(32)?_WIFI_"),
}


class SideOptions(TypedDict, total=False):
    """The options of configurations, as those of predict: they hold for every configuration. The
    static use is that of the first."""

    chip: str | None
    idf: str | None
    tcp: int
    udp: int
    tls: int
    links: Sequence[str]
    elf: str | Path | None
    map: str | Path | None
    bin: str | Path | None
    static_dram: int | None


def sides_of(named: Iterable[NamedFiles], options: SideOptions) -> list[ConfigSide]:
    demand = Demand(tcp=options.get("tcp", 1), udp=options.get("udp", 0), tls=options.get("tls", 0))
    links = tuple(
        known(printable(link), LINKS, noun="--links") for link in options.get("links") or ()
    )
    sides = [
        side_of(each, chip=options.get("chip"), idf=options.get("idf"), demand=demand, links=links)
        for each in named
    ]
    sides = sharing_defaults(linking(sides))
    static = static_use(
        sides[0].model.scene,
        elf=options.get("elf"),
        map=options.get("map"),
        bin=options.get("bin"),
        static_dram=options.get("static_dram"),
    )
    return sides if static == KnownStatic() else list(with_static(sides, static))


def _stated_links(sides: Sequence[ConfigSide]) -> frozenset[str]:
    """The networks that a program of these configurations has linked in every state: a line that
    changes an option of their component says so."""
    changed = {
        name
        for before, after in pairwise(sides)
        for name, change in option_changes(before.config, after.config).items()
        if change.given and change.before != change.after
    }
    links = {link for link, names in _OPTIONS.items() if any(map(names.match, changed))}
    return frozenset(links) - _without_wifi(sides)


def _without_wifi(sides: Sequence[ConfigSide]) -> frozenset[str]:
    return frozenset(() if all(WIFI in side.model.states for side in sides) else (_WIFI,))


def linking(sides: Sequence[ConfigSide]) -> list[ConfigSide]:
    """With what their differences show to be linked."""
    links = _stated_links(sides)
    if not links:
        return list(sides)
    note = (
        f"{' and '.join(map(str, sorted(links)))}: linked in every state, as an option of it "
        "differs"
    )
    return [
        replace(
            side,
            model=side.model.linking(*links.union(side.model.scene.links)),
            notes=(*side.notes, note),
        )
        for side in sides
    ]


def sharing_defaults(sides: Sequence[ConfigSide]) -> list[ConfigSide]:
    """With the last one's default of each option that any of them changes: releases have different
    ones, and a value that stays makes none."""

    @functools.cache
    def shared(option: str) -> Config | None:
        changed = any(side.config.changed(option) for side in sides)
        return sides[-1].config if changed else None

    def alike(side: ConfigSide) -> ConfigSide:
        scene = replace(side.model.scene, defaults=shared, _names={})
        return replace(side, model=replace(side.model, scene=scene))

    return [alike(side) for side in sides]


def with_static(sides: Sequence[ConfigSide], static: KnownStatic) -> Iterable[ConfigSide]:
    """The first with its static use as told, which has all in it that any of them links, or what
    its file has; others with what their parts take more or less."""
    sides = [replace(side, model=replace(side.model, linked=static.linked)) for side in sides]
    states = {state for side in sides for state in side.model.states}
    radios = [radio for radio, state in (("wifi", WIFI), ("ble", BLE)) if state in states]
    linked = [replace(side, model=side.model.linking(*radios)) for side in sides]
    for side in linked:
        less = dict(zip((DRAM, IRAM), static_gain(linked[0], side), strict=True))
        known = {
            place: None if reported is None else round(reported - less[place])
            for place, reported in ((DRAM, static.static_dram), (IRAM, static.static_iram))
        }
        model = replace(side.model, static_dram=known[DRAM], static_iram=known[IRAM])
        unlike = static.unlike if side is linked[0] else ()
        yield replace(side, model=model, notes=(*side.notes, *unlike))


def levels(
    sides: Sequence[ConfigSide],
) -> tuple[tuple[Rung, ...], tuple[str, ...], tuple[str, ...]]:
    """Each configuration as predict has it; what that rests on; and notes, each once."""
    results = [_forecast(side) for side in sides]
    rungs = tuple(
        Rung(
            name=side.name,
            chip=each.chip,
            release=side.release,
            left=each.left,
            states=each.states,
            throughput_mbps=each.throughput_mbps,
        )
        for side, each in zip(sides, results, strict=True)
    )
    rests_on = dict.fromkeys([RULE, *(stated for each in results for stated in each.rests_on)])
    notes = [
        [text for text in each.notes if not all(text in other.notes for other in results)]
        for each in results
    ]
    own = [
        f"{side.name}: {message}"
        for side, text_of in zip(sides, notes, strict=True)
        for message in text_of
    ]
    shared = [reported for reported in results[0].notes if reported not in notes[0]]
    return rungs, tuple(rests_on), (*shared, *own)


def _forecast(side: ConfigSide) -> Forecast:
    return forecast(
        side.model,
        knobs_of(side.config, idf=side.idf) if has_wifi(side.config) else None,
        notes=side.notes,
    )
