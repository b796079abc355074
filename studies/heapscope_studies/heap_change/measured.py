"""Measurements of real code: the rivals' once, ours by the benchmark that comes with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from heapscope.answers.upgrade.heaps import OURS
from heapscope_studies.data_file import read_measured
from heapscope_studies.heap_change.subjects import PUBLISHED

#: Keys of the benchmark's file, and the phases that they are.
KEYS = {
    "first_malloc_8": "first",
    "mallocs_4_x10000": "small",
    "free_odd_5000": "free",
    "malloc_8_after": "last",
    "worst_free": "worst_free",
}
UNITS = ("instructions", "ns")


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One allocator on one target, by phase."""

    allocator: str
    target: str
    unit: str  # of UNITS
    values: Mapping[str, int | float]
    source: str = ""  # of our own rows: machine, compiler, commit

    @property
    def instructions(self) -> Mapping[str, int | float]:
        return self.values if self.unit == "instructions" else {}


def measured_rows() -> tuple[Measured, ...]:
    """The rivals', then ours where the benchmark has been run."""
    return (*_real_code(), *our_rows(read_measured("heap")))


def _real_code() -> Iterator[Measured]:
    reported = PUBLISHED["measured"]
    for row in reported["allocator"]:
        yield Measured(
            allocator=row["name"],
            target=reported["target"],
            unit="instructions",
            values=row["instructions"],
        )


def our_rows(document: Mapping[str, Any] | None) -> Iterator[Measured]:
    """A row for each target and unit in `article`; none where there is no such key."""
    article = {} if document is None else document.get("article", {})
    source = "" if document is None else _source(document.get("provenance"))
    for unit in UNITS:
        for target in _targets(article, unit):
            values = {
                phase: article[key][unit][target]
                for key, phase in KEYS.items()
                if target in article.get(key, {}).get(unit, {})
            }
            yield Measured(allocator=OURS, target=target, unit=unit, values=values, source=source)


def _targets(article: Mapping[str, Any], unit: str) -> list[str]:
    results = (target for key in KEYS for target in article.get(key, {}).get(unit, {}))
    return list(dict.fromkeys(results))


def _source(provenance: object) -> str:
    if isinstance(provenance, dict):
        facts = ", ".join(f"{key}: {value}" for key, value in provenance.items())
        return f"heapscope: measured by benches/allocators; {facts}"
    return "" if provenance is None else f"heapscope: {provenance}"
