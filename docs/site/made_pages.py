"""Pages of the site that commands make, and that are no files of the repository: a run of all
published experiments, and the schemas of `--json`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from heapscope.cli.schemas import schema_names, schema_of
from heapscope_studies.markdown import markdown
from heapscope_studies.registry import EXPERIMENTS

INDEX = "docs/reference/README.md"
_EXPERIMENTS = "docs/reference/experiments.md"
_SCHEMAS = "docs/reference/schemas.md"
_LISTED = """\
- [Experiments](experiments.md): published figures beside the computed ones
- [Schemas](schemas.md) of all `--json` outputs
"""


def add_pages(source: Path, experiments: Iterable[str]) -> list[str]:
    """Writes the pages, which the index of the reference then lists; their paths from `source`."""
    pages = {_EXPERIMENTS: markdown([EXPERIMENTS[name].run(_unseen) for name in experiments])}
    names = schema_names()
    listed = "\n".join(f"- [{name}](schemas/{_file(name)})" for name in names)
    pages[_SCHEMAS] = f"# Schemas\n\n`heapscope --print schema NAME` prints each.\n\n{listed}\n"
    for name in names:
        text = json.dumps(schema_of(name), indent=2, ensure_ascii=False)
        pages[f"docs/reference/schemas/{_file(name)}"] = f"# {name}\n\n````json\n{text}\n````\n"
    for page, text in pages.items():
        (source / page).parent.mkdir(parents=True, exist_ok=True)
        (source / page).write_text(text, encoding="utf-8")
    with (source / INDEX).open("a", encoding="utf-8") as index:
        index.write(_LISTED)
    return list(pages)


def _file(name: str) -> str:
    return f"{name.replace(' ', '-')}.md"


def _unseen(done: int, total: int) -> None:
    """The progress, which nobody sees."""
