"""Makes the documentation site: python docs/site [FOLDER [EXPERIMENT...]], or `make site`.

The pages are the repository's Markdown, and what commands make, which takes minutes. A link that
leads nowhere fails the build. The site works from the file system, with its search, and loads
nothing from anywhere."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from made_pages import EXPERIMENTS, add_pages
from source import make_source

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
OUT = ROOT / "build" / "site"

#: The parts of the site, and the folder of each; a folder's README tells the order of its pages.
PARTS = {
    "Guide": "docs/guide",
    "Reference": "docs/reference",
    "Design": "docs/design",
    "Recipes": "docs/recipes",
}
ENTRY = "docs/guide/explorer.md"
_OPENS = """
**[Open the explorer](../../explorer.html)**. It is a part of this site.
"""


def main(arguments: list[str]) -> int:
    out = Path(arguments[0]).resolve() if arguments else OUT
    source, site = out / "source", out / "html"
    pages = [*make_source(ROOT, source), *add_pages(source, arguments[1:] or EXPERIMENTS)]
    shutil.copy(HERE / "iframe-worker.js", source)
    command = [sys.executable, "-m", "heapscope", "report", "-o", str(source / "explorer.html")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    _add_the_explorer(source / ENTRY)
    config = out / "mkdocs.yml"
    config.write_text(_config(source, site, pages), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-f", str(config)],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
    else:
        print(f"{len(pages)} pages in {site}; open {site / 'index.html'}")
    return done.returncode


def _add_the_explorer(page: Path) -> None:
    title, _, rest = page.read_text(encoding="utf-8").partition("\n")
    page.write_text(f"{title}\n{_OPENS}{rest}", encoding="utf-8")


def _config(source: Path, site: Path, pages: list[str]) -> str:
    """The base, with the places and the order of the pages. JSON is YAML, too."""
    base = (HERE / "mkdocs.yml").read_text(encoding="utf-8")
    added: dict[str, Any] = {
        "docs_dir": str(source),
        "site_dir": str(site),
        "nav": _navigation(source, pages),
    }
    return base + "".join(f"{key}: {json.dumps(value)}\n" for key, value in added.items())


def _navigation(source: Path, pages: list[str]) -> list[Any]:
    left = dict.fromkeys(pages)
    results: list[Any] = [{"Heapscope": _taken(left, "README.md")}]
    for title, folder in PARTS.items():
        index = f"{folder}/README.md"
        inside = [_taken(left, index)] if index in left else []
        listed = _links(source / index) if inside else []
        own = sorted(name for name in left if name.startswith(f"{folder}/"))
        ordered = [name for name in (f"{folder}/{link}" for link in listed) if name in own]
        for name in [*dict.fromkeys(ordered), *own]:
            if name in left:
                inside.append(_taken(left, name))
        results.append({title: inside})
    results += [
        _taken(left, name) for name in ("ARCHITECTURE.md", "CONTRIBUTING.md") if name in left
    ]
    if "CHANGELOG.md" in left:
        results.append({"Changes": _taken(left, "CHANGELOG.md")})
    return [*results, {"Files": list(left)}]


def _taken(left: dict[str, None], name: str) -> str:
    del left[name]
    return name


def _links(page: Path) -> list[str]:
    return re.findall(r"\]\(([^)#/:]+\.md)", page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
