"""The option table of data/options. It ships with the package, so that a mistake in it is a fault
of Heapscope and not of the user: it shows as KeyError or ValueError, and in the tests."""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import cast

from heapscope.config.expression import Expression, parse
from heapscope.config.option import Choice, DefaultIf, Option, Range
from heapscope.config.value import Kind, Value, parse_value

#: The names that layouts use.
SDKS = ("4.2", "4.3.2", "5.5", "head-2026-07")
CHIPS = (
    "esp32",
    "esp32s2",
    "esp32s3",
    "esp32c2",
    "esp32c3",
    "esp32c5",
    "esp32c6",
    "esp32c61",
    "esp32h2",
    "esp32p4",
)

#: The SDKs whose dependencies are known; those of 4.x were not looked up.
DEPENDS_SDKS = ("5.5", "head-2026-07")

Row = dict[str, str]

_CHIP_NAME = re.compile(r"ESP32(?:[A-Z][0-9]+)?(?=_)")


def rows(table: str) -> Iterator[Row]:
    """data/options/TABLE.csv."""
    file = resources.files("heapscope.data") / "options" / f"{table}.csv"
    return csv.DictReader(file.read_text(encoding="utf-8").splitlines())


@functools.cache
def option_table() -> Mapping[str, Option]:
    """By name, without CONFIG_."""
    depends = {row["option"]: row["depends"] for row in rows("depends")}
    in_choice = {member: choice.name for choice in choices().values() for member in choice.members}
    conditional = _by_option("defaults")
    limits = _by_option("ranges")
    made = {}
    for row in rows("options"):
        name, kind = row["name"], cast(Kind, row["type"])
        made[name] = Option(
            name=name,
            kind=kind,
            defaults={chip: _value(text, kind) for chip, text in _by_chip(row).items()},
            source=row["source"],
            since=row["since"],
            depends=_condition(depends.get(name, "")),
            depends_text=depends.get(name, ""),
            ranges=tuple(_range(limit) for limit in limits.get(name, ())),
            defaults_if=tuple(
                _default_if(each, _value(each["value"], kind)) for each in conditional.get(name, ())
            ),
            choice=in_choice.get(name, ""),
        )
    return made


def of_other_chips(option: Option, chip: str) -> bool:
    """True if the option's name, or for PSRAM its defaults, show that it is of other chips. Absence
    from the defaults alone proves nothing: a chip may have options that no default build has."""
    if not option.defaults or chip in option.defaults:
        return False
    named = _CHIP_NAME.match(option.name)
    return option.name == "SPIRAM" or (named is not None and named[0].lower() in CHIPS)


@functools.cache
def choices() -> Mapping[str, Choice]:
    conditional = _by_option("defaults")
    return {
        row["choice"]: Choice(
            name=row["choice"],
            members=tuple(row["members"].split()),
            defaults=_by_chip(row),
            defaults_if=tuple(
                _default_if(each, each["value"]) for each in conditional.get(row["choice"], ())
            ),
            source=row["source"],
        )
        for row in rows("choices")
    }


def _by_option(table: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows(table):
        found.setdefault(row["option"], []).append(row)
    return found


def _by_chip(row: Row) -> dict[str, str]:
    """`default` counts for every chip that `chips` does not except; "-" means none."""
    texts = dict.fromkeys(CHIPS, row["default"])
    for part in row["chips"].split():
        chip, _, text = part.partition("=")
        texts[chip] = text
    return {chip: text for chip, text in texts.items() if text not in ("", "-")}


def _default_if(row: Row, value: Value) -> DefaultIf:
    return DefaultIf(
        sdks=tuple(row["sdks"].split()),
        chips=tuple(row["chips"].split()),
        when=_condition(row["when"]),
        value=value,
        source=row["source"],
    )


def _range(row: Row) -> Range:
    return Range(
        sdks=tuple(row["sdks"].split()),
        chips=tuple(row["chips"].split()),
        when=_condition(row["when"]),
        low=int(row["low"]),
        high=int(row["high"]),
        rule=row["rule"],
        source=row["source"],
    )


def _condition(text: str) -> Expression | None:
    return parse(text) if text else None


def _value(text: str, kind: Kind) -> Value:
    value = parse_value(f'"{text}"' if kind == "string" else text, kind)
    if value is None:
        raise ValueError(f"{text!r} is not of type {kind}")
    return value
