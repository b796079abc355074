"""Which rules hold for which task, site and heap of a trace: settled before the replay."""

from __future__ import annotations

import fnmatch
import itertools
from collections.abc import Callable, Iterator, Sequence

from heapscope.base.choices import did_you_mean
from heapscope.base.printable import printable
from heapscope.memory.layout.placement import Patterns, Placement, PlacementRule
from heapscope.native.config import ALL_RULES, NativeRuleName, NativeRuleNames
from heapscope.trace.all_names import AllNames
from heapscope.trace.call_sites import any_text
from heapscope.trace.names import Names

Tables = tuple[tuple[str, Callable[[PlacementRule], Patterns | None], Names], ...]


def rule_names(
    placement: Placement, names: AllNames | None
) -> tuple[NativeRuleNames, NativeRuleNames, NativeRuleNames]:
    """For tasks, sites and heaps. Without names no rule may ask for one."""
    if names is None:
        return NativeRuleNames(), NativeRuleNames(), NativeRuleNames()
    tasks, sites, heaps = (
        _masks([patterns(rule) for rule in placement.rules], known)
        for _, patterns, known in _tables(names)
    )
    return tasks, sites, heaps


def matches(pattern: str | int, index: int, names: Names) -> bool:
    """By the name as the trace has it or as it is shown ("wifi", "wifi (task 5)"; of sites
    "root;leaf", "leaf ← root"): the very name, or a glob with *, ? and [...]; "…" is any text."""
    if isinstance(pattern, int):
        return pattern == index
    glob = any_text(pattern)
    return any(pattern == name or fnmatch.fnmatchcase(name, glob) for name in names.called(index))


def missing_names(placement: Placement, names: AllNames | None) -> dict[int, str]:
    """By rule number: what a rule asks for and the trace does not have."""
    if names is None:
        return {}
    return {rule.number: note for rule in placement.rules for note in _missing(rule, names)}


def _tables(names: AllNames) -> Tables:
    return (
        ("task", lambda rule: rule.tasks, names.tasks),
        ("site", lambda rule: rule.sites, names.sites),
        ("heap", lambda rule: rule.heaps, names.heaps),
    )


def _masks(conditions: Sequence[Patterns | None], names: Names) -> NativeRuleNames:
    """The rules above those in use are all set, which costs nothing."""
    others = ALL_RULES
    for bit, patterns in enumerate(conditions):
        others &= ALL_RULES if patterns is None else ~(1 << bit)
    if others == ALL_RULES:
        return NativeRuleNames()
    results = []
    for index in _indices(names):
        mask = others
        for bit, patterns in enumerate(conditions):
            if patterns is not None and any(matches(p, index, names) for p in patterns):
                mask |= 1 << bit
        if mask != others:
            results.append(NativeRuleName(index=index, rules=mask))
    return NativeRuleNames(names=tuple(results), others=others)


def _missing(rule: PlacementRule, names: AllNames) -> Iterator[str]:
    for noun, patterns, known in _tables(names):
        for pattern in patterns(rule) or ():
            if not any(matches(pattern, index, known) for index in _indices(known)):
                yield _note(noun, pattern, known)


def _indices(names: Names) -> list[int]:
    """Those that a pattern may mean; 0 has a name of its own where the trace gives none."""
    return sorted({0, *names.known}) if names.known else []


def _note(noun: str, pattern: str | int, names: Names) -> str:
    if not names.known:
        return f"the trace has no {noun}s"
    shown = [names[index] for index in itertools.islice(names.known, 1000)]
    hint = did_you_mean(str(pattern), shown)
    quoted = f"'{printable(pattern)}'" if isinstance(pattern, str) else str(pattern)
    return f"the trace has no {noun} {quoted}" + (f"; {hint.strip()}" if hint else "")
