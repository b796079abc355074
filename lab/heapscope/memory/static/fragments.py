"""Code and data that ESP-IDF's linker fragments keep in RAM, by the options of a configuration."""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import resources

from heapscope.config.value import Value

#: The value of an option; None: it is not known.
ValueOf = Callable[[str], Value | None]
_ALL = "*"
_COMPARED = re.compile(r"(\w+)(?:\s*(=|>)\s*(\w+))?")
#: Options that the chip decides, and not the user.
_HARDWARE = re.compile(r"(IDF_TARGET|SOC|ESP_ROM|ESP32\w*_REV)_.*")
_VALUES = {"y": True, "n": False}
_LANGUAGES = re.compile(r"(\.(c|cc|cpp|S))?\.(obj|o)$")


@dataclass(frozen=True, kw_only=True)
class FragmentRule:
    """`sections`: those that it puts into RAM; empty: into flash. `functions`: "*" for all."""

    archive: str
    object: str
    conditions: tuple[str, ...]
    sections: tuple[str, ...]
    releases: tuple[tuple[int, int], ...]
    functions: frozenset[str]

    @property
    def depth(self) -> int:
        """The more of the three names it has, the more it counts."""
        return (self.object != _ALL) + (_ALL not in self.functions)

    def is_of(self, archive: str, object_name: str, function: str) -> bool:
        return (
            archive == self.archive
            and self.object in (_ALL, object_name)
            and (_ALL in self.functions or function in self.functions)
        )

    def holds(self, value_of: ValueOf) -> bool:
        """A condition that is not known counts as true of a rule for RAM, and as false of another
        one."""
        known = [_holds(each, value_of) for each in self.conditions]
        return all(bool(self.sections) if each is None else each for each in known)

    def options(self, *, hold: bool) -> Iterator[tuple[str, Value]]:
        """Options that a user can set so that it holds, or does not, with these values."""
        for condition in self.conditions:
            match = _COMPARED.fullmatch(condition.removeprefix("not ").strip())
            if match is None or match[2] == ">" or _HARDWARE.fullmatch(match[1]):
                continue
            value = _VALUES.get(match[3] or "y")
            if value is not None:
                yield match[1], value is (hold is not condition.startswith("not "))


@functools.cache
def fragment_rules() -> dict[str, tuple[FragmentRule, ...]]:
    """By archive."""
    file = resources.files("heapscope.data") / "memory" / "fragments.csv"
    rules: dict[str, list[FragmentRule]] = {}
    for row in csv.DictReader(file.read_text(encoding="utf-8").splitlines()):
        rule = FragmentRule(
            archive=row["archive"],
            object=row["object"],
            conditions=tuple(filter(None, row["conditions"].split(" & "))),
            sections=tuple(row["sections"].split()),
            releases=tuple(map(_minor, row["releases"].split())),
            functions=frozenset(row["functions"].split()),
        )
        rules.setdefault(rule.archive, []).append(rule)
    return {archive: tuple(of) for archive, of in rules.items()}


@functools.cache
def _releases() -> tuple[tuple[int, int], ...]:
    rules = (rule for of in fragment_rules().values() for rule in of)
    return tuple(sorted({release for rule in rules for release in rule.releases}))


def _release_of(minor: tuple[int, int]) -> tuple[int, int]:
    """The last one that is not behind `minor`."""
    return max((each for each in _releases() if each <= minor), default=_releases()[0])


@functools.cache
def options_of(minor: tuple[int, int]) -> frozenset[str]:
    """All options of the release that a user can set and that a rule has."""
    release = _release_of(minor)
    rules = (rule for of in fragment_rules().values() for rule in of if release in rule.releases)
    return frozenset(name for rule in rules for name, _ in rule.options(hold=True))


def rules_of(
    archive: str, object_name: str, function: str, minor: tuple[int, int]
) -> tuple[FragmentRule, ...]:
    """Those that can decide about a function, by the last release that is not behind `minor`."""
    rules, release = fragment_rules().get(archive, ()), _release_of(minor)
    plain = _LANGUAGES.sub("", object_name)
    return tuple(
        rule for rule in rules if release in rule.releases and rule.is_of(archive, plain, function)
    )


def in_ram_by(
    rules: Iterable[FragmentRule], section: str, value_of: ValueOf
) -> tuple[FragmentRule, ...]:
    """The rules that put an input section into RAM; empty: none does."""
    held = [rule for rule in rules if rule.holds(value_of)]
    deepest = max((rule.depth for rule in held), default=0)
    last = [rule for rule in held if rule.depth == deepest]
    return tuple(rule for rule in last if _in(section, rule.sections))


def _in(section: str, names: Iterable[str]) -> bool:
    return any(section == name or section.startswith(f"{name}.") for name in names)


def _minor(text: str) -> tuple[int, int]:
    major, _, minor = text.partition(".")
    return int(major), int(minor)


def _holds(condition: str, value_of: ValueOf) -> bool | None:
    """None: not known."""
    if condition.startswith("not "):
        inner = _holds(condition.removeprefix("not "), value_of)
        return None if inner is None else not inner
    for word, join in (("||", any), ("&&", all)):
        if word in condition:
            parts = [_holds(part.strip(" ()"), value_of) for part in condition.split(word)]
            known = [part for part in parts if part is not None]
            return None if len(known) < len(parts) and join(known) == join(()) else join(known)
    match = _COMPARED.fullmatch(condition.strip())
    value = None if match is None else value_of(match[1])
    if match is None or value is None or match[2] == ">":
        return None
    wanted = _VALUES.get(match[3] or "y", match[3])
    return value is wanted if isinstance(wanted, bool) else str(value) == wanted
