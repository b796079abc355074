"""How fast a page with the engine answers in Chromium: the report of a long trace opens, every
gesture on it is answered, and a replay answers while a slider is dragged. Nothing is asserted.

    .venv/bin/python benches/bench_page.py [--events N] [--dragged N] [--rounds N]

The trace is the gateway of the demo again and again, with a clock and call sites. Milliseconds are
from the time stamp of the input to the frame with its answer; on a busy machine they are mostly
waiting, so the processor time of all of the browser's processes stands beside them (Linux alone).
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from machine import cpu
from traces import name, paths, repeated

from heapscope.cli.verbs.report import report
from heapscope.native.events import NativeWriter, keep_events, take_events
from heapscope.native.reader import NameTable, NativeReader

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "browser"))
from window import browser

PROGRAM = "mix_gateway"
POOL = 1_000_000
SITES = 60
TICK = 12  #: microseconds from an event to the next one
LIMIT = 64_000_000  #: bytes of a trace in the page at most
PROBE = Path(__file__).with_name("page_probe.js")
WAIT = 120_000
#: A picture is there, and the exact one.
SHOWN = (
    "() => typeof HS === 'object' && HS.explore?.seen?.shown?.layer !== undefined",
    "() => document.documentElement.dataset.replayed !== undefined",
)

Pair = tuple[float, float]  #: milliseconds that passed, and those of the processor


def sample_trace(events: int, path: Path) -> int:
    """The program again and again; how many events that is."""
    (program,) = (one for one in paths() if name(one) == PROGRAM)
    data, count = repeated(program, events)
    with NativeReader() as reader, NativeWriter(features=2 | 4) as writer, path.open("wb") as out:
        keep_events(reader)
        writer.metadata("clock_hz", "1000000")
        for table, names in (
            (NameTable.TASK, ("app", "script", "tls")),
            (NameTable.SITE, ("", *(f"main;step_{i % 7};call_{i}" for i in range(SITES)))),
        ):
            for index, text in enumerate(names):
                writer.name(table, index, text.encode())
        number = 0
        for begin in range(0, len(data), 1 << 20):
            reader.push(data[begin : begin + (1 << 20)])
            for rows in take_events(reader):
                rows["time"] = (number + np.arange(len(rows))) * TICK
                rows["site"] = np.where(rows["kind"] <= 4, 1 + rows["size"] % SITES, 0)
                number += len(rows)
                writer.events(rows)
                for part in writer.take():
                    out.write(part)
        writer.finish()
        for part in writer.take():
            out.write(part)
    return count


@contextmanager
def page_of(chromium: Any, built: Path) -> Iterator[tuple[Any, Pair, Pair]]:
    """The page, opened; and the milliseconds to its first picture, and to the exact one."""
    page = chromium.new_page(viewport={"width": 1360, "height": 1000})
    begin, before = time.perf_counter(), processor()

    def so_far() -> Pair:
        return 1000 * (time.perf_counter() - begin), processor() - before

    page.goto(built.as_uri(), wait_until="commit")
    passed = []
    for what in SHOWN:  # in each frame: a selector is looked for every half a second only
        page.wait_for_function(what, timeout=WAIT, polling="raf")
        passed.append(so_far())
    first, exact = passed
    page.evaluate(PROBE.read_text(encoding="utf-8"))
    yield page, first, exact
    page.close()


def processor() -> float:
    """Milliseconds that all processes below this one have run so far."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended just now
            fields = stat.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
            parents[int(stat.parent.name)] = int(fields[1])
    below, total = {os.getpid()}, 0
    while more := {one for one, parent in parents.items() if parent in below} - below:
        below |= more
    for one in below - {os.getpid()}:
        for task in Path(f"/proc/{one}/task").glob("*/schedstat"):
            with contextlib.suppress(OSError):
                total += int(task.read_text(encoding="ascii").split()[0])
    return total / 1e6


