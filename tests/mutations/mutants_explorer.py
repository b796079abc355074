"""Broken in the page that replays by itself: its scripts, and the lives of blocks that it draws."""

from __future__ import annotations

from mutant import Mutant

ASSETS = "lab/heapscope/report/page/assets"
HISTORY = "lab/native/history"
DRAG = "tests/browser/test_explorer_drag.py"
FILES = "tests/browser/test_explorer_files.py"
FILTERS = "tests/browser/test_explorer_filters.py"
LIVES = "tests/lab/export/test_history.py"

EXPLORER = (
    Mutant(
        "leaks in a page",
        "a holder that stopped growing leaks too",
        f"{ASSETS}/leaking.js",
        "return !slows && reached ** number >= UNSTEADY && !emptied(all, freed, alive, first);",
        "return true;",
        FILTERS,
    ),
    Mutant(
        "leaks in a page",
        "old blocks that were freed do not count",
        f"{ASSETS}/leaking.js",
        "(end - Math.max(born, 1) >= age ? count : 0)",
        "0",
        FILTERS,
    ),
    Mutant(
        "filters of a page",
        "failed requests are not asked for",
        f"{ASSETS}/filtering.js",
        'failed: show === "failed"',
        "failed: false",
        FILTERS,
    ),
    Mutant(
        "filters of a page",
        "the engine is not told the least size",
        f"{ASSETS}/blocks.js",
        "size_min: whole(filter.least, Math.ceil)",
        "size_min: 0",
        FILTERS,
    ),
    Mutant(
        "a log in a page",
        "the least of a figure is its first",
        f"{ASSETS}/log_reading.js",
        "if (figure.value < found.least.value) found.least = figure;",
        "",
        FILES,
    ),
    Mutant(
        "a log in a page",
        "a request that fails again is counted once",
        f"{ASSETS}/log_answer.js",
        "count: found.count + 1",
        "count: found.count",
        FILES,
    ),
    Mutant(
        "zstd in a page",
        "a table of codes has a bit more",
        f"{ASSETS}/zstd.js",
        "const log = read(4) + 5, shares",
        "const log = read(4) + 6, shares",
        FILES,
    ),
    Mutant(
        "pictures while one drags",
        "a picture on the way has an event too many",
        f"{ASSETS}/blocks.js",
        "events: this.count().events, times",
        "events: this.count().events + 1, times",
        DRAG,
    ),
    Mutant(
        "pictures while one drags",
        "an outdated replay goes on to its end",
        f"{ASSETS}/jobs.js",
        "if (mine !== running) return { ended: true };",
        "",
        DRAG,
    ),
    Mutant(
        "pictures while one drags",
        "a picture that was asked for is not shown",
        f"{ASSETS}/explore.js",
        "if (picture.run === seen.shown?.run) HS.explore.accept(picture);",
        "",
        DRAG,
    ),
    Mutant(
        "lives of blocks",
        "a block is drawn where its region begins",
        "lab/native/lab/export.c::live_on",
        "replay->chip.region[at->region].start + at->offset",
        "replay->chip.region[at->region].start",
        LIVES,
    ),
    Mutant(
        "lives of blocks",
        "a short life has no pixel",
        f"{HISTORY}/draw.c::draw_block",
        "x1 = x1 > x0 ? x1 : x0 + 1;",
        "",
        LIVES,
    ),
    Mutant(
        "lives of blocks",
        "a column has the last of its live bytes",
        f"{HISTORY}/draw.c::hs_history_most",
        "bytes[column] = bytes[column] > live ? bytes[column] : live;",
        "bytes[column] = live;",
        LIVES,
    ),
    Mutant(
        "lives of blocks",
        "a block that stays is of any age",
        f"{HISTORY}/filter.c::passes",
        "end = died < sieve->events ? died : sieve->events;",
        "end = died;",
        LIVES,
    ),
    Mutant(
        "lives of blocks",
        "a block is not live after the event that began it",
        f"{HISTORY}/sums.c::sum_difference",
        "chunk->born[i] <= first",
        "chunk->born[i] < first",
        LIVES,
    ),
)
