"""The documentation site works from the file system: its pages, its search, the explorer in it."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
make_source = runpy.run_path(str(ROOT / "docs" / "site" / "source.py"))["make_source"]

MIXED = """\
# Title
A paragraph with [code](../../code/heap.h), [a folder](../../code) and
[a part](other.md#part).
1. A step:

   ```ini
   [env:board]
   ```

2. Another one.
   - below it

Some `[text](as.it)` and

```text
- no list
```
"""
SHOWN = """\
# Title
A paragraph with [code](../../code/heap.h.md), [a folder](../../code/index.md) and
[a part](other.md#part).

1. A step:

    ```ini
    [env:board]
    ```

2. Another one.
    - below it

Some `[text](as.it)` and

```text
- no list
```
"""


def test_a_page_of_the_repository_becomes_one_of_the_site(tmp_path: Path) -> None:
    root, out = tmp_path / "root", tmp_path / "out"
    for name, text in {
        "docs/guide/page.md": MIXED,
        "docs/guide/other.md": "# Other\n",
        "code/heap.h": "#pragma once\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    pages = make_source(root, out)
    assert (out / "docs/guide/page.md").read_text("utf-8") == SHOWN
    assert "````c\n#pragma once\n````" in (out / "code/heap.h.md").read_text("utf-8")
    assert "heap.h" in (out / "code/index.md").read_text("utf-8")
    assert sorted(pages) == sorted(path.relative_to(out).as_posix() for path in out.rglob("*.md"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, str(ROOT / "docs" / "site"), str(out), "heap-change"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return out / "html"


@pytest.mark.slow
def test_every_page_of_the_documentation_is_in_the_site(site: Path) -> None:
    pages = [*(ROOT / "docs").glob("*/*.md")]
    pages += [ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]
    for page in pages:
        place = site / page.relative_to(ROOT)
        html = place.with_name("index.html" if page.name == "README.md" else f"{page.stem}.html")
        assert html.is_file()
    built = site / "docs" / "reference"
    assert "31,246" in (built / "experiments.html").read_text("utf-8")
    assert "heapscope_replay" in (built / "schemas" / "replay.html").read_text("utf-8")


@pytest.mark.slow
def test_no_page_of_the_site_loads_anything_from_elsewhere(site: Path) -> None:
    element = r"<(?:script|link|img|iframe)\b[^>]*\b"
    loads = re.compile(element + r"""(?:src|href)=["']?(https?:[^"' >]+)""")
    for page in site.rglob("*.html"):
        if page.name != "explorer.html" or page.parent != site:
            assert loads.findall(page.read_text("utf-8")) == [], page


@pytest.mark.slow
def test_the_site_is_searched_and_its_explorer_opens_from_the_file_system(
    site: Path, chromium: Any
) -> None:
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    requested: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((site / "index.html").as_uri())
    page.locator("input[name=query]").press_sequentially("baseline tolerance")  # it hears keys only
    page.wait_for_selector(".md-search-result__item a", timeout=60_000)
    page.click(".md-search-result__item a >> nth=0")
    page.wait_for_url("**/docs/**")
    assert "tolerance" in page.inner_text("article")

    page.goto((site / "docs" / "guide" / "explorer.html").as_uri())
    dark = "document.body.dataset.mdColorScheme"
    assert page.evaluate(dark) == "default"
    page.click('label[title="Dark mode"]')
    assert page.evaluate(dark) == "slate"
    page.click("text=Open the explorer")
    page.wait_for_selector("html[data-explorer=yes]", timeout=60_000)
    assert complaints == []
    assert [url for url in requested if not url.startswith(("file:", "data:", "blob:"))] == []
    page.close()


@pytest.mark.slow
def test_a_link_that_leads_nowhere_fails_the_build(tmp_path: Path) -> None:
    """The same rules as for the site, on two pages."""
    base = (ROOT / "docs" / "site" / "mkdocs.yml").read_text("utf-8")
    source = tmp_path / "source"
    source.mkdir()
    (source / "iframe-worker.js").touch()
    (tmp_path / "mkdocs.yml").write_text(f"{base}docs_dir: source\nsite_dir: html\n")
    command = [sys.executable, "-m", "mkdocs", "build", "-f", str(tmp_path / "mkdocs.yml")]
    for text, code in (
        ("[one](other.md#part)", 0),
        ("[one](other.md#parts)", 1),
        ("[one](others.md)", 1),
    ):
        (source / "index.md").write_text(f"# Index\n\n{text}\n")
        (source / "other.md").write_text("# Other\n\n## Part\n")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == code, f"{text}\n{done.stdout}{done.stderr}"
