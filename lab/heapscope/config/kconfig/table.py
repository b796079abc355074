"""The options of one release of ESP-IDF on one chip.

data/options has a file for each release: JSON, compressed with zstd. A file but the first one is
compressed with another release as its dictionary, so that it holds the differences: `PARENT` says
which. A release is read within some milliseconds for each step.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import Any, Literal, NamedTuple

from heapscope.base.zstd import ZstdDecompressor, ZstdDict

Kind = Literal["bool", "int", "hex", "string"]
Pairs = tuple[tuple[str, str], ...]  #: a value, member or option, and the condition

_KINDS: dict[str, Kind] = {"b": "bool", "i": "int", "h": "hex", "s": "string"}
#: Each release, and the one that its file holds the differences from. The order is that of time.
PARENT = {
    "3.3.6": "4.0.4",
    "4.0.4": "4.1.4",
    "4.1.4": "4.2.5",
    "4.2.5": "4.3.7",
    "4.3.7": "4.4.8",
    "4.4.8": "5.0.9",
    "5.0.9": "5.1.7",
    "5.1.7": "5.2.7",
    "5.2.7": "5.3.5",
    "5.3.5": "5.4.4",
    "5.4.4": "5.5.5",
    "5.5.5": "",
    "6.0.2": "5.5.5",
    "6.1-beta1": "6.0.2",
}
RELEASES = tuple(PARENT)
ROOT = "5.5.5"  # the one that is whole


class Symbol(NamedTuple):
    """An option. `prompt`: the condition under which a user may set it; None: never. `depends` and
    the other conditions hold those of the menus around it. Values of a bool are conditions, others
    are atoms."""

    kind: Kind
    depends: str = ""
    prompt: str | None = None
    ranges: tuple[tuple[str, str, str], ...] = ()
    defaults: Pairs = ()
    selects: Pairs = ()
    implies: Pairs = ()
    choice: str = ""


class OptionChoice(NamedTuple):
    """Bools of which one is y."""

    members: tuple[str, ...]
    prompt: str
    defaults: Pairs


class Renamed(NamedTuple):
    """The name of an option that had another one."""

    new: str
    inverted: bool


@dataclass(frozen=True, kw_only=True)
class LineHabits:
    """How the program of a release reads lines; `rename`: "" where it knows no old names, "text"
    where it replaces them in the line before `=`, "text " also before a blank, "name" where it
    looks up names that it does not have."""

    indented: bool  # blanks may stand before the line
    empty_any: bool  # an "=" at the end of a line gets an "n", whatever the type
    rename: str
    comment: bool  # " # words" behind a value are cut off
    words: bool  # a name has letters, digits and _ only
    floats: bool  # comparisons know 1.5
    bool_numbers: bool  # comparisons take y for 2


class Unlike(NamedTuple):
    """Options that another release which may be meant has otherwise: what it makes of their lines,
    and what values they have without a line."""

    lines: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True, eq=False)
class OptionTable:
    """`selected` and `implied`: by option, the options that do so and their conditions. `unsure`:
    options of a project whose values are not known."""

    release: str
    chip: str
    habits: LineHabits
    symbols: Mapping[str, Symbol]
    choices: Mapping[str, OptionChoice]
    renames: Mapping[str, Renamed]
    elsewhere: frozenset[str]  # options that the release has on other chips only
    selected: Mapping[str, Pairs] = field(default_factory=dict)
    implied: Mapping[str, Pairs] = field(default_factory=dict)
    unsure: frozenset[str] = frozenset()
    unlike: Unlike = field(default_factory=Unlike)


@functools.lru_cache(maxsize=16)
def option_table(release: str, chip: str) -> OptionTable:
    """`release`: one of RELEASES. ValueError: the release does not have the chip."""
    data = _data(release)
    if chip not in data["chips"]:
        raise ValueError(f"{release} has no {chip}")
    bit = 1 << data["order"].index(chip)
    symbols = {}
    elsewhere = []
    for name, records in _symbols(release).items():
        for chips, symbol in records:
            if not chips or chips & bit:
                symbols[name] = symbol
                break
        else:
            elsewhere.append(name)
    for name, (kind, values) in data["caps"].items():
        for value, chips in values.items():
            if chips & bit:
                symbols[name] = Symbol(kind=_KINDS[kind], defaults=((value, ""),))
                break
        else:
            elsewhere.append(name)
    return with_symbols(
        OptionTable(
            release=release,
            chip=chip,
            habits=LineHabits(**data["habits"]),
            symbols=symbols,
            choices=dict(_choices(data["choices"], bit)),
            renames={
                old: Renamed(new, bool(inverted))
                for old, new, inverted, chips in data["renames"]
                if chips & bit
            },
            elsewhere=frozenset(elsewhere),
        )
    )


def with_symbols(
    table: OptionTable,
    symbols: Mapping[str, Symbol] | None = None,
    choices: Mapping[str, OptionChoice] | None = None,
    renames: Mapping[str, Renamed] | None = None,
    unsure: Iterable[str] = (),
) -> OptionTable:
    """The table with more options, such as those of a project; a name that is there is replaced."""
    more = replace(
        table,
        choices={**table.choices, **(choices or {})},
        renames={**table.renames, **(renames or {})},
        unsure=table.unsure.union(unsure),
    )
    return with_only(more, {**table.symbols, **(symbols or {})})


def with_only(table: OptionTable, symbols: Mapping[str, Symbol]) -> OptionTable:
    """The table with these symbols in place of its own."""
    return replace(
        table,
        symbols=symbols,
        elsewhere=table.elsewhere - symbols.keys(),
        selected=_reversed((name, each.selects) for name, each in symbols.items() if each.selects),
        implied=_reversed((name, each.implies) for name, each in symbols.items() if each.implies),
    )


@functools.cache
def chips_of(release: str) -> tuple[str, ...]:
    """The chips that a release has options for; a preview of a chip too."""
    return tuple(_data(release)["chips"])


@functools.cache
def members_of(release: str) -> frozenset[str]:
    """The members of all choices, on any chip."""
    choices = _data(release)["choices"].values()
    return frozenset(name for records in choices for record in records for name in record[2])


def _reversed(pairs: Iterator[tuple[str, Pairs]]) -> dict[str, Pairs]:
    result: dict[str, list[tuple[str, str]]] = {}
    for by, targets in pairs:
        for target, condition in targets:
            result.setdefault(target, []).append((by, condition))
    return {target: tuple(each) for target, each in result.items()}


@functools.lru_cache(maxsize=4)
def _symbols(release: str) -> dict[str, list[tuple[int, Symbol]]]:
    """The chips of each form of an option as bits, 0: all of them. Chips share the forms."""
    symbols = _data(release)["symbols"]
    return {name: [(one[1], _symbol(one)) for one in symbols[name]] for name in symbols}


def _symbol(record: list[Any]) -> Symbol:
    kind, _, depends, prompt, ranges, defaults, selects, implies, choice = (
        *record,
        *_EMPTY[len(record) :],
    )
    return Symbol(
        _KINDS[kind], depends, prompt, _tuples(ranges), _tuples(defaults), _tuples(selects),
        _tuples(implies), choice,
    )  # fmt: skip


_EMPTY: tuple[Any, ...] = ("", 0, "", None, (), (), (), (), "")


def _tuples(rows: Any) -> Any:
    return tuple(map(tuple, rows)) if rows else ()


def _choices(data: Mapping[str, Any], bit: int) -> Iterator[tuple[str, OptionChoice]]:
    for name, records in data.items():
        for chips, prompt, members, defaults in records:
            if not chips or chips & bit:
                yield name, OptionChoice(tuple(members), prompt, _tuples(defaults))
                break


@functools.lru_cache(maxsize=2)
def _data(release: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(release_text(release))
    return document


def release_text(release: str) -> bytes:
    """The JSON of a release. KeyError: the release is not in RELEASES."""
    parent = PARENT[release]
    before = release_text(parent) if parent else b""
    file = resources.files("heapscope.data") / "options" / f"{release}.zst"
    return ZstdDecompressor(zstd_dict=dictionary(before)).decompress(file.read_bytes())


def dictionary(text: bytes) -> ZstdDict | None:
    """The dictionary of a release's file, made from the text of the release before it."""
    if not text:
        return None
    return ZstdDict(text, is_raw=True)


@functools.lru_cache(maxsize=256)
def release_for(sdk: str, chip: str = "") -> str:
    """The one of RELEASES whose options stand for a version: that of its minor, or else the nearest
    one that has the chip. `sdk`: a version's name, as "5.1.4"; one without a number is a branch,
    and takes the newest one. ValueError: no release has the chip."""
    wanted, near = _minor(sdk), list(reversed(RELEASES))
    if wanted is not None:
        near = sorted(RELEASES, key=lambda each: abs((_minor(each) or 0) - wanted))
    for release in near:  # most are not read
        if not chip or chip in chips_of(release):
            return release
    raise ValueError(f"no release has {chip}")


def is_since(sdk: str, first: str) -> bool:
    """The version is of the minor `first` or of a later one."""
    return RELEASES.index(release_for(sdk)) >= RELEASES.index(release_for(first))


def _minor(name: str) -> int | None:
    """5.1 as 501, so that versions have an order."""
    match = re.match(r"v?([0-9]{1,3})\.([0-9]{1,2})", name)
    return None if match is None else 100 * int(match[1]) + int(match[2])
