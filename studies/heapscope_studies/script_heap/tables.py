"""Published beside computed, and what the week was like on every allocator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from heapscope_studies.conclusion import SHARE, UNTOLD
from heapscope_studies.result import Cell, Column, Table
from heapscope_studies.script_heap.advice import Advised
from heapscope_studies.script_heap.claims import FACTOR, Claim
from heapscope_studies.script_heap.cost import bands, per_call, plain, read_jobs
from heapscope_studies.script_heap.measures import Measured
from heapscope_studies.script_heap.runs import PUBLISHED
from heapscope_studies.script_heap.schedule import DAYS
from heapscope_studies.script_heap.study import (
    JOBS,
    RATES,
    Ran,
    Studied,
    line_published_us,
    line_us,
)


def published(claimed: Sequence[Claim]) -> Table:
    return Table(
        key="published",
        title="The report's figures, and those of the study's engine",
        columns=(
            Column(key="what", heading="what", name=True),
            Column(key="unit", heading="unit", name=True),
            Column(key="published_low", heading="published\nfrom"),
            Column(key="published_high", heading="to"),
            Column(key="computed", heading="computed", digits=3),
            Column(
                key="difference",
                heading="difference",
                digits=3,
                signed=True,
                judged_by="holds",
            ),
            Column(key="holds", heading="holds", name=True),
        ),
        rows=tuple(
            (
                claim.what,
                claim.unit,
                claim.low,
                claim.high,
                claim.stated,
                claim.difference,
                claim.verdict,
            )
            for claim in claimed
        ),
        notes=(
            f"A figure holds within a factor of {FACTOR:g} of what was published. It {UNTOLD} "
            "where it depends on the share of nodes that the cache keeps: from all of them to none "
            f"it moves by more than {100 * SHARE:.0f} %. Where no such share comes near what was "
            "published, it does not hold.",
            "An arithmetic figure comes out by construction and does not count as a hit.",
            f"Shared: {PUBLISHED['study']['shared']} with the crowd of the user guide; private: "
            f"{PUBLISHED['study']['private']} on {PUBLISHED['published']['heap_size']:,} bytes.",
        ),
    )


def nodes(studied: Studied) -> Table:
    """By job, with the sensitivity to the rate and to what a device may do between."""
    rows: list[tuple[Cell, ...]] = []
    for rate in RATES:
        for ran in (studied.private[rate], studied.shared[rate]):
            rows.append((ran.allocator, rate, "the recorded order", *_nodes(ran)))
    chosen = PUBLISHED["study"]["events_a_second"]
    rows += [(ran.allocator, chosen, name, *_nodes(ran)) for name, ran in studied.between.items()]
    return Table(
        key="nodes",
        title="Nodes that the study's engine makes its heap visit, a job",
        columns=(
            Column(key="allocator", heading="Allocator", name=True),
            Column(key="rate", heading="events\na second"),
            Column(key="between", heading="between the minutes", name=True),
            *(Column(key=job, heading=NAMED[job], digits=0) for job in JOBS),
            Column(key="free_blocks", heading="free\nblocks", digits=0),
        ),
        rows=tuple(rows),
        notes=(
            "Means of eight recorded minutes, each with its collection; JSON and CBOR once. Those "
            "of umm:32 are the real allocator's, with the digest of every answer.",
        ),
    )


NAMED = {"minute": "a minute", "collection": "a\ncollection", "json": "JSON", "cbor": "CBOR"}


def _nodes(ran: Ran) -> tuple[Cell, ...]:
    return (*(round(ran.mean(job, "nodes")) for job in JOBS), round(ran.free_blocks()))


def choices() -> Table:
    reported = PUBLISHED["study"]
    return Table(
        key="choices",
        title="The choices, and the cost of a node",
        columns=(
            Column(key="what", heading="what", name=True),
            Column(key="value", heading="value", digits=3),
            Column(key="why", heading="why, and what it moves", name=True),
        ),
        rows=(
            (
                "events a second beside the tickers",
                reported["events_a_second"],
                "told nowhere; 0 and 2 are in table nodes; JSON and CBOR do not depend on it",
            ),
            (
                "the crowd: free blocks before the engine starts",
                454,
                "the user guide tells them shortly after a boot, with 6,013 blocks in use; their "
                "sizes are drawn, mean 70 bytes",
            ),
            (
                "a line at 40 MHz, us",
                line_us(40),
                "78 clocks of the bus; the upper end of a node's price",
            ),
            (
                f"the same at {PUBLISHED['validation']['ram_mhz']} MHz, us",
                line_us(PUBLISHED["validation"]["ram_mhz"]),
                "to be put beside the next row",
            ),
            (
                "a line of a published reading, copying included, us",
                line_published_us(),
                f"{PUBLISHED['validation']['mb_s']:g} MB/s, {PUBLISHED['validation']['source']}",
            ),
        ),
        notes=(
            "The published reading bears a line's price. It says nothing about the share of nodes "
            "that the cache still has: that is a model of two ways with lines that fall on its "
            "sets at random, without the engine's data and its code in flash.",
        ),
    )


def allocators(measured: Sequence[Measured]) -> Table:
    columns = [
        Column(key="allocator", heading="Allocator", name=True),
        Column(key="heap", heading="heap", name=True),
        Column(key="size", heading="size", unit="B", wide=True),
        Column(key="nodes_collection", heading="nodes a\ncollection", digits=0),
        Column(key="nodes_json", heading="nodes\nof JSON", digits=0),
        Column(key="nodes_cbor", heading="nodes\nof CBOR", digits=0, wide=True),
        Column(key="collection_ms", heading="collection", unit="ms", digits=1),
        Column(key="json_ms", heading="JSON", unit="ms", digits=0),
        Column(key="cbor_ms", heading="CBOR", unit="ms", digits=1),
        Column(key="cpu_pct", heading="share", unit="%", digits=2),
        Column(key="fragmented_pct", heading="frag-\nmented", unit="%", digits=1),
        Column(key="largest", heading="least\nlargest", unit="B"),
        Column(key="failures", heading="failed"),
    ]
    return Table(
        key="allocators",
        title="The week on every allocator: its last day; JSON and CBOR from the second on",
        columns=tuple(columns),
        rows=tuple(_allocator(one) for one in measured),
        notes=(
            "nodes: blocks that the model's searches visit, its steps and not its time; our heap "
            "runs as it ships and counts none",
            "times and share: estimated, middle; -: nobody counted this allocator's real code",
            "what a call of ours takes was counted with the script alone on 512 KB, and stands for "
            "its forms and for the shared heap too",
            "heapscope has the wide form on heaps of these sizes; idf-4.3.2 is the build of chips "
            "without external RAM, idf-4.3.2-psram of those with it; idf-4.3.2 and umm make no "
            "larger heap",
            "fragmented: of the free bytes, what no single request can have",
        ),
    )


def _allocator(one: Measured) -> tuple[Cell, ...]:
    plan = one.played.arrangement
    cells: list[Cell] = [
        plan.serving,
        "shared" if plan.private is None else "private",
        plan.heaps()[plan.heap].size,
    ]
    cells.append(one.nodes("collection", DAYS))
    cells += [one.later_nodes(kind) for kind in ("json", "cbor")]
    if one.timed:
        cells.append(1000 * one.spread("collection", DAYS).middle)
        cells += [1000 * one.later(kind).middle for kind in ("json", "cbor")]
        cells.append(one.cpu(DAYS).middle)
    else:
        cells += [None] * 4
    last = one.in_day("collection", DAYS)
    return (
        *cells,
        float(one.fragmented()[last].mean()),
        int(one.heap("largest").min()),
        one.played.failures,
    )


def advice(advised: Sequence[Advised], margin: float) -> Table:
    return Table(
        key="advice",
        title=f"Size of the private heap: the smallest, and with {margin:g} % on top",
        columns=(
            Column(key="allocator", heading="Allocator", name=True),
            Column(key="peak", heading="live peak", unit="B"),
            Column(key="pool", heading="smallest", unit="B"),
            Column(key="advised", heading="advised", unit="B"),
            Column(key="failures", heading="failed in\nthe week"),
            Column(key="least_free", heading="least free after\na collection", unit="B"),
        ),
        rows=tuple(
            (
                one.fit.allocator,
                one.fit.peak_live,
                one.fit.pool,
                one.fit.advised,
                one.failures,
                one.least_free,
            )
            for one in advised
        ),
        notes=("The size is found on the recorded jobs, and tried on the week composed of them.",),
    )


def counted() -> Table:
    jobs = read_jobs()
    rows: list[tuple[Cell, ...]] = []
    for kind in JOBS:
        some = [job for name, job in jobs.items() if name.startswith(f"{kind} ")]
        names = (
            *("instructions", "lines_read", "lines_written"),
            *("heap_calls", "heap_instructions", "heap_lines_read", "heap_lines_written"),
        )
        rows.append((kind, len(some), *(_mean([getattr(j, name) for j in some]) for name in names)))
    return Table(
        key="counted",
        title="Cost of a job: engine, and our heap under it; means",
        columns=(
            Column(key="job", heading="job", name=True),
            Column(key="recorded", heading="recorded"),
            Column(key="instructions", heading="instructions"),
            Column(key="lines_read", heading="lines\nread"),
            Column(key="lines_written", heading="written"),
            Column(key="heap_calls", heading="calls"),
            Column(key="heap_instructions", heading="heap's\ninstructions"),
            Column(key="heap_lines_read", heading="lines\nread"),
            Column(key="heap_lines_written", heading="written"),
        ),
        rows=tuple(rows),
        notes=(
            "Counted on 32-bit x86, -Os: instructions by callgrind, lines by a cache of 32 KB with "
            "two ways that sees every access to the heap's memory. Code in flash and doubles "
            "without hardware, which the ESP32 has, are not in it.",
        ),
        detail=True,
    )


def _mean(values: Sequence[int]) -> int:
    return round(sum(values) / len(values))


def costs(names: Sequence[str]) -> Table:
    return Table(
        key="costs",
        title="The basis of the times",
        columns=(
            Column(key="what", heading="what", name=True),
            Column(key="least", heading="least", digits=1),
            Column(key="middle", heading="middle", digits=1),
            Column(key="most", heading="most", digits=1),
            Column(key="source", heading="source", name=True),
        ),
        rows=(*_chip(), *_calls(names)),
        detail=True,
    )


def _chip() -> Iterator[tuple[Cell, ...]]:
    band = bands()
    ends = [band[name] for name in ("least", "middle", "most")]
    clocks: Mapping[str, Sequence[int]] = PUBLISHED["line_clocks"]
    mhz = PUBLISHED["chip"]["clock_mhz"]
    text = "assumed; an ESP32 without waiting does one a cycle, branches and loads take more"
    yield ("cycles of an instruction", *(end.per_instruction for end in ends), text)
    for what, key in (("read", "read"), ("write", "written back")):
        yield (
            f"cycles of a line {key}",
            *(getattr(end, what) for end in ends),
            f"{sum(clocks[what])} clocks on four lines: command, address, wait, 32 bytes; at "
            f"CONFIG_SPIRAM_SPEED of a processor's {mhz} MHz",
        )
    yield (
        "walked nodes that are not in the cache, %",
        0.0,
        None,
        100.0,
        "middle: by the list's length, as a cache of two ways keeps lines that fall at random",
    )


def _calls(names: Sequence[str]) -> Iterator[tuple[Cell, ...]]:
    for name in dict.fromkeys(plain(name) for name in names):
        cost = per_call(name)
        if cost is None:
            continue
        for what in ("malloc", "free", "realloc", "node", "free_node"):
            value = getattr(cost, what)
            if value:
                yield (
                    f"{name}: instructions of {LONG[what]}",
                    None,
                    value,
                    None,
                    _origin(cost.error),
                )


LONG = {
    "malloc": "a malloc",
    "free": "a free",
    "realloc": "a realloc",
    "node": "a node walked by malloc",
    "free_node": "a node walked by free",
}


def _origin(error: float | None) -> str:
    if error is None:
        return "real code, gcc -m32 -O2, mean over other traces"
    return f"real code on heap-change's requests, fitted; off by {100 * error:.0f} % at most"
