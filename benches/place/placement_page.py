"""docs/reference/placement.md, made from the figures of the last run."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

from pool_rows import pools_section

HEAD = """\
# Placements, over the captured traces

`python benches/place` places the blocks of every [captured trace](../../studies/workloads/captured)
and writes this page and [its figures](placement.csv); `--page` makes the page again. The memory is
an ESP32 under ESP-IDF 5.5 with 4 MB of PSRAM, to which malloc itself never goes (`--chip esp32
--idf 5.5 --psram 4MB --psram-threshold off`). At most 10 % of the bytes that a program asks for may
go there. The best single rule is the best of those that keep this limit: all requests of everyone
or of one task, those from a size on, or those up to one. *More* is against that rule, or against no
rules where none keeps the limit.
[The design](../design/place.md) says what the bound is.
"""
FREE = """\
## Most internal memory free

*Left* is what is free at the worst moment, *taken* what was free at the start and is not then. The
chip is empty beside the trace, so the same bytes are a small part of what is left and a large part
of what is taken.
"""
NEED = """\
## A block of 16,717 bytes

The figure is the largest block that malloc can give at the worst moment. A rule that sends requests
to an internal region costs no slow bytes, so it counts as a single rule, too; so does a private
heap.
"""


ENDS = """\
## Both ends of free blocks

