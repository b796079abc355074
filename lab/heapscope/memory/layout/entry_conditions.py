"""Which entries of a chip's map a build has: by its options, or as a default build does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heapscope.config.chip_data import MapEntry
from heapscope.config.evaluate import truth
from heapscope.config.expression import Expression, parse
from heapscope.config.value import Value

_PREFIX = "CONFIG_"


@dataclass(frozen=True)
class _Options:
    """The values of an sdkconfig's lines; an option without a line is not known."""

    options: Mapping[str, str]

    def value(self, name: str) -> Value | None:
        text = self.options.get(name.removeprefix(_PREFIX))
        return None if text is None else text == "y"

    def given(self, name: str) -> bool:
        return name.removeprefix(_PREFIX) in self.options

    def changed(self, name: str) -> bool:
        return self.given(name)


def entries_on(entries: Sequence[MapEntry], options: Mapping[str, str]) -> frozenset[MapEntry]:
    """Conditions hang together, as memory goes from one entry to another: where one that can be
    read is not known, all are as in a default build."""
    read = {entry: _read(entry.when) for entry in entries if entry.when and options}
    scope = _Options(options)
    known = {
        entry: truth(expression, scope)
        for entry, expression in read.items()
        if expression is not None
    }
    if None in known.values():
        known = {}
    return frozenset(entry for entry in entries if known.get(entry, entry.on))


def _read(when: str) -> Expression | None:
    """None: the condition is in words."""
    try:
        return parse(when)
    except ValueError:
        return None
