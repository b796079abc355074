"""`heapscope report`: the page as text, its JSON, and what it refuses. tests/browser opens it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Valid = Callable[[str, str], dict[str, Any]]

POOL = ("--pool", "64KB")


def page(run: Run, *arguments: object) -> str:
    done = run("report", *arguments, "-o", "report.html")
    assert (done.code, done.err) == (0, "")
    return Path("report.html").read_text(encoding="utf-8")


def test_the_page_answers_and_says_where_it_is(hst: Path, run: Run) -> None:
    done = run("report", hst, *POOL, "-o", "report.html")
    assert "1 of 6 requests failed" in done.out
    size = Path("report.html").stat().st_size
    assert done.lines[-1] == f"report.html: {size:,} B; open it in a browser"


def test_the_json_keeps_to_its_schemas(hst: Path, run: Run, valid: Valid) -> None:
    page(run, hst, *POOL, "--need", "20000", "--json", "report.json", "--remedies")
    document = valid("report", Path("report.json").read_text(encoding="ascii"))
    (side,) = document["sides"]
    for verb in ("replay", "leaks", "why"):
        valid(verb, json.dumps(side[verb]))
    picture = side["survey"]["picture"]
    cells = picture["columns"] * picture["rows"]
    assert {name: len(base64.b64decode(data)) for name, data in picture["cells"].items()} == {
        "owner": cells,
        "used": cells,
        "size": cells,
        "age": cells,
        "block": 2 * cells,
    }


def test_the_json_of_a_comparison_keeps_to_its_schema(hst: Path, run: Run, valid: Valid) -> None:
    allocators = ("--allocator", "idf-5.5", "--allocator", "tlsf", "--allocator", "heap_4")
    page(run, hst, *POOL, *allocators, "--json", "report.json")
    document = valid("report", Path("report.json").read_text(encoding="ascii"))
    assert [side["label"] for side in document["sides"]] == ["idf-5.5", "tlsf", "heap_4"]
    assert len(document["conclusions"]) == 2
    assert all(len(row["values"]) == 3 for row in document["differing"])


def test_only_the_scripts_of_the_page_may_run(hst: Path, run: Run) -> None:
    text = page(run, hst, *POOL)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    stated = policy[1].replace("&#39;", "'")
    scripts = re.findall(r"<script(?: [^>]*id=\"bokeh\")?>(.*?)</script>", text, re.DOTALL)
    digests = [hashlib.sha256(one.encode()).digest() for one in scripts]
    hashes = [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]
    assert len(scripts) == 19
    may_run = stated.partition("script-src ")[2].partition(";")[0].split()
    assert sorted(may_run) == sorted([*hashes, "'wasm-unsafe-eval'"])
    assert stated.startswith("default-src 'none';")
    assert "'unsafe-eval'" not in stated
    assert not re.search(r"<(?:script|link|img|iframe)[^>]*\b(?:src|href)=", text)


@pytest.mark.cells(1)
@pytest.mark.parametrize("name", ["</script><script>alert(1)</script>", "<!-- x", "a & b \" ' `"])
def test_no_name_of_a_trace_is_markup(here: Path, run: Run, name: str) -> None:
    Path("evil.txt").write_text(f"t {name}\n! {name}\na 1 100\na 2 900000\nf 1\n", encoding="utf-8")
    assert run("import", "--from", "text", "evil.txt", "-o", "evil.hst").code == 0
    text = page(run, "evil.hst", *POOL, "--title", name)
    plain = run("report", "evil.hst", *POOL, "--title", "x", "-o", "plain.html")
    assert plain.code == 0
    assert text.count("<script") == Path("plain.html").read_text(encoding="utf-8").count("<script")
    if "<" in name:
        head, _, rest = text.partition("<script>")  # before the page's own scripts
        assert name not in head
        assert rest.count(name) == 0


@pytest.mark.slow
def test_static_ram_is_there_with_an_elf(hst: Path, run: Run) -> None:
    firmware = (
        Path(__file__).resolve().parents[3] / "studies" / "workloads" / "static" / "firmware.elf"
    )
    assert 'id="static"' in page(run, hst, "--chip", "esp32", "--elf", firmware)
    assert 'id="static"' not in page(run, hst, "--chip", "esp32")


@pytest.mark.slow
def test_the_title_and_the_reason_can_be_chosen(hst: Path, run: Run) -> None:
    assert "<title>A heading · Heapscope</title>" in page(run, hst, *POOL, "--title", "A heading")
    assert "Changes that would have let it succeed" in page(run, hst, *POOL)
    assert "Changes that would have let it succeed" not in page(run, hst, *POOL, "--no-remedies")


def test_traces_are_distinguished_by_name(hst: Path, run: Run) -> None:
    Path("other.hst").write_bytes(hst.read_bytes())
    text = page(run, hst, "other.hst", *POOL)
    assert ">T.hst</h3>" in text
    assert ">other.hst</h3>" in text


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("-", "-"), "standard input is named 2 times"),
        (("T.hst", "T.hst", "--idf", "4.2", "--idf", "5.5", "--idf", "6.0"), "things: 2, --idf: 3"),
        (("T.hst", *["--idf", "5.5"] * 7), "7 sides, at most 6"),
        (("missing.hst",), "missing.hst: no such file"),
        (("events.txt",), "events.txt"),
    ],
)
def test_what_cannot_be_reported_is_refused(
    hst: Path, run: Run, arguments: tuple[str, ...], text: str
) -> None:
    done = run("report", *arguments, "--chip", "esp32", "-o", "report.html")
    assert done.code == 2
    assert text in done.err
    assert "remedy: " in done.err
    assert not Path("report.html").exists()


def test_the_input_is_never_overwritten(hst: Path, run: Run) -> None:
    before = hst.read_bytes()
    done = run("report", hst, *POOL, "-o", hst)
    assert done.code == 2
    assert hst.read_bytes() == before
