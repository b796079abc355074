"""The rules of data/rules: conditions between options that hold in a sound configuration.

A rule has any number of checks, each `when => must`. A rule without a check says why the files
cannot decide it. The files ship with the package: a mistake in one shows as KeyError or ValueError.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from heapscope.config.evaluate import Scope, evaluate, truth
from heapscope.config.expression import Constant, Expression, parse
from heapscope.config.kconfig.table import is_since
from heapscope.config.value import Value

SEVERITIES = {
    "B": "the build stops",
    "K": "Kconfig corrects or drops the line without asking",
    "R": "fails or crashes at run time",
    "A": "advice of ESP-IDF's documentation",
    "D": "derived from the SDK's source or its tables",
}
HARD = ("B", "K", "R")

#: Files of data/rules, and what their rules are about.
AREAS = {
    "lines": "Lines of the files",
    "wifi": "Wi-Fi buffers and aggregation",
    "lwip": "TCP/IP",
    "tls": "TLS",
    "psram": "External memory",
    "memory": "Internal memory, caches, heap",
    "speed": "Speed",
}
_VALUE = re.compile(r"\{([A-Z0-9_]+)\}")
LINES = "lines"  # its rules are checked by code: they are about lines, not values


@dataclass(frozen=True, kw_only=True)
class Check:
    """`lines`: options whose lines are to blame, the first one that a file has. `say`: what is
    wrong, {NAME} for a value. `instead`: values under which the check holds. `remove`: lines to
    take out."""

    when: Expression
    must: Expression
    lines: tuple[str, ...]
    say: str
    instead: Mapping[str, Expression]
    remove: tuple[str, ...]
    since: str  # the first minor that it counts for; "": all
    before: str  # the first minor that it does not count for any more; "": none
    when_text: str
    must_text: str

    def broken(self, scope: Scope) -> bool | None:
        """None: cannot be told."""
        requested = truth(self.when, scope)
        if requested is False:
            return False
        held = truth(self.must, scope)
        if held:
            return False
        return None if requested is None or held is None else True

    def replacements(self, scope: Scope) -> dict[str, Value]:
        """The values to write; options that have the value, or whose value cannot be told, are left
        out."""
        result = {name: evaluate(part, scope) for name, part in self.instead.items()}
        return {
            name: value
            for name, value in result.items()
            if value is not None and value != scope.value(name)
        }

    def sentence(self, shown: Callable[[str], str]) -> str:
        """The fault in words. `shown`: the value of an option as text."""
        return _VALUE.sub(lambda match: shown(match[1]), self.say)

    def counts_in(self, sdk: str) -> bool:
        """`sdk`: a version's name."""
        begun = not self.since or is_since(sdk, self.since)
        return begun and not (self.before and is_since(sdk, self.before))


@dataclass(frozen=True, kw_only=True)
class Rule:
    """`undecided`: why files cannot tell; "" for a rule with checks. `ranges`: options
    whose ranges of numbers are the rule."""

    id: str
    area: str
    severity: str
    text: str
    source: str
    checks: tuple[Check, ...]
    undecided: str = ""
    ranges: tuple[str, ...] = ()

    @property
    def hard(self) -> bool:
        """A build, Kconfig or the device enforces it."""
        return self.severity in HARD


@functools.cache
def all_rules() -> tuple[Rule, ...]:
    """In the order of the files; those about lines first."""
    return tuple(_rule(data, area) for area in AREAS for data in _read(area))


def rule(name: str) -> Rule:
    return _by_id()[name]


@functools.cache
def _by_id() -> Mapping[str, Rule]:
    return {each.id: each for each in all_rules()}


def _read(area: str) -> list[dict[str, Any]]:
    file = resources.files("heapscope.data") / "rules" / f"{area}.toml"
    results: list[dict[str, Any]] = tomllib.loads(file.read_text(encoding="utf-8"))["rule"]
    return results


def _rule(data: dict[str, Any], area: str) -> Rule:
    severity = data["severity"]
    if severity not in SEVERITIES:
        raise ValueError(f"{data['id']}: severity {severity}")
    return Rule(
        id=data["id"],
        area=area,
        severity=severity,
        text=data["text"],
        source=data["source"],
        checks=tuple(_check(check) for check in data.get("check", ())),
        undecided=data.get("undecided", ""),
        ranges=tuple(data.get("ranges", ())),
    )


def _check(data: dict[str, Any]) -> Check:
    when = data.get("when", "")
    return Check(
        when=parse(when) if when else Constant(True),
        must=parse(data["must"]),
        lines=tuple(data["lines"]),
        say=data["say"],
        instead={name: parse(str(text)) for name, text in data.get("instead", {}).items()},
        remove=tuple(data.get("remove", ())),
        since=data.get("since", ""),
        before=data.get("before", ""),
        when_text=when,
        must_text=data["must"],
    )
