"""Command lines run within the test, and small inputs for them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.cli.schemas import schema_of
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NameTable

MALLOC, FREE, FAILED, MARK = 1, 5, 6, 7  # kinds of events
_SITES = 4  # the feature of a trace

EVENTS = """# a small story
t net
! start
a 1 1000
a 2 20000
t script
c 3 500
r 3 700
m 4 64 256
! middle
f 2
a 5 600000
f 1
! end
"""

BOOT_LOG = """\
I (24) boot: ESP-IDF v4.2.2 2nd stage bootloader
I (331) cpu_start: ESP-IDF:          v4.2.2
I (337) heap_init: Initializing. RAM available for dynamic allocation:
I (344) heap_init: At 3FFAE6E0 len 00001920 (6 KiB): DRAM
I (350) heap_init: At 3FFB2F50 len 0002D0B0 (180 KiB): DRAM
I (356) heap_init: At 3FFE0440 len 00003AE0 (14 KiB): D/IRAM
I (362) heap_init: At 3FFE4350 len 0001BCB0 (111 KiB): D/IRAM
I (369) heap_init: At 4008A7D4 len 0001582C (86 KiB): IRAM
I (375) cpu_start: Pro cpu start user code
"""

LAYOUT = """\
name = "two regions"

[[region]]
start = 0x20000000
size = 32768
kind = "DRAM"

[[region]]
start = 0x20010000
size = 16384
kind = "DRAM"
"""


#: A short command line of each verb, in a folder with T.hst and write_inputs(). The names of
#: its outputs begin with "out".
VERBS = {
    "record": ("record", "-o", "out.hst", "--json", "-", "--", "true"),
    "translate": ("translate", "W.hst", "--program", sys.executable, "-o", "out.hst"),
    "live": ("live", "T.hst", "--headless", "-o", "out"),
    "import": ("import", "--from", "text", "events.txt", "-o", "out.hst"),
    "log": ("log", "boot.txt", "--json", "out.json"),
    "image": ("image", "3fc8c400.zst", "-o", "out.html"),
    "replay": ("replay", "T.hst", "--chip", "esp32", "--json", "out.json"),
    "fit": ("fit", "T.hst", "--json", "out.json"),
    "why": ("why", "T.hst", "--pool", "16KB", "--json", "out.json"),
    "leaks": ("leaks", "T.hst", "--json", "out.json"),
    "compare": ("compare", "T.hst", "--pool", "1MB", "--pool", "2MB", "--json", "out.json"),
    "check": ("check", "budgets.toml", "--junit", "out.xml"),
    "report": ("report", "T.hst", "--pool", "1MB", "-o", "out.html"),
    "lint": ("lint", "sdkconfig", "--fix", "out.defaults"),
    "tune": ("tune", "--chip", "esp32", "--fragment", "out.defaults"),
    "place": ("place", "T.hst", "--pool", "1MB", "--json", "out.json"),
    "export": ("export", "T.hst", "--to", "csv", "-o", "out.csv"),
    "predict": ("predict", "sdkconfig", "--json", "out.json"),
    "ram": ("ram", "app.map", "--chip", "esp32c3", "--idf", "5.5", "-o", "out.html"),
    "sweep": ("sweep", "plan.toml", "-o", "swept", "--workers", "1", "--json", "out.json"),
    "experiment": ("experiment", "wifi-path", "--write", "out.md"),
}


def write_inputs() -> None:
    """The files that VERBS name, besides those of the fixture `here`."""
    wide = [(MALLOC, 0, 1000), (FREE, 0, 0)]
    Path("W.hst").write_bytes(sample_trace(wide, word_size=8))
    log = Path(__file__).parents[1] / "pools" / "pjsua.log"
    CliRunner().invoke(app, ["import", "--from", "pjsip", str(log), "-o", "P.hst"])
    memory = Path(__file__).parents[1] / "image" / "captured" / "c3_none.3fc8c400.zst"
    Path("3fc8c400.zst").write_bytes(memory.read_bytes())
    linked = Path(__file__).parents[1] / "fit" / "app.map"
    Path("app.map").write_bytes(linked.read_bytes())
    texts = {
        "sdkconfig": "CONFIG_IDF_TARGET=esp32\n",
        "budgets.toml": '[memory]\npool = "1MB"\n[budget]\nmin_free = "1KB"\n[[run]]\n'
        'trace = "T.hst"\n',
        "plan.toml": 'traces = "T.hst"\n[[grid]]\npool = ["1MB"]\n',
    }
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")


def sample_trace(events: list[tuple[int, int, int]], *, word_size: int = 4) -> bytes:
    """Events of a kind, a block and a size, all of one call site but the frees and marks."""
    rows = np.zeros(len(events), dtype=event_dtype())
    for row, (kind, key, size) in zip(rows, events, strict=True):
        row["kind"], row["key"], row["size"] = kind, key, size
        row["site"] = kind not in (FREE, MARK)
        row["new_key"] = MALLOC if kind == FAILED else 0  # the call that failed
    with NativeWriter(features=_SITES) as writer:
        writer.metadata("word_size", str(word_size))
        writer.name(NameTable.SITE, 1, b"main;asks")
        writer.name(NameTable.MARK, 0, b"round")
        writer.events(rows)
        writer.finish()
        return b"".join(writer.take())


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Run = Callable[..., Ran]


MTRACE = "= Start\n@ ./p:[0x11c0] + 0x5618e84604a0 0x64\n@ ./p:[0x1233] - 0x5618e84604a0\n"
#: Compressed by nothing, whatever the name says: heaptrack's data is taken either way.
HEAPTRACK = "v 10400 3\na 64 0\n+ 0\n- 0\n"


@pytest.fixture
def run() -> Run:
    def run_it(*args: object) -> Ran:
        done = CliRunner().invoke(app, [str(arg) for arg in args])
        assert "Traceback" not in done.output
        return Ran(done.exit_code, done.stdout, done.stderr)

    return run_it


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, as the working folder, with the inputs of this file in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    files = [
        ("events.txt", EVENTS),
        ("boot.txt", BOOT_LOG),
        ("F.toml", LAYOUT),
        ("mtrace.txt", MTRACE),
        ("heaptrack.firmware.4711.zst", HEAPTRACK),
    ]
    for name, text in files:
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def hst(here: Path, run: Run) -> Path:
    """T.hst out of events.txt."""
    assert run("import", "--from", "text", "events.txt", "-o", "T.hst").code == 0
    return Path("T.hst")


@pytest.fixture
def valid() -> Callable[[str, str], dict[str, Any]]:
    """Checks JSON text against the schema of a verb and gives it back."""

    def check(verb: str, text: str) -> dict[str, Any]:
        schema = schema_of(verb)
        jsonschema.Draft202012Validator.check_schema(schema)
        document: dict[str, Any] = json.loads(text)
        jsonschema.Draft202012Validator(schema).validate(document)
        return document

    return check
