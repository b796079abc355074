"""Takes the README's picture of a report: the demo's gateway under the version with which its
buffer does not always fit. Needs playwright and the system's chromium.

python studies/workloads/mix/report_picture.py [OUT.png]
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from demo import MEMORY, TRACE, VERSIONS
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[3]
PICTURE = ROOT / "docs" / "guide" / "report.png"
WIDTH = 1180
#: The parts of a page for which a picture of a few lines' height has no room.
LEFT_OUT = """
  #memory, header, .controls, section > .quiet, .hero .more, .hero .where, footer { display: none }
  main { padding: 18px 22px 6px } section { margin-bottom: 20px } .hero { margin-bottom: 20px }
  html { scroll-padding-top: 0 }
"""
#: Where the pointer is, as shares of the map's width and height.
POINTER = (0.745, 0.655)


def write_report(page: Path) -> None:
    command = [sys.executable, "-m", "heapscope", "report", TRACE, *MEMORY]
    options = ["--idf", VERSIONS[1], "--no-why", "--title", "Gateway, ESP-IDF 4.3.2"]
    subprocess.run([*command, *options, "-o", str(page)], check=True, stdout=subprocess.DEVNULL)


def take(page: Page, report: Path, out: Path) -> None:
    page.goto(report.as_uri())
    page.wait_for_selector("html[data-ready]")
    page.add_style_tag(content=LEFT_OUT)
    page.wait_for_timeout(500)
    plot = page.locator("#chart-0-map").bounding_box()
    bottom = page.locator("[data-map-legend]").bounding_box()
    assert plot is not None
    assert bottom is not None
    page.mouse.move(plot["x"] + POINTER[0] * plot["width"], plot["y"] + POINTER[1] * plot["height"])
    page.wait_for_timeout(500)
    height = bottom["y"] + bottom["height"] + 16
    page.screenshot(path=out, clip={"x": 0, "y": 0, "width": WIDTH, "height": height})


def main() -> int:
    out = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else PICTURE
    os.chdir(ROOT)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("no chromium; Debian package: chromium", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        report = Path(folder) / "report.html"
        write_report(report)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        take(browser.new_page(viewport={"width": WIDTH, "height": 1400}), report, out)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
