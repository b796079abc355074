"""Pages made by the command, and chromium to open them in."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.cli.verbs.report_page import explorer

sys.path.append(str(Path(__file__).resolve().parent))

from pictures import Shown
from sample_trace import sample_trace
from window import browser, drawn

ROOT = Path(__file__).resolve().parents[2]
GATEWAY = ROOT / "studies" / "workloads" / "captured" / "mix_gateway.hst.zst"
BOOT_LOG = ROOT / "studies" / "workloads" / "mix" / "boot.txt"
FIRMWARE = ROOT / "studies" / "workloads" / "static" / "firmware.elf"

#: Names that would run, load or show something if they ever became markup.
EVIL = "</script><script>alert(1)</script>"
EVIL_TASKS = (EVIL, "<img src=x onerror=alert(2)>", "{{ 7 * 7 }} \"quoted\" & 'single'", "wifi")
EVIL_SITES = (
    "main;app_start;tls_connect;ssl_setup",
    "main;app_start;tls_connect;x509_parse",
    "main;script_run;js_object",
    f"{EVIL};<b onmouseover=alert(3)>bold</b>",
    "wifi_task;rx;pbuf_alloc",
)
EVIL_TITLE = "</title><script>alert(4)</script>"


@dataclass(frozen=True)
class BuiltPage:
    """A page and the JSON of the same run."""

    page: Path
    document: dict[str, Any]
    names: dict[str, Any] = field(default_factory=dict)  # of a hostile trace


@pytest.fixture(scope="session")
def make(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., BuiltPage]:
    def make_it(*arguments: object) -> BuiltPage:
        folder = tmp_path_factory.mktemp("page")
        page, document = folder / "report.html", folder / "report.json"
        command = ["report", *map(str, arguments), "-o", str(page), "--json", str(document)]
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, done.output
        return BuiltPage(page, json.loads(document.read_text(encoding="ascii")))

    return make_it


def memory(version: str) -> list[object]:
    return ["--boot-log", BOOT_LOG, "--idf", version, "--need", 16717]


@pytest.fixture(scope="session")
def gateway(make: Callable[..., BuiltPage]) -> BuiltPage:
    """The demo's trace under the version with which its buffer does not always fit."""
    return make(GATEWAY, *memory("4.3.2"), "--elf", FIRMWARE, "--no-remedies")


@pytest.fixture(scope="session")
def compared(make: Callable[..., BuiltPage]) -> BuiltPage:
    return make(GATEWAY, *memory("4.2"), "--idf", "4.3.2", "--idf", "5.5")


@pytest.fixture(scope="session")
def hostile_trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every name is an attack, requests fail in a small pool, and there are stacks and a clock."""
    trace = tmp_path_factory.mktemp("hostile") / "hostile.hst"
    names = {"tasks": EVIL_TASKS, "sites": EVIL_SITES, "mark": EVIL, "program": EVIL}
    trace.write_bytes(sample_trace(**names))
    return trace


@pytest.fixture(scope="session")
def hostile(make: Callable[..., BuiltPage], hostile_trace: Path) -> BuiltPage:
    built = make(hostile_trace, "--pool", "100KB", "--need", 16717, "--title", EVIL_TITLE)
    return replace(built, names={"tasks": EVIL_TASKS, "title": EVIL_TITLE, "script": EVIL})


# ---- the browser ---------------------------------------------------------------------------------


@dataclass
class Seen:
    """A page as it stands in the browser, and what it did that it should not."""

    page: Any
    requests: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def tip(self, chart: str) -> str:
        return str(self.page.locator(f'[data-chart="{chart}"] .tip').inner_text())

    def ready(self) -> None:
        drawn(self.page)


Open = Callable[..., Seen]


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page that opens a trace by itself."""
    page = tmp_path_factory.mktemp("explorer") / "explorer.html"
    explorer(page)
    return page


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    with browser() as opened:
        yield opened


@pytest.fixture(scope="session")
def shown(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    """The pages of all kinds, each made once and opened once."""
    pages = Shown(chromium, tmp_path_factory.mktemp)
    yield pages
    pages.close()


def open_in(chromium: Any, path: Path, **options: Any) -> Seen:
    context = chromium.new_context(**{"viewport": {"width": 1320, "height": 900}, **options})
    page = context.new_page()
    seen = Seen(page)
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("requestfinished", lambda request: seen.answers.append(request.url))
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.on("dialog", lambda dialog: seen.complaints.append(f"dialog: {dialog.message}"))
    page.on("console", lambda message: note(seen, message))
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", timeout=30_000)
    seen.ready()
    return seen


@pytest.fixture
def see(chromium: Any) -> Iterator[Open]:
    """Opens a page for a test alone."""
    opened: list[Seen] = []

    def open_it(path: Path, **options: Any) -> Seen:
        opened.append(open_in(chromium, path, **options))
        return opened[-1]

    yield open_it
    for seen in opened:
        seen.page.context.close()


@pytest.fixture(scope="session")
def stays_open(chromium: Any) -> Iterator[dict[Path, Seen]]:
    opened: dict[Path, Seen] = {}
    yield opened
    for seen in opened.values():
        seen.page.context.close()


@pytest.fixture
def look(chromium: Any, stays_open: dict[Path, Seen]) -> Callable[[Path], Seen]:
    """A report that is opened once, for tests that leave its controls as they found them: opening
    it takes a browser two seconds."""

    def look_at(path: Path) -> Seen:
        if path not in stays_open:
            stays_open[path] = open_in(chromium, path)
        seen = stays_open[path]
        seen.page.mouse.move(0, 0)
        seen.page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
        seen.ready()
        return seen

    return look_at


def note(seen: Seen, message: Any) -> None:
    if message.type in ("error", "warning"):
        seen.complaints.append(f"{message.type}: {message.text}")
