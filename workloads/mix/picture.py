"""Draws the README's picture: what the demo prints, in short.

python workloads/mix/picture.py [OUT.svg]
"""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path

from demo import BOOT_LOG, NEED, TRACE, VERSIONS
from rich.console import Console
from rich.text import Text

from heapscope.layout.boot_log import read_boot_log
from heapscope.layout.chips import load_chip
from heapscope.measure.comparison import compare
from heapscope.replay.run import replay
from heapscope.report.compare import print_comparison

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "guide" / "demo.svg"
SIDES = VERSIONS[:2]
VERSION_FLAGS = " ".join(f"--idf {version}" for version in SIDES)
COMMAND = f"$ heapscope compare gateway.hst --boot-log boot.txt {VERSION_FLAGS} --need {NEED}"
ROWS = 30  # of the output; the rest is in the demo


def recorded() -> Console:
    return Console(record=True, width=96, file=io.StringIO(), force_terminal=True)


def lines() -> list[Text]:
    """The comparison as it appears on a terminal, line by line."""
    chip, boot, needs = load_chip("esp32"), read_boot_log(BOOT_LOG), [(int(NEED), 0)]
    sides = [replay(TRACE, chip.layout(idf=version, boot=boot), needs=needs) for version in SIDES]
    console = Console(width=96, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    print_comparison(compare(*sides), console)
    assert isinstance(console.file, io.StringIO)
    return [Text.from_ansi(line) for line in console.file.getvalue().splitlines()]


def without_notes(body: list[Text]) -> list[Text]:
    """The notes stand between the two sides and the first blank line."""
    first = next(i for i, line in enumerate(body) if line.plain.startswith("note"))
    blank = next(i for i, line in enumerate(body) if i > first and not line.plain.strip())
    return body[:first] + body[blank:]


def without_web_fonts(svg: str) -> str:
    """rich names fonts on the web; a picture in a repository loads nothing."""
    svg = re.sub(r"@font-face\s*{[^}]*}", "", svg)
    return svg.replace("Fira Code", "ui-monospace, Menlo, Consolas")


def main() -> int:
    out = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else PICTURE
    os.chdir(ROOT)
    console = recorded()
    console.print(Text(COMMAND, style="bold cyan"))
    body = without_notes(lines())
    for line in body[:ROWS]:
        console.print(line)
    console.print(Text(f"... {len(body) - ROWS} more lines: make demo", style="dim"))
    out.write_text(without_web_fonts(console.export_svg(title="Heapscope")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
