"""docs/reference/published.md, made from the rows that tests/studies holds commands against."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator
from typing import Any

from pages import ROOT, make

FOLDER = ROOT / "tests/studies/rows"
WORKS = "works"
WITHIN = 15

HEAD = """\
# Published figures, row by row

Five publications about the memory of microcontrollers, each statement with the command of a user
that answers it. {works} of {rows} rows work. A test runs the commands and holds each figure against
the published one, within {within} % unless the row says otherwise. A figure whose 80 % band lies
elsewhere would be wrong; none is. `make generated` makes this page from `tests/studies/rows`, which
has the files that the commands name, too.
"""

ROWS = """
## {title}

Published: {source}.

| row | what | held against | command | state |
| --- | --- | --- | --- | --- |
"""

RUNS = """
| command | |
| --- | --- |
"""

OPEN = """
Not all of these work:

| row | the fact that is missing | where it was sought |
| --- | --- | --- |
"""


def markdown() -> str:
    tables = [
        tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.toml"))
    ]
    states = Counter(_state(row) for table in tables for row in table["row"])
    head = HEAD.format(works=states[WORKS], rows=states.total(), within=WITHIN)
    return head + "".join(part for table in tables for part in _publication(table))


def _publication(table: dict[str, Any]) -> Iterator[str]:
    yield ROWS.format(title=table["title"], source=table["source"])
    for row in table["row"]:
        commands = ", ".join(dict.fromkeys(check["run"] for check in row["check"]))
        held = "<br>".join(dict.fromkeys(map(_held, row["check"]))) or "-"
        yield _cells(str(row["row"]), row["what"], held, commands or "-", _state(row))
    yield RUNS
    for name, line in table["run"].items():
        yield _cells(name, f"`heapscope {line}`")
    missing = [row for row in table["row"] if _state(row) != WORKS]
    if missing:
        yield OPEN
    for row in missing:
        yield _cells(str(row["row"]), row["lacks"], row["sought"])


def _state(row: dict[str, Any]) -> str:
    return str(row.get("state", WORKS))


def _held(check: dict[str, Any]) -> str:
    if "says" in check:
        return "; ".join(f'"{words}"' for words in check["says"])
    if "is" not in check:
        bounds = (("least", "at least"), ("most", "at most"))
        return " and ".join(f"{word} {check[key]:,}" for key, word in bounds if key in check)
    within = check.get("within", WITHIN)
    room = f" or {check['or_within']:,}" if "or_within" in check else ""
    exact = {0: ", exactly", WITHIN: ""}.get(within, f", within {within} %")
    return f"{check['is']:,}{exact}{room}"


def _cells(*texts: str) -> str:
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |\n"


if __name__ == "__main__":
    make("docs/reference/published.md", markdown())
