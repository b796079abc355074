"""A report as a widget of a notebook: the same page, in a frame that can reach nothing."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

import heapscope as hs

RENDER = """async ([script, page]) => {
  const { default: widget } = await import(`data:text/javascript;base64,${script}`);
  const values = { page, height: 700 }, el = document.createElement("div");
  document.body.append(el);
  widget.render({ model: { get: (name) => values[name], on() {} }, el });
}"""


def shown(chromium: Any, widget: Any) -> tuple[Any, Any]:
    """The widget as a notebook shows it: the page around it, and its frame."""
    page = chromium.new_page(viewport={"width": 1200, "height": 800})
    script = base64.b64encode(str(widget._esm).encode()).decode("ascii")
    page.evaluate(RENDER, [script, widget.page])
    frame = page.frames[1]
    frame.wait_for_selector("html[data-explorer=yes]", timeout=60_000)
    return page, frame


def test_a_report_in_a_notebook_replays_its_trace(chromium: Any, hostile_trace: Path) -> None:
    report = hs.report(hostile_trace, pool=65_536, remedies=False)
    page, frame = shown(chromium, hs.widget(report, height=700))
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    frame.wait_for_selector("html[data-replayed]", timeout=60_000)
    digest = frame.evaluate("BigInt(HS.explore.last.hs_lab_summary.digest).toString(16)")
    assert digest.zfill(16) == report.sides[0].result.summary.digest
    assert page.locator("iframe").evaluate("(one) => one.clientHeight") == 700
    # The frame has no origin, so it can read nothing of the notebook.
    assert frame.evaluate("self.origin") == "null"
    assert page.locator("iframe").evaluate("(one) => one.contentDocument") is None
    frame.locator("nav a").last.click()
    assert frame.evaluate("location.href").startswith("about:srcdoc")
    frame.locator("[name=need]").fill("100")
    frame.wait_for_function("() => document.documentElement.dataset.replayed !== '1'")
    assert [url for url in requested if not url.startswith(("blob:", "data:", "about:"))] == []
    page.close()


@pytest.mark.slow
def test_a_widget_without_a_report_opens_files(chromium: Any, hostile_trace: Path) -> None:
    page, frame = shown(chromium, hs.widget())
    frame.locator("[data-file]").set_input_files(hostile_trace)
    frame.wait_for_selector("html[data-replayed]", timeout=60_000)
    page.close()
