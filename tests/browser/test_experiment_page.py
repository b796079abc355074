"""A page of experiments in a browser: curves are drawn, tell their figures, hide and zoom."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from heapscope.render.page.colours import TASKS
from heapscope_studies.page.chapters import experiment_html

sys.path.append(str(Path(__file__).resolve().parents[1] / "studies"))

from sample_experiment import COMPUTED, EVIL, EVIL_NAME, LABELS, MANY, agreeing, hostile

Seen = Any
Open = Callable[..., Seen]

WIDE, NARROW = {"width": 1320, "height": 900}, {"width": 380, "height": 800}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("experiment") / "experiment.html"
    path.write_text(experiment_html([hostile(), agreeing()]), encoding="utf-8")
    return path


def model(seen: Seen, name: str, value: str) -> Any:
    return seen.page.evaluate(
        f"(name) => {{ const one = Bokeh.documents[0].get_model_by_name(name); return {value} }}",
        name,
    )


def pointed(seen: Seen, plot: str, x: float, y: float) -> str:
    """The text of the tip when the pointer is on a point of the data."""
    chart = seen.page.locator(f'[data-chart="{plot}"]')
    chart.scroll_into_view_if_needed()
    box = chart.locator(".plot").bounding_box()
    share = model(
        seen,
        plot,
        f"""[({x} - one.x_range.start) / (one.x_range.end - one.x_range.start) * one.inner_width,
             (one.y_range.end - {y}) / (one.y_range.end - one.y_range.start) * one.inner_height,
             one.outer_width - one.inner_width - 30]""",
    )
    seen.page.mouse.move(box["x"] + share[2] + share[0], box["y"] + 8 + share[1])
    seen.ready()
    return str(chart.locator(".tip").inner_text())


@pytest.mark.cells(1)
@pytest.mark.parametrize(("viewport", "scheme"), [(WIDE, "light"), (NARROW, "dark")])
def test_curves_are_drawn_and_nothing_complains(
    page: Path, see: Open, viewport: dict[str, int], scheme: str
) -> None:
    seen = see(page, color_scheme=scheme, viewport=viewport)
    first, second = (tuple(bytes.fromhex(colour[1:])) for colour in TASKS[:2])
    for chart in seen.page.locator("[data-chart] .plot").all():
        chart.scroll_into_view_if_needed()
        chart.hover()
        drawn = chart.evaluate(
            """(box) => { const ink = new Set(), find = (one) => [
                    ...(one.shadowRoot?.querySelectorAll("*") ?? []), ...one.querySelectorAll("*")];
                const all = (one) => find(one).flatMap((each) => [each, ...all(each)]);
                for (const canvas of all(box).filter((one) => one instanceof HTMLCanvasElement)) {
                    const { width, height } = canvas;
                    const pixels = canvas.getContext("2d").getImageData(0, 0, width, height).data;
                    for (let i = 0; i < pixels.length; i += 4) {
                        if (pixels[i + 3] > 200) ink.add(pixels.slice(i, i + 3).join());
                    }
                }
                return [...ink] }"""
        )
        assert any(near(colour, first) for colour in drawn)  # the first curve's
        assert any(near(colour, second) for colour in drawn) is (
            chart.get_attribute("id") != "chart-0-0"  # where the second one is not beside it
        )
    for button in seen.page.locator("main button:visible").all()[:40]:
        button.click()
    seen.ready()
    assert seen.requests == [page.as_uri()]
    assert seen.complaints == []
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def near(colour: str, wanted: tuple[int, int, int]) -> bool:
    return all(abs(int(a) - b) < 30 for a, b in zip(colour.split(","), wanted, strict=True))


def test_the_pointer_tells_values_and_texts_stay_texts(page: Path, see: Open) -> None:
    seen = see(page)
    assert seen.page.locator("main img, main b[onmouseover]").count() == 0
    assert EVIL in seen.page.locator('[data-legend="0/0"]').inner_text()
    assert EVIL in seen.page.locator('[data-table="hostile/judged"] tbody').inner_text()
    assert EVIL_NAME in pointed(seen, "0/0", 1, COMPUTED[1] or 0)
    stated = pointed(seen, "0/0", 0, 10)
    assert stated.splitlines()[0] == LABELS[0]
    assert "10 B (+25.0 %)" in stated
    assert "8 B" in stated
    assert "60.5 B (+10.0 %)" in pointed(seen, "0/0", 5, 60)
    stated = pointed(seen, "0/0", 2, 30)
    assert "30 B" in stated
    assert EVIL not in stated  # a gap there
    stated = pointed(seen, "0/2", 2, 4)
    assert stated.splitlines()[:1] == ["calls 2"]
    assert "chosen" in stated
    assert "front" not in stated
    assert seen.complaints == []


def test_gaps_and_peaks_are_kept_and_curves_can_be_hidden(page: Path, see: Open) -> None:
    seen = see(page)
    values = model(seen, "0/0/0", "Array.from(one.data.y, (y) => Number.isNaN(y) ? null : y)")
    assert values == list(COMPUTED)
    dots = """Array.from(one.renderers.find((each) => each.name === "0/0/0/dots")
        .data_source.data.y)"""
    assert model(seen, "0/0", dots) == [y for y in COMPUTED if y is not None]
    assert model(seen, "0/1/0", "Math.max(...one.data.y)") == 900
    assert model(seen, "0/1/0", "one.data.x.length") <= MANY / 20
    assert model(seen, "0/1", "one.left[0].type") == "LogAxis"
    assert model(seen, "0/1", "one.y_range.end") > 900
    shown = "one.renderers.filter((each) => each.visible).length"
    button = seen.page.locator('[data-legend="0/0"] button', has_text="published")
    assert model(seen, "0/0", shown) == 4
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert model(seen, "0/0", shown) == 2
    assert "8 B" not in pointed(seen, "0/0", 0, 10)
    button.click()
    assert model(seen, "0/0", shown) == 4
    none = seen.page.locator('[data-legend="0/1"] button', has_text="none")
    none.click()
    assert model(seen, "0/1", shown) == 0
    seen.page.locator('[data-legend="0/1"] button', has_text="all").click()
    assert model(seen, "0/1", shown) > 0


def test_keys_zoom_tables_sort_and_a_link_unfolds(page: Path, see: Open) -> None:
    seen = see(page)
    chart = seen.page.locator('[data-chart="0/0"]')
    chart.focus()
    tip = chart.locator(".tip")
    seen.page.keyboard.press("ArrowRight")
    assert tip.inner_text().startswith(LABELS[0])
    seen.page.keyboard.press("ArrowRight")
    assert tip.inner_text().startswith(LABELS[1])
    everything = seen.page.locator('[data-all="0/0"]')
    width = "one.x_range.end - one.x_range.start"
    whole = model(seen, "0/0", width)
    assert not everything.is_visible()
    seen.page.keyboard.press("+")
    assert model(seen, "0/0", width) == pytest.approx(whole / 2)
    everything.click()
    assert model(seen, "0/0", width) == pytest.approx(whole)
    assert not everything.is_visible()
    chart.focus()
    seen.page.keyboard.press("Escape")
    assert not tip.is_visible()
    cells = seen.page.locator('[data-table="hostile/told"] tbody td:nth-child(3)')
    seen.page.locator('[data-table="hostile/told"] th').nth(2).locator("button").click()
    assert cells.first.inner_text() == "1.00 x"
    assert cells.last.inner_text() == "1/20"
    folded = seen.page.locator("#hostile-folded")
    assert folded.get_attribute("open") is None
    seen.page.evaluate("window.scrollTo(0, 400)")
    seen.page.locator('.contents a[href="#hostile-folded"]').click()
    seen.page.wait_for_selector("#hostile-folded[open]")
