"""The page's tables, from what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from counts import CONTROL_POOLS, FREE_POOLS, SIZES
from goals import Goal
from instructions import CALLS
from measure import ALIGNED_TO, rivals
from needed import OURS
from timing import SHORT

__all__ = [
    "alignment",
    "article",
    "code",
    "control",
    "density",
    "goal_rows",
    "instructions",
    "learned",
    "needed",
    "per_trace",
    "rival_rows",
    "spread",
    "table",
    "times",
    "worst",
]

Data = Mapping[str, Any]

#: How the article's phases are called in a heading.
PHASES = {
    "first_malloc_8": "first 8 B",
    "mallocs_4_x10000": "10 000 x 4 B",
    "free_odd_5000": "free every second one",
    "malloc_8_after": "then one 8 B",
    "worst_free": "worst single free",
}


def table(heads: Sequence[str], rows: Iterator[Sequence[str]] | Sequence[Sequence[str]]) -> str:
    """Markdown; the first column is text, the others are numbers."""
    lines = [heads, ["---", *["--:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float | None, digits: int = 0) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def density(data: Data) -> str:
    heads = ["allocator", "free at start", *(f"{size} B" for size in SIZES)]
    rows = (
        [name, number(row["free"]), *(number(row["blocks"][str(size)]) for size in SIZES)]
        for name, row in data["density"].items()
    )
    return table(heads, rows)


def control(data: Data) -> str:
    heads = ["allocator", *(f"control of {size:,}" for size in CONTROL_POOLS)]
    heads += [*(f"bitmap of {size:,}" for size in CONTROL_POOLS)]
    heads += [*(f"free of {size:,}" for size in FREE_POOLS)]
    rows = []
    for name, row in data["control"].items():
        cells = [number(row["control"][str(size)]) for size in CONTROL_POOLS]
        cells += [number(row["bitmap"].get(str(size))) for size in CONTROL_POOLS]
        cells += [number(row["free"][str(size)]) for size in FREE_POOLS]
        rows.append([name, *cells])
    return table(heads, rows)


# ---- needed pools -------------------------------------------------------------------------------


def needed(data: Data) -> str:
    """Means over each set: of the ratio to the live peak, and of that to idf-4.2's pool."""
    means = data["needed"]["means"]
    heads = ["allocator"]
    for key in means:
        heads += [f"{key}: to peak", "to idf-4.2"]
    rows = []
    for name in means["real"]:
        cells = [name]
        for row in means.values():
            mean = row[name]
            part = "" if mean["served"] == mean["traces"] else f" ({mean['served']})"
            cells += [number(mean["ratio"], 4), number(mean["to_reference"], 4) + part]
        rows.append(cells)
    return table(heads, rows)


def per_trace(data: Data, kinds: Sequence[str]) -> str:
    """The pools of every trace of the repository."""
    traces = [
        (n, t)
        for n, t in data["needed"]["traces"].items()
        if t["kind"] in kinds and "seed" not in n
    ]
    names = list(traces[0][1]["pools"])
    rows = [
        [name, number(trace["peak_live"]), *(number(trace["pools"][who]) for who in names)]
        for name, trace in traces
    ]
    return table(["trace", "live peak", *names], rows)


# ---- instructions -------------------------------------------------------------------------------


