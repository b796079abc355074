"""Broken in how pages look: sizes, charts, texts."""

from __future__ import annotations

from mutant import Mutant

LOOKS = "tests/browser/test_looks.py"
ASSETS = "lab/heapscope/render/page/assets"

PAGES = (
    Mutant(
        "looks of a page",
        "a class of the experiments' chapters takes a bar's height",
        f"{ASSETS}/page.css",
        ".chapter-part { margin-bottom: 30px;",
        ".part { margin-bottom: 30px;",
        LOOKS,
    ),
    Mutant(
        "looks of a page",
        "the areas of a chart have no height",
        "lab/heapscope/render/page/charts.py::_fragmentation",
        '"free": _steps([moment.free for moment in moments]), '
        '"largest": _steps([moment.largest_free for moment in moments]),',
        '"free": [0] * (len(moments) + 1), "largest": [0] * (len(moments) + 1),',
        LOOKS,
    ),
    Mutant(
        "looks of a page",
        "a figure is cut off at its card's width",
        f"{ASSETS}/page.css",
        ".card dd { text-align: right;",
        ".card dd { overflow: hidden; max-width: 40px; text-align: right;",
        LOOKS,
    ),
    Mutant(
        "one colour has one meaning",
        "a task has the colour of a side",
        "lab/heapscope/render/page/colours.py::task_looks",
        "TASKS[sides if sides > 1 else 0 :]",
        "TASKS[0:]",
        "tests/browser/test_colours.py",
    ),
)
