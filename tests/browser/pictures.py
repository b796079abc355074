"""Pictures of the sections of a page: taken in the browser, kept beside the tests, compared.

    .venv/bin/python tests/browser/pictures.py [KIND ...]     or: make pictures

makes anew those that no longer look alike, all of them with another browser, and a sheet of all.
"""

from __future__ import annotations

import io
import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import FunctionLoader
from PIL import Image

from heapscope.render.page import frame

sys.path += [str(Path(__file__).resolve().parents[up]) for up in (0, 1)]

import readme_picture
from likeness import REDUCED, SQUARE, apart, kept
from page_kinds import KINDS, Kind
from window import browser, built_with, drawn

__all__ = [
    "LIMIT",
    "LOOKS",
    "QUICK",
    "SECTIONS",
    "WIDTHS",
    "Shown",
    "difference",
    "kept_with",
    "photographed",
    "sources",
    "unlike",
]

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).with_name("pictures")
#: Where pictures of what differs go, and the sheet.
LOOK = ROOT / "build" / "pictures"
BUILT_WITH = FOLDER / "made_with.json"

WIDTHS = (390, 800, 1280)
HEIGHT = 900
THEMES = ("light", "dark")
#: Kinds of page with a picture in each width and theme. The theme is variables of the one style
#: sheet of all pages, so the others have one picture a section.
IN_FULL = ("explained", "explorer", "experiment")
LOOKS = [
    (kind, width, theme)
    for kind in KINDS
    for width in WIDTHS
    for theme in THEMES
    if kind.name in IN_FULL or (width, theme) == (1280, "light")
]
#: `make test` compares these alone: the theme of each width.
QUICK = {390: "dark", 1280: "light"}

#: Most that a square of a picture may be apart (likeness.py). Letters that are moved by part of a
#: pixel, blurred or set otherwise are up to 4.2 apart; half a word that is missing 27, a bar or a
#: swatch 35 and more.
LIMIT = 8.0
#: Pixels of the screen by which a section may be higher or wider.
SIZE_LIMIT = 2

#: Each section, and of a chapter its parts; `source`: where a template begins it.
SECTIONS = """() => [...document.querySelectorAll(
    "body > header, .contents, section:not(.chapter), .chapter > *, body > footer")]
  .filter((one) => one.checkVisibility())
  .map((one) => {
    const box = one.getBoundingClientRect(), chapter = one.closest(".chapter");
    const label = one.id || one.getAttribute("aria-label");
    const own = label || (/^(HEADER|FOOTER)$/.test(one.tagName) ? one.tagName : one.className);
    const name = [chapter?.id, own].filter((part) => part).join("-").toLowerCase();
    return { name: name.replace(/[^a-z0-9]+/g, "-"),
      box: [box.left + scrollX, box.top + scrollY, box.right + scrollX, box.bottom + scrollY],
      source: [one.dataset.source, chapter?.dataset.source] };
  })"""
#: Tags of a template that begin such a section.
BEGINS = re.compile(r"<(?:section|header|footer|aside|\{\{ tag \}\})(?=[ >])")
#: The packages whose assets have templates of pages.
PACKAGES = (frame.OWN, "heapscope_studies.page")


def sources() -> set[str]:
    """Every place in a template of a page that begins a section."""
    return {
        where
        for package in PACKAGES
        for asset in files(package).joinpath("assets").iterdir()
        if asset.name.endswith(".j2")
        for where in re.findall(r'data-source="(.*?)"', numbered(package, asset.name))
    }


def numbered(package: str, name: str) -> str:
    """A template whose sections tell where it begins them."""
    text = frame._asset(package, name)

    def mark(match: re.Match[str]) -> str:
        return f'{match[0]} data-source="{name}:{text.count(chr(10), 0, match.start()) + 1}"'

    return BEGINS.sub(mark, text)


@contextmanager
def numbered_templates() -> Iterator[None]:
    environments = {package: frame._environment(package) for package in PACKAGES}
    before = {package: one.loader for package, one in environments.items()}
    for package, one in environments.items():
        one.loader = FunctionLoader(partial(numbered, package))
        one.cache.clear()
    yield
    for package, one in environments.items():
        one.loader = before[package]
        one.cache.clear()


class Shown:
    """Pages of all kinds, each made once and opened once."""

    def __init__(self, chromium: Any, folder: Callable[[str], Path]) -> None:
        self._chromium = chromium
        self._folder = folder
        self._opened: dict[str, Any] = {}

    def page(self, kind: Kind, width: int, theme: str) -> Any:
        """In a window of this width."""
        page = self._opened.get(kind.name)
        if page is None:
            with numbered_templates():
                built = kind.make(self._folder(kind.name))
            page = self._opened[kind.name] = self._chromium.new_page(reduced_motion="reduce")
            page.goto(built.as_uri())
            page.wait_for_selector("html[data-ready]", timeout=30_000)
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.emulate_media(color_scheme=theme)
        drawn(page)
        return page

    def close(self) -> None:
        for page in self._opened.values():
            page.close()