def took(page: Any, what: str, act: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds from the last input of `act` to its answer; and of the processor."""
    page.evaluate("probe.clear()")
    before = processor()
    act()
    page.wait_for_function("(what) => probe.told[what] !== undefined", arg=what, timeout=WAIT)
    return float(page.evaluate("(what) => probe.told[what].took", what)), processor() - before


def gestures(page: Any) -> Iterator[tuple[str, Pair]]:
    """Each gesture once, by the mouse and the keys of the browser."""
    canvas = page.locator("[data-canvas]")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    x, y = box["x"], box["y"]

    def button(which: str) -> Callable[[], object]:
        return lambda: page.locator(f"[data-do={which}]").dispatch_event("click")

    def brush() -> None:
        page.mouse.move(x + 300, y + 200)
        page.mouse.down()
        page.mouse.move(x + 700, y + 500, steps=4)
        page.mouse.up()

    def chosen(field: str, value: str) -> Callable[[], object]:
        return lambda: page.locator(f"[data-filter] [name={field}]").select_option(value)

    def go() -> None:
        page.fill("[data-go] [name=to]", "7,000,000")
        page.press("[data-go] [name=to]", "Enter")

    yield "show all", took(page, "picture", button("all"))
    yield "brush: the range", took(page, "rangesays", brush)
    yield (
        "click: the block",
        took(page, "cursor", lambda: page.mouse.click(x + 700, y + box["height"] - 60)),
    )
    yield "zoom in", took(page, "picture", button("in"))
    yield "zoom to the range", took(page, "picture", button("zoom"))
    yield "pan to an event", took(page, "cursor", go)
    yield "zoom out", took(page, "picture", button("out"))
    yield "show all again", took(page, "picture", button("all"))
    yield "arrow key", took(page, "cursor", lambda: canvas.press("ArrowRight"))
    button("pinA")()
    page.mouse.click(x + 900, y + box["height"] - 60)
    yield "pin", took(page, "pinsays", button("pinB"))

    def typed(field: str, value: str) -> Callable[[], object]:
        return lambda: page.locator(f"[name={field}]").fill(value)

    def filtered(label: str, act: Callable[[], object]) -> Iterator[tuple[str, Pair]]:
        yield label, took(page, "picture", act)
        page.wait_for_function("() => probe.told.line !== undefined", timeout=WAIT)
        yield f"{label}: its exact line", (float(page.evaluate("probe.told.line.took")), math.nan)

    yield from filtered("filter by task", chosen("task", "1"))
    yield from filtered("filter: never freed", chosen("show", "stays"))
    chosen("show", "")()
    chosen("task", "")()
    page.wait_for_timeout(500)
    yield from filtered("filter by call site", typed("site", "step_3"))
    yield from filtered("filter by size", typed("least", "64"))
    page.locator("[name=site]").fill("")
    page.locator("[name=least]").fill("0")
    page.wait_for_timeout(500)


def dragged(page: Any) -> tuple[dict[str, Pair], float, float]:
    """The slider moved a step: first and exact picture; dragged for two seconds: pictures a second,
    and the longest task of the page itself."""
    slider = page.locator("#size-0")
    slider.scroll_into_view_if_needed()
    done = page.evaluate("document.documentElement.dataset.replayed")
    page.evaluate("probe.clear()")
    before = processor()
    slider.press("ArrowLeft")
    page.wait_for_function(
        "(done) => document.documentElement.dataset.replayed !== done", arg=done, timeout=WAIT
    )
    spent = processor() - before
    page.wait_for_timeout(100)
    pictures = page.evaluate("probe.pictures")
    steps = {"first": (pictures[0]["took"], spent), "exact": (pictures[-1]["took"], spent)}
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    page.evaluate("probe.clear()")
    begin = time.perf_counter()
    for step in range(60):
        page.mouse.move(box["x"] + box["width"] * (0.5 + 0.4 * step / 60), middle)
        page.wait_for_timeout(max(0, begin + (step + 1) / 30 - time.perf_counter()) * 1000)
    seconds = time.perf_counter() - begin
    drawn, longest = page.evaluate("() => [probe.pictures.length, Math.max(0, ...probe.long)]")
    page.mouse.up()
    page.wait_for_timeout(1500)
    return steps, drawn / seconds, longest


def line(label: str, pairs: list[Pair]) -> None:
    passed = [one[0] for one in pairs]
    # A process that ends takes its time with it, so the least may even be negative.
    figures = (min(passed), statistics.median(passed), statistics.median(one[1] for one in pairs))
    texts = ("-" if math.isnan(one) else f"{one:.0f}" for one in figures)
    print(f"{label:<35} " + " ".join(f"{text:>9}" for text in texts), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--dragged", type=int, default=400_000)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        load = f"{os.getloadavg()[0]:.1f} processes ready to run"
        print(f"{cpu()}, {os.cpu_count()} cores, {load}; Chromium {chromium.version}")
        print(f"milliseconds, {args.rounds} rounds".ljust(35) + "     least    median processor")
        for measure, events in ((measure_long, args.events), (measure_short, args.dragged)):
            trace = Path(folder) / f"{events}.hst"
            count = sample_trace(events, trace)
            built = trace.with_suffix(".html")
            report(trace, pool=POOL, out=built, embed_limit=LIMIT, remedies=False)
            sizes = [f"{one.stat().st_size / 1e6:.1f} MB" for one in (trace, built)]
            print(f"\n{count:,} events, trace {sizes[0]}, page {sizes[1]}")
            measure(chromium, built, args.rounds)


def measure_long(chromium: Any, built: Path, rounds: int) -> None:
    result: dict[str, list[Pair]] = {}
    for _ in range(rounds):
        with page_of(chromium, built) as (page, first, exact):
            result.setdefault("opened: first picture", []).append(first)
            result.setdefault("opened: exact", []).append(exact)
            for label, value in gestures(page):
                result.setdefault(label, []).append(value)
    for label, values in result.items():
        line(label, values)


def measure_short(chromium: Any, built: Path, rounds: int) -> None:
    result: dict[str, list[Pair]] = {}
    rates: list[float] = []
    longest: list[float] = []
    with page_of(chromium, built) as (page, _, exact):
        line("opened: exact", [exact])
        for _ in range(rounds):
            steps, rate, task = dragged(page)
            rates.append(rate)
            longest.append(task)
            for label, value in steps.items():
                result.setdefault(f"a step of the slider: {label}", []).append(value)
    for label, values in result.items():
        line(label, values)
    print(f"while dragged: {max(rates):.1f} pictures a second at best, {min(rates):.1f} at worst;")
    print(f"the page's longest task of its own: {min(longest):.0f} to {max(longest):.0f} ms")


if __name__ == "__main__":
    main()
