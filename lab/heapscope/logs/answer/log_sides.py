"""The figures by which logs are compared: the last ones of each, and its heap at the start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.logs.answer.log_result import LogResult

STATE, START = "last state", "heap at the start"
ALL_REGIONS, PSRAM = (START, "all regions"), (START, "PSRAM")
TOTAL, USED, FREE = "total", "used", "free"
#: The figures of a last state, and their names for people, the weightiest first.
_NAMES = {
    "free": FREE,
    "largest": "largest free block",
    "min": "minimum free",
    "used": USED,
    "allocated": USED,
    "total": TOTAL,
    "peak": "most used",
}
_SILENT = ("wifi",)  # memories of drivers, whose figures tell no state
#: Figures by section and name. The memory follows a comma in the name.
Figures = dict[tuple[str, str], int]


class LogSide(Row):
    """One log."""

    name: str = figure("Its short name.")
    file: str = figure("The log.")
    lines: int = figure("Its lines.")
    chip: str = figure("The chip; empty: not known.")
    idf: str = figure("The version of ESP-IDF as printed; empty: not told.")
    form: str = figure("The form of the lines that tell most; empty: none tells a state.")
    verdict: str = figure("Its answer, the first sentence; empty: none.")


@dataclass(frozen=True, slots=True)
class ComparedLog:
    """A log, or totals that were given in its place."""

    side: LogSide
    figures: Figures
    notes: tuple[str, ...] = ()


def log_side(result: LogResult) -> ComparedLog:
    """The figures of a log's answer."""
    notes = list(result.contradictions[:1])
    if result.answer.cut:
        notes.append("its text ends early, so its sums are not those of the whole heap.")
    side = LogSide(
        name="",
        file=result.file,
        lines=result.lines,
        chip=result.chip,
        idf=result.idf,
        form=result.answer.form or "",
        verdict=next(iter(result.verdict), ""),
    )
    return ComparedLog(side=side, figures=_with_used(_figures(result)), notes=tuple(notes))


def totals_side(name: str, totals: Mapping[str, int]) -> ComparedLog:
    """`totals`: bytes by the names of figures in a log."""
    side = LogSide(name="", file=name, lines=0, chip="", idf="", form="", verdict="")
    figures = {(STATE, _NAMES[key]): value for key, value in totals.items()}
    return ComparedLog(side=side, figures=_with_used(figures))


def used_side(name: str, used: int) -> ComparedLog:
    """A memory image of whose heaps only what is in use is known."""
    side = totals_side(name, {"used": used})
    return replace(side, notes=("which of its heap is free is not known.",))


def _with_used(figures: Figures) -> Figures:
    """Adds what is in use where a log states the size of a memory and what is free of it."""
    for section, name in list(figures):
        kind, comma, whose = name.partition(", ")
        free = figures.get((section, FREE + comma + whose))
        if section == STATE and kind == TOTAL and free is not None:
            total = figures[section, name]
            if total >= free:
                figures.setdefault((section, USED + comma + whose), total - free)
    return figures


def _figures(result: LogResult) -> Figures:
    """By section and name. A region is known by its upper end: its lower end is where static data
    end, which every build moves."""
    answer = result.answer
    figures: dict[tuple[str, str], int | None] = {
        (STATE, name): value for name, value in _states(result) if value is not None
    }
    if answer.boot_bytes is not None:
        figures[ALL_REGIONS] = answer.boot_bytes
        for start in result.boot:
            figures[START, f"{start.name} up to {start.address + start.size:#010x}".strip()] = (
                start.size
            )
    figures[PSRAM] = answer.psram_bytes
    for region in result.regions:
        place = f"up to {region.address + region.size:#010x}"
        for name in ("size", "free", "largest", "min"):
            figures["regions of the last summary", f"{place}: {_NAMES.get(name, name)}"] = getattr(
                region, name
            )
    figures |= {("tasks", task.name): task.used for task in result.tasks}
    return {key: value for key, value in figures.items() if value is not None}


def _states(result: LogResult) -> Iterator[tuple[str, int | None]]:
    """The last figures, each with the memory that it is of: the same name is the same memory."""
    answer = result.answer
    printed = {(row.memory, row.name): row.last for row in result.figures}
    free = [memory for memory, name in printed if name == "free" and memory not in _SILENT]
    whose = answer.form or ""
    if result.summary is not None:
        regions = result.summary.capabilities
        whose = "all regions" if regions == "any" else f"regions with {regions}"
    if result.summary is not None or not free:
        yield from ((f"{shown}, {whose}", getattr(answer, name)) for name, shown in _NAMES.items())
    if free and answer.free is None:
        return  # figures of two devices
    for (memory, name), last in printed.items():
        if memory not in _SILENT:
            of = "" if memory == "any" else f", {memory}"
            yield f"{_NAMES.get(name, name)}{of}", last
