"""Names of strangers in every place where a trace or a file of budgets has a name, through every
writer."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.lab.languages.names import NAMES, commands, markdown_tokens, understood
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.native.reader import NameTable

_FAILING = 6  # names whose task asks for too much

#: Facts of a recording that are free text.
FACTS = ("program", "sdk", "chip", "recorder", "config", "reset", "unrecorded", "source")

#: A run takes a second: one of each kind, and between two of them the others.
RUNS = (
    "::error file=a.c::pwned",
    "##[error] " + " ".join(name for name in NAMES if name.isprintable())[:600],
    "![logo](http://evil.example/i.png)",
    "<script>alert(1)</script>",
    "@somebody #12 www.evil.example",
)
MARKDOWN = frozenset(
    f"{what}_{end}"
    for what in ("heading", "table", "thead", "tbody", "tr", "th", "td", "bullet_list", "list_item")
    for end in ("open", "close")
)


def strange_trace(names: tuple[str, ...] = NAMES) -> bytes:
    """Each name is that of a task, a site, a heap, a pool and a mark; the first ones are facts,
    too. Each task holds a block, and some make a request that no small pool serves: it takes long
    to say why."""
    rows: list[tuple[int, ...]] = []
    for number in range(len(names)):
        task = site = number + 1
        rows.append((number, 0, 0, 4 * number, task, 0, site, 0, 7, 0))
        rows.append((2 * number, 0, 100 + number, 4 * number, task, 0, site, 0, 1, 0))
        size = 90_000 if number < _FAILING else 900
        rows.append((2 * number + 1, 0, size + number, 4 * number, task, 0, site, 0, 1, 0))
        rows.append((2 * number + 1, 0, 0, 4 * number, task, 0, 0, 0, 5, 0))
    with NativeWriter(features=2 | 4) as writer:
        writer.metadata("clock_hz", "1000000")
        for fact, name in zip(FACTS, names, strict=False):
            writer.metadata(fact, name)
        for table in (NameTable.TASK, NameTable.SITE, NameTable.HEAP, NameTable.POOL):
            for number, name in enumerate(names, start=1):
                writer.name(table, number, name.encode())
        for number, name in enumerate(names):
            writer.name(NameTable.MARK, number, name.encode())
        writer.events(np.array(rows, dtype=event_dtype()))
        writer.finish()
        return b"".join(writer.take())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the trace, and budgets whose runs have these names."""
    built = tmp_path_factory.mktemp("strangers")
    (built / "T.hst").write_bytes(strange_trace())
    runs = "".join(
        f'[[run]]\nname = {json.dumps(f"{name} {number}")}\ntrace = "T.hst"\n'
        for number, name in enumerate(RUNS)
    )
    budgets = f'[memory]\npool = "64KB"\nallocator = "tlsf"\n[budget]\nfailures = 0\n{runs}'
    (built / "heapscope.toml").write_text(budgets, encoding="utf-8")
    return built


def wrote(folder: Path, *words: str) -> None:
    done = CliRunner().invoke(app, [word.replace("@", f"{folder}{os.sep}") for word in words])
    assert done.exit_code in (0, 1), done.output
    assert "Traceback" not in done.output