def cell(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return "-"
    return f"{row['mean']:.0f} / {row['p99']} / {row['max']:,}"


def instructions(data: Data) -> str:
    runs = data["instructions"]["runs"]
    calls = [call for call in CALLS if any(call in run for run in runs.values())]
    rows = ([name, *(cell(run.get(call)) for call in calls)] for name, run in runs.items())
    return table(["run", *calls], rows)


def worst(data: Data) -> str:
    """The call that took most, of each run."""
    rows = []
    for name, run in data["instructions"]["runs"].items():
        calls = (run[call] for call in ("malloc", "free"))
        rows.append(
            [name, *(f"{c['max']:,}: {c['max_trace']}, event {c['max_event']:,}" for c in calls)]
        )
    return table(["run", "malloc", "free"], rows)


def rival_rows() -> str:
    """Mean and worst, as published."""
    calls = ("malloc", "free", "realloc")
    rows = []
    for row in rivals()["allocator"]:
        cells = [row.get(call) for call in calls]
        rows.append([row["name"], *(f"{c[0]:,} / {c[1]:,}" if c else "-" for c in cells)])
    return table(["allocator", *calls], rows)


def alignment(data: Data) -> str:
    means, runs = data["needed"]["means"]["real"], data["instructions"]["runs"]
    names = {8: (OURS, "x86-32, 1x")}
    names |= {to: (who, f"x86-32, aligned to {to}") for to, who in ALIGNED_TO.items()}
    rows = []
    for to in sorted(names):
        who, run = names[to]
        calls = [cell(runs[run].get(call)) for call in ("malloc", "free", "realloc")]
        ratios = [number(means[who][key], 4) for key in ("ratio", "to_reference")]
        rows.append([f"{to}", *ratios, *calls])
    return table(["alignment", "to peak", "to idf-4.2", "malloc", "free", "realloc"], rows)


# ---- the rest -----------------------------------------------------------------------------------


def code(data: Data) -> str:
    sizes = data["sizes"]
    files = list(next(iter(sizes.values())))
    rows = [
        [target, *(number(row[file]) for file in files), number(sum(row.values()))]
        for target, row in sizes.items()
    ]
    return table(["target", *(f"{file}.c" for file in files), "all"], rows)


def counted(data: Data) -> Mapping[str, Any]:
    """The run whose compiler and pools are those of the times."""
    runs = data["instructions"]["runs"]
    run: Mapping[str, Any] = runs.get("x86-32 gcc, 1x", runs["x86-32, 1x"])
    return run


TIMED = ("malloc", "free", "realloc")


def times(data: Data) -> str:
    """Nanoseconds a call, and in how many of them a hundred instructions were executed."""
    run = counted(data)
    rows = []
    for name, row in data["times"]["traces"].items():
        cells = [name]
        for call in TIMED:
            if call in row:
                each = 100 * row[call] / run[call]["means"][name]
                cells += [number(row[call], 1), number(each, 1)]
            else:
                cells += ["-", "-"]
        rows.append([*cells, number(row["whole_per_event"], 1)])
    heads = ["trace"]
    for call in TIMED:
        heads += [call, "per 100"]
    return table([*heads, "in the loop"], rows)


def spread(data: Data) -> str:
    """By call: how far apart the traces are in nanoseconds for a hundred instructions."""
    run, rows = counted(data), []
    for call in TIMED:
        traces = data["times"]["traces"].items()
        each = sorted(
            (100 * row[call] / run[call]["means"][name], name)
            for name, row in traces
            if call in row
        )
        if each:
            (low, first), (high, last) = each[0], each[-1]
            middle = each[len(each) // 2][0]
            ends = (f"{number(low, 1)}: {first}", f"{number(high, 1)}: {last}")
            rows.append([call, number(middle, 1), *ends])
    return table(["call", "median", "least", "most"], rows)


def learned(data: Data) -> str:
    """The first events of each trace, as a part of all and repeated alone."""
    traces = data["times"]["traces"].items()
    rows = [(name, row["first"]["within"], row["first"]["alone"]) for name, row in traces]
    rows.sort(key=lambda row: row[2] / row[1])
    cells = [[name, number(within, 1), number(alone, 1)] for name, within, alone in rows[:5]]
    return table(["trace", f"first {SHORT} events within", "alone"], cells)


def article(data: Data) -> str:
    """Our heap's figures for the published requests."""
    rows = []
    for unit in ("instructions", "ns"):
        for target in data["article"][next(iter(PHASES))][unit]:
            values = (data["article"][key][unit][target] for key in PHASES)
            rows.append(
                [
                    target,
                    unit,
                    *(number(value, 0 if unit == "instructions" else 1) for value in values),
                ]
            )
    return table(["target", "unit", *PHASES.values()], rows)


def goal_rows(goals: Sequence[Goal]) -> str:
    def shown(values: Sequence[float]) -> str:
        return " / ".join(
            f"{v:.3f}" if v < 3 else f"{v:.0f}" if float(v).is_integer() else f"{v:.1f}"
            for v in values
        )

    rows = [
        [g.what, shown(g.must), " or ".join(map(shown, g.aims)), shown(g.measured), g.met]
        for g in goals
    ]
    return table(["measure", "must", "aim", "measured", "met"], rows)
