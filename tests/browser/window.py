"""The system's chromium, with fonts of one package: a page has the same letters everywhere."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from needs import need_path, need_program

__all__ = ["browser", "built_with", "drawn"]

#: The fonts of Debian's fonts-dejavu-core, and their folder.
FONTS = ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSansMono", "DejaVuSansMono-Bold")
FOLDER = Path("/usr/share/fonts/truetype/dejavu")

#: Edges of letters are grey, wherever the machine's own settings would colour or move them.
SETTINGS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>{folder}/fonts</dir>
<cachedir>{folder}/cache</cachedir>
{families}
<match target="font">
<edit name="antialias" mode="assign"><bool>true</bool></edit>
<edit name="hinting" mode="assign"><bool>false</bool></edit>
<edit name="rgba" mode="assign"><const>none</const></edit>
</match>
</fontconfig>
"""
FAMILY = """<match target="pattern"><test name="family"><string>{name}</string></test>
<edit name="family" mode="assign" binding="same"><string>{font}</string></edit></match>"""
FAMILIES = {
    "system-ui": "DejaVu Sans",
    "sans-serif": "DejaVu Sans",
    "sans": "DejaVu Sans",
    "monospace": "DejaVu Sans Mono",
}


#: A chart is drawn some frames after what changes it; a busy machine has fewer of them in a second.
DRAWN = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  while (!(window.Bokeh?.documents ?? []).every((one) => one.is_idle)) await frame();
  for (let frames = 0; frames < 6; frames++) await frame();
}"""


@contextmanager
def browser() -> Iterator[Any]:
    path = need_program("chromium", "google-chrome", package="chromium")
    from playwright.sync_api import sync_playwright

    # Without a sandbox where root runs the tests; the pages are ours.
    options = ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=path,
            args=options,
            env={**os.environ, "FONTCONFIG_FILE": str(_settings(Path(folder)))},
        )
        yield chromium
        chromium.close()


def drawn(page: Any) -> None:
    """Waits until the page's charts are drawn as they stand now."""
    page.evaluate(DRAWN)


def built_with(chromium: Any) -> dict[str, str]:
    """The version of chromium and the fonts: a picture depends on them beside the page."""
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in _fonts()))
    return {"chromium": chromium.version.partition(".")[0], "fonts": digest.hexdigest()[:16]}


def _fonts() -> list[Path]:
    fonts = (FOLDER / f"{name}.ttf" for name in FONTS)
    return [need_path(font, package="fonts-dejavu-core") for font in fonts]


def _settings(folder: Path) -> Path:
    """Fontconfig's file: these fonts alone, whatever else is installed."""
    (folder / "fonts").mkdir()
    for font in _fonts():
        shutil.copy(font, folder / "fonts")
    families = "\n".join(FAMILY.format(name=name, font=font) for name, font in FAMILIES.items())
    out = folder / "fonts.conf"
    out.write_text(SETTINGS.format(folder=folder, families=families), encoding="utf-8")
    return out