class Page(HTMLParser):
    """The elements of a page, and the places that they name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.places: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.places += [value or "" for name, value in attrs if name in ("href", "src", "style")]


def test_a_document_has_the_names_as_text(folder: Path) -> None:
    wrote(folder, "report", "@T.hst", "--pool", "64KB", "-o", "@r.md")
    text = (folder / "r.md").read_text(encoding="utf-8")
    tokens = markdown_tokens(text)
    assert understood(tokens, MARKDOWN) == set()
    assert "evil" in text


@pytest.mark.slow
def test_a_page_has_the_names_as_text(folder: Path) -> None:
    wrote(folder, "report", "@T.hst", "--pool", "64KB", "-o", "@r.html")
    page = Page((folder / "r.html").read_text(encoding="utf-8"))
    assert page.tags.isdisjoint({"img", "iframe", "object", "embed"})
    assert not [place for place in page.places if "evil" in place or "javascript" in place]


def test_a_check_says_nothing_but_its_names(folder: Path) -> None:
    outputs = {"junit": "c.xml", "sarif": "c.sarif", "summary": "c.md", "badge": "c.svg"}
    options = [word for name, file in outputs.items() for word in (f"--{name}", f"@{file}")]
    wrote(folder, "check", "@heapscope.toml", *options, "--json", "@c.json")
    summary = (folder / "c.md").read_text(encoding="utf-8")
    assert understood(markdown_tokens(summary), MARKDOWN) == set()
    suites = ElementTree.fromstring((folder / "c.xml").read_text(encoding="utf-8"))
    kinds = {element.tag for element in suites.iter()}
    assert kinds == {"testsuites", "testsuite", "testcase", "failure"}
    names = {suite.attrib["name"] for suite in suites}
    assert any(name.startswith("<script>alert(1)</script>") for name in names)
    assert not {
        one.tag for one in ElementTree.parse(folder / "c.svg").iter() if "script" in one.tag
    }
    result = json.loads((folder / "c.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert result
    assert not [one for one in result if "](" in one["message"]["text"]]
    assert commands((folder / "c.json").read_bytes()) == []


def test_exports_have_the_names_as_they_are(folder: Path) -> None:
    for kind in ("csv", "json", "speedscope", "dhat", "collapsed"):
        wrote(folder, "export", "@T.hst", "--to", kind, "-o", f"@T.{kind}")
    text = (folder / "T.csv").read_bytes().decode()
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    fields: list[Any] = [row[name] for row in rows for name in ("task", "site", "heap")]
    assert len(rows) == 3 * len(NAMES)
    assert not [field for field in fields if field.lstrip().startswith(tuple("=+-@＝"))]  # noqa: RUF001
    for kind in ("json", "speedscope", "dhat"):
        data = (folder / f"T.{kind}").read_bytes()
        json.loads(data)
    for line in (folder / "T.collapsed").read_text(encoding="utf-8").splitlines():
        assert line.rpartition(" ")[2].isdigit(), line


@pytest.mark.parametrize(
    "words",
    [
        ["replay", "T.hst", "--pool", "64KB"],
        pytest.param(["check", "heapscope.toml"], marks=pytest.mark.slow),
        pytest.param(["replay", "T.hst"], marks=pytest.mark.slow),
        pytest.param(["leaks", "T.hst"], marks=pytest.mark.slow),
        pytest.param(["why", "T.hst", "--pool", "64KB", "--need", "9000"], marks=pytest.mark.slow),
        pytest.param(["live", "T.hst", "--no-files"], marks=pytest.mark.slow),
        pytest.param(["live", "T.hst", "--no-files", "--json", "-"], marks=pytest.mark.slow),
        pytest.param(["replay", "T.hst", "--pool", "64KB", "--json", "-"], marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("columns", [80, pytest.param(33, marks=pytest.mark.slow)])
def test_no_line_of_a_job_is_a_command(words: list[str], columns: int, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "heapscope", *words],
        cwd=folder,
        env={**os.environ, "COLUMNS": str(columns), "GITHUB_ACTIONS": "true", "NO_COLOR": "1"},
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout
    assert commands(done.stdout) == commands(done.stderr) == []


def test_the_log_of_a_device_is_no_command(tmp_path: Path) -> None:
    stream = tmp_path / "stream"
    stream.write_bytes(b"".join(name.encode() + b"\n" for name in NAMES) + strange_trace())
    done = subprocess.run(
        [sys.executable, "-m", "heapscope", "live", "stream", "--no-files"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert b"error file=a.c" in done.stdout
    assert commands(done.stdout) == []


@pytest.mark.slow
def test_a_quoted_line_of_a_log_is_no_command(tmp_path: Path) -> None:
    log = tmp_path / "device.log"
    lines = "".join(f"E (1) {name}\nMem alloc fail. size 0x6a0 caps 0x1800\n" for name in NAMES)
    log.write_text(f"::error::a\n{lines}", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "heapscope", "log", "device.log"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert commands(done.stdout) == commands(done.stderr) == []
