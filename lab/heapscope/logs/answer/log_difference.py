"""The memory that one log has less than another, of two builds in the same state of the program."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from importlib import resources

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Document, Row
from heapscope.base.wording import size

TOTAL, USED, FREE, LARGEST, MINIMUM = "total", "used", "free", "largest", "min"
START, PSRAM = "start", "psram"
#: The figures of a log that are compared, and what they are called.
TITLES = {
    START: "heap at the start, internal",
    PSRAM: "heap at the start, PSRAM",
    TOTAL: "size of the heap",
    USED: "allocated",
    FREE: "free",
    LARGEST: "largest free block",
    MINIMUM: "least free",
}


class FigureChange(Row):
    """A figure that both logs have."""

    key: str = figure("The figure.", choices=TITLES)
    title: str = figure("For people.", heading="figure")
    before: int = figure("Bytes.", "B", heading="before")
    after: int = figure("Bytes.", "B", heading="after")
    lost: int = figure("before less after; more use is a loss, too.", least=None, heading="lost")


class LogDifference(Document):
    """Two logs, or two pairs of totals."""

    VERB = "compare"
    KIND = "logs"
    VERSION = 1
    main_table = "figures"

    before: str = figure("The log before, as named by the user.")
    after: str = figure("The log after.")
    verdict: tuple[str, ...] = figure("The answer in sentences.")
    figures: tuple[FigureChange, ...] = figure("The figures that both have.")
    not_explained: int | None = figure(
        "Bytes of free memory that neither the heap's size nor what is allocated explains; null: "
        "one of them is unknown.",
        "B",
        least=None,
    )
    notes: tuple[str, ...] = figure("The sentences that limit the worth of the answer.")


#: The figures of one side that are known, by key.
Known = Mapping[str, int]


def log_difference(names: tuple[str, str], before: Known, after: Known) -> LogDifference:
    """`names`: of the two, for people."""
    other = _other_memory(before, after)
    keys = [key for key in TITLES if key in before and key in after and key not in other]
    rows = tuple(
        FigureChange(
            key=key,
            title=TITLES[key],
            before=before[key],
            after=after[key],
            lost=(after[key] - before[key]) * (1 if key == USED else -1),
        )
        for key in keys
    )
    lost = {row.key: row.lost for row in rows}
    rest = None
    if FREE in lost and TOTAL in lost and USED in lost:
        rest = lost[FREE] - lost[TOTAL] - lost[USED]
    return LogDifference(
        before=names[0],
        after=names[1],
        verdict=tuple(_verdict(lost, other, before, after)),
        figures=rows,
        not_explained=rest,
        notes=tuple(_notes(lost, other)),
    )


def _other_memory(before: Known, after: Known) -> tuple[str, ...]:
    """Figures that count PSRAM in one log and internal memory alone in the other."""
    return tuple(
        key
        for key in (TOTAL, FREE, LARGEST, MINIMUM)
        if key in before
        and key in after
        and START in before
        and START in after
        and PSRAM in {**before, **after}
        and (before[key] > before[START]) != (after[key] > after[START])
    )


def _verdict(
    lost: Mapping[str, int], other: tuple[str, ...], before: Known, after: Known
) -> Iterator[str]:
    for key in other:
        wide = before if before[key] > before[START] else after
        when = "before" if wide is before else "after"
        yield (
            f"{before[key]:,} and {after[key]:,} B ({TITLES[key]}) count other memory: the figure "
            f"{when} is more than all internal memory, so that it has PSRAM in it, and the other "
            "is internal memory alone. Their difference is not a loss."
        )
    if not lost:
        if not other:
            yield "No figure is in both logs: there is nothing to compare."
        return
    whole = lost.get(START, lost.get(TOTAL))
    if FREE in lost:
        yield f"{_changed(lost[FREE])} of free memory."
    if whole is not None:
        yield f"{_changed(whole)} of the heap itself{_why(whole)}."
    if lost.get(USED):
        more = "more" if lost[USED] > 0 else "less"
        yield f"{size(abs(lost[USED]))} {more} are allocated."


def _why(whole: int) -> str:
    if whole <= 0:
        return ""
    return ": code and data of the build take it, or memory such as a cache has left the heap"


def _changed(lost: int) -> str:
    if lost == 0:
        return "Nothing is lost"
    return f"{size(abs(lost))} {'are lost' if lost > 0 else 'are won'}"


def _notes(lost: Mapping[str, int], other: tuple[str, ...]) -> Iterator[str]:
    if other:
        counts: dict[str, list[str]] = {}
        for row in _functions():
            since = f" from ESP-IDF {row['since']} on" if row["since"] else ""
            until = f" up to ESP-IDF {row['until']}" if row["until"] else ""
            counts.setdefault(row["function"], []).append(f"{row['counts']}{since}{until}")
        for name, what in counts.items():
            yield f"{name} counts {', '.join(what)}"
    if TOTAL in lost or START in lost:
        yield (
            "heapscope compare names the options and parts, from both configurations: "
            "arduino@3.3.7 @3.3.8, or two sdkconfigs"
        )


def _functions() -> Iterator[dict[str, str]]:
    file = resources.files("heapscope.data") / "releases" / "free_functions.csv"
    return csv.DictReader(file.read_text(encoding="utf-8").splitlines())
