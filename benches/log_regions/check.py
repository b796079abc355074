"""The heap regions of logs against the maps and the allocators of their releases, to the byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from borders import border_at

from heapscope.config.chip_data import ChipData, read_chip
from heapscope.memory.layout.chip_guess import fitting_sections
from heapscope.memory.layout.evidence import LogEvidence, ShownByLog, shown
from heapscope.memory.layout.printed_figures import RegionFigures, printers
from heapscope.native.log import Fact, NativeLog

WHOLE = ("free", "used", "used_blocks", "free_blocks")


def check_folder(folder: Path) -> dict[str, Any]:
    """A row for each list of regions in each log of a folder, by the log's name."""
    result: dict[str, Any] = {}
    for path in sorted(folder.glob("*.log")):
        rows = list(_check(path))
        if rows:
            result[path.stem] = rows
    return result


def _check(path: Path) -> Iterator[dict[str, Any]]:
    with NativeLog() as log:
        facts = [*log.push(path.read_bytes()), *log.flush()]
    seen = LogEvidence()
    for fact in facts:
        seen.take(fact)
    reported = seen.conclude()
    about = {"chip": reported.chip, "told": seen.idf, "shown": _shown(reported)}
    if seen.boot:
        cut = any(fact.kind == "boot_region" and fact.cut for fact in facts)
        yield {"list": "start", **about, **_start(seen, reported, cut)}
    if any(fact.kind == "region" for fact in facts):
        yield {"list": "summaries", **about, **_summaries(seen, facts)}


def _shown(shown_by_log: ShownByLog) -> str:
    return shown(shown_by_log.releases)


def _start(seen: LogEvidence, shown_by_log: ShownByLog, cut: bool) -> dict[str, Any]:
    """Whether each line ends where the map of a release that fits does."""
    chip = read_chip(shown_by_log.chip) if shown_by_log.chip else None
    ends = _ends(chip, [(one.start, one.size) for one in seen.boot])
    reasons: dict[str, None] = {}
    exact = explained = 0
    for region in seen.boot:
        end = region.start + region.size
        border = border_at(shown_by_log.chip, end)
        if end in ends:
            exact += 1
        elif border is not None:
            explained += 1
            reasons[border.why] = None
    if cut:
        reasons["a further line is cut off"] = None
    return {
        "regions": len(seen.boot),
        "exact": exact,
        "explained": explained,
        "why": "; ".join(reasons),
    }


def _ends(chip: ChipData | None, regions: list[tuple[int, int]]) -> set[int]:
    if chip is None:
        return set()
    versions = fitting_sections(chip, regions) or chip.versions
    ends = {entry.end for version in versions for entry in version.map}
    return ends | {edge for part in chip.reserved for edge in (part.start, part.end)}


def _summaries(seen: LogEvidence, facts: list[Fact]) -> dict[str, Any]:
    """Whether table, headers, free and allocated bytes make up each region, by one allocator for
    all of them."""
    figures = [one for _, one in seen.figures()]
    every = printers(figures)
    regions = sum(fact.kind == "region" for fact in facts)
    reasons: dict[str, None] = {}
    left = regions - len(figures)
    if left:
        reasons[f"{left} without both of its lines, or torn"] = None
    strange = 0 if every else sum(_adds_up(one) for one in figures)
    if strange:
        reasons[f"{strange} without room for a table: no allocator leaves that (inferred)"] = None
    return {
        "regions": regions,
        "exact": len(figures) if every else 0,
        "explained": left + strange,
        "allocators": ", ".join(dict.fromkeys(one.allocator + one.flavour for one in every)),
        "why": "; ".join(reasons),
    }


def _adds_up(region: RegionFigures) -> bool:
    """Free and allocated bytes alone make up the whole region: no room is left for its table."""
    return region.free + region.used == region.size
