"""Two or more logs side by side: what each states last, and what its heap got at the start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Document, Row
from heapscope.base.wording import size
from heapscope.logs.answer.log_result import LogResult

STATE, START = "last state", "heap at the start"
#: The figures of a last state, and their names for people, the weightiest first.
_NAMES = {
    "free": "free",
    "largest": "largest free block",
    "min": "minimum free",
    "used": "used",
    "allocated": "used",
    "total": "total",
    "peak": "most used",
}
#: Figures that a sentence is about, the weightiest first: its subject, and the words for a gain and
#: a loss.
_TOLD = {
    "free": ("Free memory in the last state", "more", "less"),
    "largest free block": ("The largest free block in the last state", "larger", "smaller"),
    "minimum free": ("The minimum of free memory", "more", "less"),
    "all regions": ("The heap at the start", "larger", "smaller"),
}
_TOLD_MAX = 4
_SILENT = ("wifi",)  # memories of drivers, whose figures tell no state
_APART = (
    "A last state is one point in time: a difference of free memory can come from the times at "
    "which the logs end."
)


class LogSide(Row):
    """One log."""

    name: str = figure("Its short name.")
    file: str = figure("The log.")
    lines: int = figure("Its lines.")
    chip: str = figure("The chip; empty: not known.")
    idf: str = figure("The version of ESP-IDF as printed; empty: not told.")
    form: str = figure("The form of the lines that tell most; empty: none tells a state.")
    verdict: str = figure("Its answer, the first sentence; empty: none.")


class LogDifference(Row):
    """One figure of every log."""

    section: str = figure("Its section: the last state, the start, a summary, or tasks.")
    name: str = figure("Its name, unique within its section.")
    values: tuple[int | None, ...] = figure(
        "The value in each log; null: not told.", "B", least=None
    )
    differences: tuple[int | None, ...] = figure(
        "The difference of each further log to the first; null: one of them tells none.",
        "B",
        least=None,
    )


class LogComparison(Document):
    """Logs side by side."""

    VERB = "compare"
    KIND = "logs"
    VERSION = 1
    main_table = "rows"

    logs: tuple[LogSide, ...] = figure("The logs.", entries=(2, None))
    conclusion: tuple[str, ...] = figure("The differences to the first log, in sentences.")
    rows: tuple[LogDifference, ...] = figure("Every figure that a log tells.")
    notes: tuple[str, ...] = figure("Limits of the comparison, a sentence each.")


def compare_logs(results: Sequence[LogResult]) -> LogComparison:
    """Each against the first."""
    names = _names(results)
    rows = tuple(_rows([_figures(one) for one in results]))
    return LogComparison(
        logs=tuple(_side(*one) for one in zip(names, results, strict=True)),
        conclusion=tuple(_conclusion(names, rows)),
        rows=rows,
        notes=tuple(_notes(names, results)),
    )


def _names(results: Sequence[LogResult]) -> list[str]:
    """The names of the files, with their folders where it takes these to tell them apart."""
    short = [Path(one.file).name for one in results]
    return short if len(set(short)) == len(short) else [one.file for one in results]


def _side(name: str, result: LogResult) -> LogSide:
    return LogSide(
        name=name,
        file=result.file,
        lines=result.lines,
        chip=result.chip,
        idf=result.idf,
        form=result.answer.form or "",
        verdict=next(iter(result.verdict), ""),
    )


def _figures(result: LogResult) -> dict[tuple[str, str], int | None]:
    """By section and name. A region is known by its upper end: its lower end is where static data
    end, which every build moves."""
    answer = result.answer
    figures: dict[tuple[str, str], int | None] = {
        (STATE, name): value for name, value in _states(result)
    }
    if answer.boot_bytes is not None:
        figures[START, "all regions"] = answer.boot_bytes
        for start in result.boot:
            figures[START, f"{start.name} up to {start.address + start.size:#010x}".strip()] = (
                start.size
            )
    figures[START, "PSRAM"] = answer.psram_bytes
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


def _rows(sides: Sequence[Mapping[tuple[str, str], int | None]]) -> Iterator[LogDifference]:
    known = dict.fromkeys(key for side in sides for key in side)
    sections = list(dict.fromkeys(section for section, _ in known))
    for section, name in sorted(known, key=lambda key: sections.index(key[0])):
        values = tuple(side.get((section, name)) for side in sides)
        yield LogDifference(
            section=section,
            name=name,
            values=values,
            differences=tuple(_difference(values[0], one) for one in values[1:]),
        )


def _difference(first: int | None, other: int | None) -> int | None:
    return None if first is None or other is None else other - first


def _conclusion(names: Sequence[str], rows: Sequence[LogDifference]) -> Iterator[str]:
    for index, name in enumerate(names[1:]):
        both = [row for row in rows if row.differences[index] is not None]
        differ = [row for row in both if row.differences[index]]
        if not both:
            yield f"{names[0]} and {name} have no figure in common."
        elif not differ:
            yield f"Every figure that {names[0]} and {name} both have is the same."
        elif sentences := list(_sentences(names[0], name, index, differ)):
            yield from sentences
        else:
            yield f"{names[0]} and {name} have the same free memory; other figures differ."


def _sentences(first: str, name: str, index: int, rows: Sequence[LogDifference]) -> Iterator[str]:
    """The weightiest differences."""
    sentences = []
    for row in rows:
        change, before, after = row.differences[index], row.values[0], row.values[index + 1]
        if change is None or before is None or after is None:
            continue
        figure_name, _, whose = row.name.partition(", ")
        if row.section not in (STATE, START) or figure_name not in _TOLD:
            continue
        subject, more, less = _TOLD[figure_name]
        of = f" ({whose})" if whose else ""
        text = (
            f"{subject}{of} is {size(abs(change))} {more if change > 0 else less} in {name} than "
            f"in {first}: {size(after)} instead of {size(before)}."
        )
        sentences.append((list(_TOLD).index(figure_name), text))
    yield from (text for _, text in sorted(sentences, key=itemgetter(0))[:_TOLD_MAX])


def _notes(names: Sequence[str], results: Sequence[LogResult]) -> Iterator[str]:
    chips = {one.chip for one in results if one.chip}
    if len(chips) > 1:
        yield f"The logs are of different chips: {', '.join(sorted(chips))}."
    for name, result in zip(names, results, strict=True):
        if result.contradictions:
            yield f"{name}: {result.contradictions[0]}"
        if result.answer.cut:
            yield f"{name}: its text ends early, so its sums are not those of the whole heap."
    yield _APART
