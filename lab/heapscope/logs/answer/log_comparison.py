"""Two or more logs side by side: what each states last, and what its heap got at the start."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import resources
from operator import itemgetter
from pathlib import Path

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Document, Row
from heapscope.base.wording import size
from heapscope.logs.answer.log_sides import (
    ALL_REGIONS,
    FREE,
    PSRAM,
    START,
    STATE,
    TOTAL,
    USED,
    ComparedLog,
    LogSide,
)
from heapscope.logs.heaps.image_log import NAMED

#: Figures that a sentence is about, the weightiest first: its subject, and the words for a gain and
#: a loss.
_COMPARED = {
    FREE: ("Free memory in the last state", "more", "less"),
    "largest free block": ("The largest free block in the last state", "larger", "smaller"),
    "minimum free": ("The minimum of free memory", "more", "less"),
    "all regions": ("The heap at the start", "larger", "smaller"),
}
_COMPARED_MAX = 4
_APART = (
    "A last state is one point in time: a difference of free memory can come from the times at "
    "which the logs end."
)


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


def compare_logs(sides: Sequence[ComparedLog]) -> LogComparison:
    """Each against the first."""
    names = _names(sides)
    rows = tuple(_rows(sides))
    return LogComparison(
        logs=tuple(_named(*one) for one in zip(names, sides, strict=True)),
        conclusion=tuple(_conclusion(names, sides, rows)),
        rows=rows,
        notes=tuple(_notes(names, sides)),
    )


def _names(sides: Sequence[ComparedLog]) -> list[str]:
    """The names of the files, with their folders where it takes these to tell them apart."""
    short = [Path(one.side.file).name for one in sides]
    return short if len(set(short)) == len(short) else [one.side.file for one in sides]


def _named(name: str, one: ComparedLog) -> LogSide:
    return replace(one.side, name=name)


def _rows(sides: Sequence[ComparedLog]) -> Iterator[LogDifference]:
    known = dict.fromkeys(key for side in sides for key in side.figures)
    sections = list(dict.fromkeys(section for section, _ in known))
    for key in sorted(known, key=lambda key: sections.index(key[0])):
        values = tuple(side.figures.get(key) for side in sides)
        yield LogDifference(
            section=key[0],
            name=key[1],
            values=values,
            differences=tuple(
                None if _other_memory(sides[0], one, key) else _difference(values[0], value)
                for one, value in zip(sides[1:], values[1:], strict=True)
            ),
        )


def _other_memory(first: ComparedLog, other: ComparedLog, key: tuple[str, str]) -> bool:
    """A figure without a memory counts PSRAM in one log and internal memory alone in the other."""
    start = first.figures.get(ALL_REGIONS), other.figures.get(ALL_REGIONS)
    values = first.figures.get(key), other.figures.get(key)
    if key[0] != STATE or ", " in key[1] or None in (*start, *values):
        return False
    over = [(value or 0) > (whole or 0) for value, whole in zip(values, start, strict=True)]
    return over[0] != over[1] and (PSRAM in first.figures or PSRAM in other.figures)


def _difference(first: int | None, other: int | None) -> int | None:
    return None if first is None or other is None else other - first


def _conclusion(
    names: Sequence[str], sides: Sequence[ComparedLog], rows: Sequence[LogDifference]
) -> Iterator[str]:
    for index, name in enumerate(names[1:]):
        both = [row for row in rows if row.differences[index] is not None]
        differ = [row for row in both if row.differences[index]]
        apart = [
            row.name
            for row in rows
            if _other_memory(sides[0], sides[index + 1], (row.section, row.name))
        ]
        if apart:
            yield (
                f"The figures of {names[0]} and {name} count other memory ({', '.join(apart)}): "
                "one PSRAM, the other internal memory alone. Their difference is not a loss."
            )
        if not both:
            yield f"{names[0]} and {name} have no figure in common."
        elif not differ:
            yield f"Every figure that {names[0]} and {name} both have is the same."
        elif sentences := list(_sentences(names[0], name, index, differ)):
            yield from sentences
            yield from _causes(index, both)
        elif any(row.name.startswith(FREE) for row in both):
            yield f"{names[0]} and {name} have the same free memory; other figures differ."
        yield from _growth(name, index, differ)


def _growth(name: str, index: int, rows: Sequence[LogDifference]) -> Iterator[str]:
    """The blocks of an image whose bytes grew most."""
    named = [row for row in rows if row.section == NAMED]
    most = max(named, key=lambda row: row.differences[index] or 0, default=None)
    grown = 0 if most is None else most.differences[index] or 0
    if most is not None and grown > 0:
        before, after = most.values[0] or 0, most.values[index + 1] or 0
        yield (
            f"The blocks that grew most in {name} are '{most.name}': {size(grown)} more, "
            f"{size(after)} instead of {size(before)}."
        )


def _causes(index: int, rows: Sequence[LogDifference]) -> Iterator[str]:
    """Splits a difference of free memory where size and use of the same memory are known."""
    known = {row.name: row.differences[index] or 0 for row in rows if row.section == STATE}
    for name, free in known.items():
        kind, comma, whose = name.partition(", ")
        whole, used = known.get(TOTAL + comma + whose), known.get(USED + comma + whose)
        if kind != FREE or not free or whole is None or used is None:
            continue
        rest = free - whole + used
        parts = [
            f"{size(abs(whole))} are the heap itself, {'larger' if whole > 0 else 'smaller'} now"
            if whole
            else "the heap has the same size",
            f"{size(abs(used))} {'more' if used > 0 else 'less'} are allocated"
            if used
            else "as much is allocated",
        ]
        yield (
            f"The difference{f' ({whose})' if whose else ''} divides: {'; '.join(parts)}"
            f"{f'; {size(abs(rest))} are not explained' if rest else ''}."
        )
        if whole < 0:
            yield "Code and data of the build take it, or memory such as a cache is no longer heap."


def _sentences(first: str, name: str, index: int, rows: Sequence[LogDifference]) -> Iterator[str]:
    """The weightiest differences."""
    sentences = []
    for row in rows:
        change, before, after = row.differences[index], row.values[0], row.values[index + 1]
        if change is None or before is None or after is None:
            continue
        figure_name, _, whose = row.name.partition(", ")
        if row.section not in (STATE, START) or figure_name not in _COMPARED:
            continue
        subject, more, less = _COMPARED[figure_name]
        of = f" ({whose})" if whose else ""
        text = (
            f"{subject}{of} is {size(abs(change))} {more if change > 0 else less} in {name} than "
            f"in {first}: {size(after)} instead of {size(before)}."
        )
        sentences.append((list(_COMPARED).index(figure_name), text))
    yield from (text for _, text in sorted(sentences, key=itemgetter(0))[:_COMPARED_MAX])


def _notes(names: Sequence[str], sides: Sequence[ComparedLog]) -> Iterator[str]:
    chips = {one.side.chip for one in sides if one.side.chip}
    if len(chips) > 1:
        yield f"The logs are of different chips: {', '.join(sorted(chips))}."
    for name, one in zip(names, sides, strict=True):
        yield from (f"{name}: {note}" for note in one.notes)
    keys = {key for one in sides for key in one.figures}
    if any(_other_memory(sides[0], one, key) for one in sides[1:] for key in keys):
        yield from _functions()
    if any(one.side.lines for one in sides):
        yield _APART
    yield (
        "Two configurations name the options and parts behind it: "
        "heapscope compare arduino@3.3.7 @3.3.8, or two sdkconfigs."
    )


def _functions() -> Iterator[str]:
    """The memories that functions count whose figures programs print, by release."""
    file = resources.files("heapscope.data") / "releases" / "free_functions.csv"
    counts: dict[str, list[str]] = {}
    for row in csv.DictReader(file.read_text(encoding="utf-8").splitlines()):
        since = f" from ESP-IDF {row['since']} on" if row["since"] else ""
        until = f" up to ESP-IDF {row['until']}" if row["until"] else ""
        counts.setdefault(row["function"], []).append(f"{row['counts']}{since}{until}")
    for name, what in counts.items():
        yield f"{name} counts {', '.join(what)}."
