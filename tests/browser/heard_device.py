"""The page with a stand-in for a serial port, and what a test does to the port."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

STAND_IN = Path(__file__).parent / "stand_in_port.js"
Open = Callable[..., Any]
#: standIn.quiet: the bytes that had come when the page last showed that nothing came for a while.
QUIET = """() => {
  const { ask } = HS;
  HS.ask = async (what, job, ...more) => {
    const answer = await ask(what, job, ...more);
    if (job?.quiet) setTimeout(() => { standIn.quiet = answer.moment.bytes; }, 0);
    return answer;
  };
}"""
#: Blocks of a boot, as the streams of the tests of `heapscope live` take them.
BLOCKS = [(0x100 * i, 0x40 + i) for i in range(1, 13)]


@dataclass
class Device:
    """The page with the stand-in, and what a test does to the port."""

    seen: Any

    @property
    def page(self) -> Any:
        return self.seen.page

    def connect(self) -> None:
        self.page.click("[data-act=connect]")
        self.page.wait_for_selector("[data-act=stop]:not([disabled])")

    def send(self, *pieces: bytes) -> None:
        texts = [base64.b64encode(piece).decode("ascii") for piece in pieces if piece]
        self.page.evaluate("(texts) => { for (const one of texts) standIn.send(one); }", texts)

    def until(self, bytes_: int) -> None:
        """The page has shown a moment after so many bytes."""
        script = "(wanted) => HS.device.last !== null && HS.device.last.bytes >= wanted"
        self.page.wait_for_function(script, arg=bytes_)

    def quiet(self, bytes_: int) -> None:
        """The page has shown a moment in which nothing had come for a while after so many bytes."""
        self.page.wait_for_function("(wanted) => standIn.quiet >= wanted", arg=bytes_)

    def ends(self, how: str = "unplug") -> None:
        """It is unplugged, or somebody stops."""
        before = self.page.evaluate("document.documentElement.dataset.heard ?? '0'")
        if how == "stop":
            self.page.click("[data-act=stop]")
        else:
            self.page.evaluate("standIn.unplug()")
        script = "(before) => (document.documentElement.dataset.heard ?? '0') !== before"
        self.page.wait_for_function(script, arg=before)

    def text(self) -> str:
        return str(self.page.inner_text("[data-device] [data-state]"))

    def notes(self) -> str:
        return str(self.page.inner_text("[data-device] [data-notes]"))

    def moment(self) -> dict[str, Any]:
        result: dict[str, Any] = self.page.evaluate("HS.device.last")
        return result

    def saved(self, index: int) -> tuple[str, bytes]:
        with self.page.expect_download() as download:
            self.page.click(f"[data-act=save][data-index='{index}']")
        return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def plugged_in(see: Open, empty: Path) -> Callable[..., Device]:
    """Opens the page for a test; the options are those of the browser's context."""

    def plugged(**options: Any) -> Device:
        seen = see(empty, **options)
        seen.page.add_init_script(path=STAND_IN)
        seen.page.reload()
        seen.page.wait_for_selector("html[data-explorer=yes]", timeout=30_000)
        seen.page.evaluate(QUIET)
        return Device(seen)

    return plugged


def cut(data: bytes, chance: random.Random) -> list[bytes]:
    """The same bytes in pieces of any size, single bytes among them."""
    pieces = []
    while data:
        size = chance.choice((1, 2, 7, 64, 300, 5000))
        pieces.append(data[:size])
        data = data[size:]
    return pieces