def photographed(page: Any) -> dict[str, Image.Image]:
    """Each section of an open page, as it would be kept; a second one of a name has a number."""
    whole = Image.open(io.BytesIO(page.screenshot(full_page=True)))
    result: dict[str, Image.Image] = {}
    for section in page.evaluate(SECTIONS):
        name, number = section["name"], 2
        while name in result:
            name, number = f"{section['name']}-{number}", number + 1
        left, top, right, bottom = (round(edge) for edge in section["box"])
        result[name] = kept(whole.crop((left, top, right, bottom)))
    return result


@dataclass(frozen=True)
class Unlike:
    """A section that does not look like its kept picture."""

    name: str
    what: str
    now: Image.Image | None
    before: Image.Image | None

    def text(self) -> str:
        """In a line, with pictures put where they can be looked at."""
        LOOK.mkdir(parents=True, exist_ok=True)
        place = LOOK / self.name.replace("/", "-")
        for word, picture in (("now", self.now), ("kept", self.before)):
            if picture is not None:
                picture.save(place.with_suffix(f".{word}.png"))
        return f"{self.name}: {self.what}; build/pictures/{place.name}.*.png"


def unlike(
    kind: Kind, width: int, theme: str, result: dict[str, Image.Image], *, limit: float = LIMIT
) -> Iterator[Unlike]:
    for name, now in result.items():
        path = place(kind, name, width, theme)
        label = f"{kind.name}/{path.stem}"
        if not path.is_file():
            yield Unlike(label, "no picture is kept", now, None)
            continue
        before = Image.open(path).convert("RGB")
        what = difference(now, before, limit=limit)
        if what:
            yield Unlike(label, what, now, before)
    for path in sorted((FOLDER / kind.name).glob(f"*.{width}-{theme}.webp")):
        if path.name.partition(".")[0] not in result:
            yield Unlike(f"{kind.name}/{path.stem}", "the page has no such section", None, None)


def difference(now: Image.Image, before: Image.Image, *, limit: float) -> str:
    """In words; empty when they look alike."""
    sizes = [tuple(REDUCED * side for side in one.size) for one in (now, before)]
    if any(abs(a - b) > SIZE_LIMIT for a, b in zip(*sizes, strict=True)):
        return "it is {} x {}, and was {} x {}".format(*sizes[0], *sizes[1])
    if now.size == before.size and now.tobytes() == before.tobytes():
        return ""
    distance = apart(now, before)
    if distance.max() <= limit:
        return ""
    y, x = np.unravel_index(distance.argmax(), distance.shape)
    at = tuple(int(side) * SQUARE // 2 * REDUCED for side in (x, y))
    return f"it is {distance.max():.1f} apart at {at}, where {limit:g} is the most"


def place(kind: Kind, name: str, width: int, theme: str) -> Path:
    return FOLDER / kind.name / f"{name}.{width}-{theme}.webp"


def kept_with() -> dict[str, str]:
    """The browser and fonts that the kept pictures were made with."""
    if not BUILT_WITH.is_file():
        return {}
    document: dict[str, str] = json.loads(BUILT_WITH.read_text(encoding="utf-8"))
    return document


def renew(kinds: list[Kind]) -> None:
    with browser() as chromium, tempfile.TemporaryDirectory() as built:
        own = built_with(chromium)
        limit = LIMIT if own == kept_with() else -1.0

        def folder(name: str) -> Path:
            out = Path(built) / name
            out.mkdir()
            return out

        shown = Shown(chromium, folder)
        for kind, width, theme in LOOKS:
            if kind in kinds:
                result = photographed(shown.page(kind, width, theme))
                write(kind, width, theme, result, limit)
        shown.close()
        readme_picture.renew(chromium, Path(built), partial(difference, limit=limit))
    BUILT_WITH.write_text(json.dumps(own, indent=1) + "\n", encoding="utf-8")


def write(kind: Kind, width: int, theme: str, result: dict[str, Image.Image], limit: float) -> None:
    for one in unlike(kind, width, theme, result, limit=limit):
        path = FOLDER / f"{one.name}.webp"
        path.parent.mkdir(parents=True, exist_ok=True)
        if one.now is None:
            path.unlink()
        else:
            one.now.save(path, lossless=True, method=4)
        print(one.name, one.what, sep=": ")


def sheet() -> Path:
    """All kept pictures on a page, those of a section side by side."""
    rows = []
    for folder in sorted(path for path in FOLDER.iterdir() if path.is_dir()):
        names = sorted({path.name.partition(".")[0] for path in folder.glob("*.webp")})
        for name in names:
            cells = [
                f'<img src="{path.as_uri()}" alt="{path.stem}" title="{path.stem}">'
                for width in WIDTHS
                for theme in THEMES
                if (path := folder / f"{name}.{width}-{theme}.webp").is_file()
            ]
            rows.append(f"<h2>{folder.name}: {name}</h2><div>{''.join(cells)}</div>")
    LOOK.mkdir(parents=True, exist_ok=True)
    out = LOOK / "sheet.html"
    style = "body{font:14px sans-serif;background:#888}div{display:flex;gap:8px;align-items:start}"
    out.write_text(f"<meta charset=utf-8><style>{style}</style>{''.join(rows)}", encoding="utf-8")
    return out


if __name__ == "__main__":
    renew([kind for kind in KINDS if kind.name in (sys.argv[1:] or [k.name for k in KINDS])])
    print(f"all of them: {sheet()}")
