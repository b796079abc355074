"""`heapscope export --to dhat` in the page that Valgrind itself brings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from needs import need_path
from sample_trace import sample_trace
from typer.testing import CliRunner

from heapscope.cli.app import app

VIEW = Path("/usr/libexec/valgrind/dh_view.html")


def test_dh_view_shows_the_totals(chromium: Any, tmp_path: Path) -> None:
    """The page meets no error and shows the sums of the JSON in the root of its tree."""
    need_path(VIEW, package="valgrind")
    trace, out = tmp_path / "T.hst", tmp_path / "dhat.json"
    sites = ("main;two\nlines", "main;<b onmouseover=alert(3)>bold</b>")
    trace.write_bytes(sample_trace(tasks=("net",), sites=sites, mark="middle", program="made"))
    done = CliRunner().invoke(app, ["export", str(trace), "--to", "dhat", "-o", str(out)])
    assert done.exit_code == 0, done.output
    points = json.loads(out.read_text(encoding="utf-8"))["pps"]

    context = chromium.new_context()
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(VIEW.as_uri())
    page.set_input_files("input[type=file]", str(out))
    page.wait_for_function("document.body.innerText.includes('At t-gmax')")
    shown = page.inner_text("body")
    context.close()

    assert errors == []
    for key, blocks in (("tb", "tbk"), ("gb", "gbk"), ("eb", "ebk")):
        total, count = (sum(point[name] for point in points) for name in (key, blocks))
        assert f"{total:,} bytes" in shown
        assert f"{count:,} blocks" in shown
    assert "two\\x0alines" in shown