[The requests that take from the high end](../design/place.md#both-ends) are learnt from one
recording of a program and tried on a second one, on pools of our heap alone. The figures are the
smallest pools, as `heapscope fit` finds them. The recordings of a program differ in its
configuration, in what the network did or in its key. Both ends are offered where the pool is
smaller on both recordings. A program without a second recording has no row, nor have the two
recordings of `script_study` with 1.6 million events.
"""


def markdown(data: dict[str, Any]) -> str:
    return "\n".join([HEAD, *_summary(data), "", *_table(FREE, data["free"], taken=True)]) + (
        "\n"
        + "\n".join(_table(NEED, data["need"], taken=False))
        + "\n"
        + "\n".join(_ends(data["ends"]))
        + "\n"
        + "\n".join(pools_section(data["pools"]))
    )


def figures(data: dict[str, Any]) -> dict[str, Any]:
    """The figures of the page's head, of a run's rows."""
    free = _placed(data["free"])
    need = _placed(data["need"])
    return {
        "traces": len(free),
        "more_free": median(_more(row, "best", "single") for row in free),
        "less_taken": median(_less(row) for row in free),
        "possible": median(_more(row, "bound", "single") for row in free),
        "nothing": sum(row["best"] <= row["single"] for row in free),
        "within": sum(_gap(row) <= 5 for row in free),
        "seconds": max(row["seconds"] for row in free),
        "need_more": median(_more(row, "best", "single") for row in need),
        "need_more_none": median(_more(row, "best", "none") for row in need),
        "need_within": sum(_gap(row) <= 5 for row in need),
        "need_seconds": max(row["seconds"] for row in need),
        "need_stopped": sum(row["stopped"] for row in need),
    }


def figures_of_ends(data: dict[str, Any]) -> dict[str, Any]:
    """Over the recordings with a second one. Where no rules won on the first, the pools stay."""
    rows = _placed(data["ends"])
    learnt = [row for row in rows if row["end_rules"] and row["first_with"] < row["first_without"]]
    return {
        "recordings": len(rows),
        "learnt": len(learnt),
        "wins": sum(row["second_with"] < row["second_without"] for row in learnt),
        "losses": sum(row["second_with"] > row["second_without"] for row in learnt),
        "offered": sum(row["offered"] for row in rows),
        "median": median(_ratio(row, "first", "offered") for row in rows),
        "median_offered": median(
            [_ratio(row, "second", "offered") for row in rows if row["offered"]] or [100.0]
        ),
        "third": [row for row in rows if row["offered"] and row.get("third")],
        "best": min(_ratio(row, "second", "offered") for row in rows),
        "worst": max(_ratio(row, "second", "end_rules") for row in learnt) if learnt else 100.0,
    }


def _ratio(row: dict[str, Any], side: str, where: str) -> float:
    """The pool with both ends, in percent of that with one; 100 where these are not in use."""
    if not row[where] or not row[f"{side}_without"]:
        return 100.0
    return float(100 * row[f"{side}_with"] / row[f"{side}_without"])


def _ends(rows: dict[str, Any]) -> Iterator[str]:
    sums = figures_of_ends({"ends": rows})
    yield ENDS
    yield "| over the recordings | measured |"
    yield "| --- | --: |"
    yield f"| recordings with a second one of their program | {sums['recordings']} |"
    yield f"| the pool is smaller on the first recording | {sums['learnt']} |"
    yield (
        f"| of these on the second: smaller, larger, the same | {sums['wins']}, {sums['losses']}, "
        f"{sums['learnt'] - sums['wins'] - sums['losses']} |"
    )
    yield f"| offered | {sums['offered']} |"
    yield f"| needed pool of all, of that with one end, median | {sums['median']:.2f} % |"
    yield (
        "| needed pool of the second recording where they are offered, median "
        f"| {sums['median_offered']:.2f} % |"
    )
    later = sums["third"]
    wins = sum(row["third_with"] < row["third_without"] for row in later)
    losses = sum(row["third_with"] > row["third_without"] for row in later)
    yield (
        "| offered rules on a third recording, which had no part in it: smaller, larger, the same "
        f"| {wins}, {losses}, {len(later) - wins - losses} |"
    )
    ratios = [100 * row["third_with"] / row["third_without"] for row in later] or [100.0]
    yield f"| needed pool of that third recording, median | {median(ratios):.2f} % |"
    yield f"| the same, best and worst | {min(ratios):.2f} %, {max(ratios):.2f} % |"
    yield f"| on the second recording, best | {sums['best']:.2f} % |"
    yield f"| what it would need at worst without the check | {sums['worst']:.2f} % |"
    yield ""
    yield (
        "| learnt from | pool | both ends | tried on | pool | both ends | rules | offered "
        "| seconds |"
    )
    yield "| --- | --: | --: | --- | --: | --: | --: | --- | --: |"
    for name, row in rows.items():
        if "error" in row:
            yield f"| {name} | {row['error']} |" + " |" * 7
        elif not row["end_rules"]:
            rest = f"| {row['second']} | | | 0 | | {row['took']} |"
            yield f"| {name} | no table betters it | {rest}"
        else:
            yield (
                f"| {name} | {row['first_without']:,} | {row['first_with']:,} | {row['second']} "
                f"| {row['second_without']:,} | {row['second_with']:,} | {row['end_rules']} "
                f"| {'yes' if row['offered'] else 'no'} | {row['took']} |"
            )
    yield ""


def _placed(rows: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for row in rows.values() if "error" not in row]


def _more(row: dict[str, Any], one: str, other: str) -> float:
    """Percent by which one figure is above another; 100 where the other is nothing."""
    if row[other] <= 0:
        return 100.0 if row[one] > 0 else 0.0
    return float(100 * (row[one] - row[other]) / row[other])


def _less(row: dict[str, Any]) -> float:
    return float(100 * (row["taken_single"] - row["taken"]) / max(1, row["taken_single"]))


def _gap(row: dict[str, Any]) -> float:
    return _more(row, "bound", "best")


def _summary(data: dict[str, Any]) -> Iterator[str]:
    sums = figures(data)
    count = sums["traces"]
    yield "| over the traces | asked for | measured |"
    yield "| --- | --: | --: |"
    yield f"| traces that were placed | | {count} |"
    yield (
        "| internal memory taken, less than with the best single rule, median | 2 % "
        f"| {sums['less_taken']:.1f} % |"
    )
    yield (
        "| internal memory left, more than with the best single rule, median | 2 % "
        f"| {sums['more_free']:.1f} % |"
    )
    yield f"| the same, of the bound: no rules give more | | {sums['possible']:.1f} % |"
    yield f"| traces where a single rule does as well | | {sums['nothing']} |"
    yield f"| replay within 5 % of the bound | half | {sums['within']} of {count} |"
    yield f"| longest search, seconds | 60 | {sums['seconds']:.0f} |"
    yield (
        "| largest block, more than with the best single rule, median | "
        f"| {sums['need_more']:.1f} % |"
    )
    yield f"| largest block, more than without rules, median | | {sums['need_more_none']:.1f} % |"
    yield f"| largest block within 5 % of the bound | half | {sums['need_within']} of {count} |"
    yield (
        f"| longest search for a block, seconds | 60 | {sums['need_seconds']:.0f}, "
        f"{sums['need_stopped']} stopped by the time |"
    )


def _table(head: str, rows: dict[str, Any], *, taken: bool) -> Iterator[str]:
    yield head
    more = " taken with the single rule | taken | less |" if taken else ""
    yield (
        "| trace | no rules | single rule | best | more | bound | above the best |"
        f"{more} slow | rules | seconds |"
    )
    yield "| --- |" + " --: |" * (9 + 3 * taken)
    for name, row in rows.items():
        if "error" in row:
            yield f"| {name} | {row['error']} |" + " |" * (8 + 3 * taken)
            continue
        failed = f" ({row['failures']} fail)" if row["failures"] else ""
        inside = (
            f" {row['taken_single']:,} | {row['taken']:,} | {_less(row):.1f} % |" if taken else ""
        )
        yield (
            f"| {name} | {row['none']:,} | {row['single']:,} | {row['best']:,}{failed} "
            f"| {_more(row, 'best', 'single'):.1f} % | {row['bound']:,} | {_gap(row):.1f} % |"
            f"{inside} {row['slow']:.1f} % | {row['rules']} | {row['seconds']} |"
        )
    yield ""
