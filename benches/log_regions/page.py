"""docs/reference/log-regions.md, made from the figures of the last run."""

from __future__ import annotations

from typing import Any

HEAD = """\
# Regions of real logs, to the byte

`python benches/log_regions FOLDER` reads every `*.log` of a folder and writes this page and
[its figures](log-regions.csv); `--page` makes the page again. The logs are of public threads and
are not in the repository.

A list at a start (`heap_init`) has the length of each region. It is *exact* where the region ends
at the byte at which the memory map of a release that fits does. Its begin depends on the program's
static data. A heap summary has free and allocated bytes: it is *exact* where these, the allocator's
table and the headers that it counts make up the region, by one allocator for all regions of all
summaries. Other regions are *explained* in the last column, or left. An *inferred* reason was
concluded from the very log that it explains; not every other one names its source.

"""


def markdown(data: dict[str, Any]) -> str:
    logs = data["logs"]
    rows = [(name, row) for name, of in logs.items() for row in of]
    return "\n".join([HEAD, *_totals(rows), "", *_start(rows), "", *_summaries(rows), ""])


def _totals(rows: list[tuple[str, dict[str, Any]]]) -> list[str]:
    lines = ["| lists | logs | regions | exact | explained | left |", "| --- |" + " --: |" * 5]
    for kind in ("start", "summaries"):
        here = [row for _, row in rows if row["list"] == kind]
        total, exact, explained = (
            sum(row[key] for row in here) for key in ("regions", "exact", "explained")
        )
        left = total - exact - explained
        lines.append(f"| {kind} | {len(here)} | {total} | {exact} | {explained} | {left} |")
    return lines


def _start(rows: list[tuple[str, dict[str, Any]]]) -> list[str]:
    lines = [
        "## Lists at a start\n",
        "| log | chip | says | releases that fit | exact | explained |",
        "| --- | --- | --- | --- | --: | --- |",
    ]
    for name, row in rows:
        if row["list"] == "start":
            lines.append(
                f"| {name} | {row['chip']} | {row['told']} | {row['shown']} | {_part(row)}"
            )
    return lines


def _summaries(rows: list[tuple[str, dict[str, Any]]]) -> list[str]:
    lines = [
        "## Heap summaries\n",
        "| log | chip | says | allocators | exact | explained |",
        "| --- | --- | --- | --- | --: | --- |",
    ]
    for name, row in rows:
        if row["list"] == "summaries":
            text = f"{row['chip']} | {row['told']} | {row.get('allocators', '')}"
            lines.append(f"| {name} | {text} | {_part(row)}")
    return lines


def _part(row: dict[str, Any]) -> str:
    why = f"{row['explained']}: {row['why']}" if row["explained"] else row.get("why", "")
    return f"{row['exact']} of {row['regions']} | {why} |"
