"""Forty tasks are distinguished by eyes that lack a kind of cone: ten colours that differ in every
view, and four patterns whose marks differ from their colour in every view."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from heapscope.render.page.colours import LOOKS, OTHERS, PATTERNS, PINS, TASKS, task_looks
from heapscope.render.page.frame import own_asset

Open = Callable[..., Any]
Colours = NDArray[np.float64]

#: Linear RGB as it is seen without one kind of cones, of Machado, Oliveira and Fernandes, "A
#: physiologically-based model for simulation of color vision deficiency" (2009), severity 1.
VIEWS = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
#: Distances in Oklab, of which black and white are 1 apart; 0.02 is about the least that is seen.
APART, FROM_BACK, MARKED = 0.11, 0.15, 0.2
#: The two backgrounds.
BACKS = ("#ffffff", "#131922")


def oklab(linear: Colours) -> Colours:
    """Ottosson's Oklab (2020) of linear sRGB."""
    cones = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    axes = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return np.asarray(np.cbrt(np.clip(linear, 0, 1) @ cones.T) @ axes.T)


def seen(hexes: Sequence[str], view: str) -> Colours:
    plain = np.array([[int(one[at : at + 2], 16) for at in (1, 3, 5)] for one in hexes]) / 255
    linear = np.where(plain <= 0.04045, plain / 12.92, ((plain + 0.055) / 1.055) ** 2.4)
    return oklab(linear @ VIEWS[view].T)


def least(colours: Colours) -> float:
    return min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(colours, 2))


@pytest.mark.parametrize("view", VIEWS)
def test_ten_colours_differ_from_each_other_and_from_the_page(view: str) -> None:
    tasks, backs = seen(TASKS, view), seen(BACKS, view)
    assert least(tasks) >= APART
    assert min(float(np.linalg.norm(a - b)) for a in tasks for b in backs) >= FROM_BACK


def test_a_pin_has_no_colour_of_a_task() -> None:
    """The nearest misses had nearly that of the second task, and of the second side."""
    pins = seen(sorted({colour for pin in PINS.values() for colour in pin}), "all cones")
    tasks = seen(TASKS, "all cones")
    assert min(float(np.linalg.norm(a - b)) for a in tasks for b in pins) >= APART


def test_forty_tasks_have_forty_looks() -> None:
    colours, patterns = task_looks(list(range(60, 0, -1)))
    looks = list(zip(colours, patterns, strict=True))
    assert LOOKS == 40
    assert len(set(looks[:LOOKS])) == LOOKS
    assert set(looks[LOOKS:]) == {(OTHERS, 0)}
    assert patterns[: len(TASKS)] == [0] * len(TASKS)


def test_sides_have_colours_that_no_task_has() -> None:
    """One colour has one meaning on a page."""
    for sides in (2, 6):
        colours, patterns = task_looks(list(range(60, 0, -1)), sides=sides)
        assert not set(colours) & set(TASKS[:sides])
        looks = [one for one in zip(colours, patterns, strict=True) if one[0] != OTHERS]
        assert len(set(looks)) == len(looks) == PATTERNS * (len(TASKS) - sides)


@pytest.fixture
def patterns(chromium: Any) -> Any:
    page = chromium.new_page()
    page.evaluate(f"() => {{ {own_asset('patterns.js')}; globalThis.PATTERN = PATTERN; }}")
    yield page
    page.close()


@pytest.mark.parametrize("view", VIEWS)
def test_the_marks_of_a_pattern_are_seen_on_its_colour(patterns: Any, view: str) -> None:
    marks = patterns.evaluate("(all) => all.map((c) => PATTERN.mark(PATTERN.parse(c)))", TASKS)
    hexes = ["#" + "".join(f"{value:02x}" for value in mark) for mark in marks]
    apart = np.linalg.norm(seen(TASKS, view) - seen(hexes, view), axis=1)
    assert float(apart.min()) >= MARKED


def test_patterns_differ_within_six_pixels(patterns: Any) -> None:
    """A block of 6 x 6 pixels anywhere shows which pattern it has."""
    result = patterns.evaluate(
        """(count) => {
          const shown = {};
          for (let pattern = 0; pattern < count; pattern++)
            for (let x0 = 0; x0 < 30; x0++) for (let y0 = 0; y0 < 30; y0++) {
              let text = "";
              for (let i = 0; i < 36; i++)
                text += PATTERN.marks(pattern, x0 + (i % 6), y0 + Math.floor(i / 6)) ? "#" : ".";
              (shown[text] ??= new Set()).add(pattern);
            }
          return Object.values(shown).map((one) => one.size);
        }""",
        PATTERNS,
    )
    assert set(result) == {1}


def test_the_page_draws_and_names_forty_tasks(empty: Path, see: Open, tmp_path: Path) -> None:
    text = tmp_path / "tasks.txt"
    text.write_text("".join(f"t task{n}\na {n} 1000\n" for n in range(45)), encoding="utf-8")
    page = see(empty).page
    page.wait_for_selector("html[data-explorer=yes]", timeout=30_000)
    page.set_input_files("[data-file]", text)
    page.wait_for_selector("html[data-replayed]", timeout=30_000)
    swatches = page.locator("[data-tasks] button i")
    styles = swatches.evaluate_all("(all) => all.map((one) => one.style.background)")
    assert len(styles) >= 45
    assert len(set(styles[:LOOKS])) == LOOKS
    assert len(set(styles[LOOKS:])) == 1
