"""README's picture: the report of the demo's gateway, under the version with which its buffer does
not always fit. `make pictures` takes it anew where the report no longer looks like it."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

from PIL import Image
from PIL.PngImagePlugin import PngInfo

sys.path.append(str(Path(__file__).resolve().parent))

from likeness import kept
from window import drawn

__all__ = ["ROOT", "changed", "kept_words", "renew", "taken", "words"]

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "guide" / "report.png"
MIX = "studies/workloads/mix"
OPTIONS = (
    *("studies/workloads/captured/mix_gateway.hst.zst", "--boot-log", f"{MIX}/boot.txt"),
    *("--idf", "4.3.2", "--elf", "studies/workloads/static/firmware.elf"),
    *("--need", "16717", "--no-remedies"),
)
#: The key under which the picture keeps the words that it shows.
WORDS = "Description"
WIDTH = 1180
#: The parts of a page for which a picture of a few lines' height has no room.
LEFT_OUT = """
  #memory, header, .controls, section > .quiet, .hero .more, .hero .where, footer { display: none }
  main { padding: 18px 22px 6px } section { margin-bottom: 20px } .hero { margin-bottom: 20px }
  html { scroll-padding-top: 0 }
"""
#: Where the pointer is, as shares of the map's width and height.
POINTER = (0.745, 0.655)


def words(report: Path) -> str:
    """The words of a report's picture above its charts: the verdict and what it is of."""
    text = report.read_text(encoding="utf-8")
    hero = text[text.index('<section class="hero') :].partition("</section>")[0]
    seen = re.findall(r'<(?:h1|p class="(?:pill|quiet)")>(.*?)</', hero, re.DOTALL)
    return " | ".join(" ".join(unescape(one).split()) for one in seen)


def taken(chromium: Any, report: Path) -> Image.Image:
    page = chromium.new_page(
        viewport={"width": WIDTH, "height": 1400}, reduced_motion="reduce", color_scheme="light"
    )
    page.goto(report.as_uri())
    page.wait_for_selector("html[data-ready]", timeout=30_000)
    page.add_style_tag(content=LEFT_OUT)
    drawn(page)
    plot = page.locator("#chart-0-map").bounding_box()
    legend = page.locator("[data-map-legend]").bounding_box()
    page.mouse.move(plot["x"] + POINTER[0] * plot["width"], plot["y"] + POINTER[1] * plot["height"])
    drawn(page)
    height = legend["y"] + legend["height"] + 16
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": height}
    picture = Image.open(io.BytesIO(page.screenshot(clip=clip)))
    page.close()
    return picture


def changed(now: Image.Image, difference: Callable[..., str]) -> str:
    """How a picture that was just taken differs from README's; empty where they look alike."""
    if not PICTURE.is_file():
        return "there is none"
    with Image.open(PICTURE) as before:
        return difference(kept(now), kept(before))


def renew(chromium: Any, folder: Path, difference: Callable[..., str]) -> None:
    report = folder / "report.html"
    command = [sys.executable, "-m", "heapscope", "report", *OPTIONS, "-o", str(report)]
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    picture = taken(chromium, report)
    if not (changed(picture, difference) or kept_words() != words(report)):
        return
    notes = PngInfo()
    notes.add_itxt(WORDS, words(report))
    picture.convert("RGB").quantize(256).save(PICTURE, pnginfo=notes, optimize=True)
    print(PICTURE.relative_to(ROOT))


def kept_words() -> str:
    with Image.open(PICTURE) as picture:
        return str(picture.text.get(WORDS, ""))
