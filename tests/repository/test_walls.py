"""The walls: every #include and every import follows an arrow of the tables in ARCHITECTURE.md."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from needs import need_checkout

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = "lab/heapscope"
# They hold headers under the names of an SDK's or a compiler's, which is what other rooms mean.
STAND_INS = (
    "tests/packaging/stand_ins/",
    "emulation/esp_idf/",
    "tests/device/freertos/kernel/",
    "tests/device/recorder_glue/zephyr/",
    "tests/device/recorder_glue/arduino/",
    "tests/device/recorder_glue/sdk/",
    "tests/device/libc/newlib/",
    "emulation/hosted/include/",
)
BELOW = re.compile(r"^\| room(?: below `(?P<below>[^`]*)`)? +\|.*\| may use +\|$")
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')
#: A present use against the rules: `FILE` uses `FILE`, and the reason.
EXCEPTION = re.compile(r"^\| `([^`]+)` uses `([^`]+)` \|", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Use:
    """One #include or import of another file of the repository."""

    path: Path
    line: int
    text: str
    targets: tuple[Path, ...]  # the files that the name can stand for; one of them must be allowed


@cache
def files() -> tuple[Path, ...]:
    need_checkout()
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return tuple(Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file())


def rules_of(text: str) -> dict[str, tuple[str, ...]]:
    """Room to the rooms that it may use, as paths from the root, of all tables of the text."""
    rules: dict[str, tuple[str, ...]] = {}
    below = None
    for line in text.splitlines():
        if heading := BELOW.match(line):
            below = heading["below"] or ""
        elif not line.startswith("|"):
            below = None
        elif below is not None and not line.startswith("| ---"):
            first, *_, last = (cell.strip() for cell in line.strip("|").split("|"))
            uses = tuple(_path(below, name) for name in re.findall(r"`([^`]+)`", last))
            for name in re.findall(r"`([^`]+)`", first):
                rules[_path(below, name)] = ("",) if last == "everything" else uses
    return rules


def _path(below: str, name: str) -> str:
    """`/device/` in a table of another folder is a path from the root."""
    return (name[1:] if name.startswith("/") else below + name).rstrip("/")


@cache
def rules() -> dict[str, tuple[str, ...]]:
    return rules_of((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))


def exceptions_of(text: str) -> frozenset[str]:
    return frozenset(f"{user} uses {used}" for user, used in EXCEPTION.findall(text))


def inside(path: str, room: str) -> bool:
    return room == "" or path == room or path.startswith(f"{room}/")


def room_of(path: Path, table: dict[str, tuple[str, ...]]) -> str | None:
    """The innermost room that holds the file."""
    names = (path.as_posix(), *(above.as_posix() for above in path.parents[:-1]), "")
    return next((name for name in names if name in table), None)


def allowed(source: str, target: Path, table: dict[str, tuple[str, ...]]) -> bool:
    """A room may use itself and what its row names: files, or rooms with those inside them."""
    if room_of(target, table) == source:
        return True
    return any(inside(target.as_posix(), use) for use in table[source])


def broken_rules(
    uses: Iterator[Use], table: dict[str, tuple[str, ...]], exceptions: frozenset[str]
) -> tuple[list[str], set[str]]:
    """A sentence for each forbidden use, and the exceptions that were met."""
    found, met = [], set()
    for use in uses:
        source = room_of(use.path, table)
        if source is None or any(allowed(source, target, table) for target in use.targets):
            continue
        name = f"{use.path.as_posix()} uses {use.targets[0].as_posix()}"
        met.add(name)
        if name not in exceptions:
            may = ", ".join(table[source]) or "nothing"
            found.append(f"{use.path}:{use.line}: {use.text}: {source} may use {may}")
    return found, met & exceptions


# ---- what the files use --------------------------------------------------------------------------


def includes() -> Iterator[Use]:
    sources = {path for path in files() if path.suffix in {".c", ".h"}}
    ends: dict[str, list[Path]] = {}
    for path in sorted(path for path in sources if not path.as_posix().startswith(STAND_INS)):
        for count in range(1, len(path.parts) + 1):
            ends.setdefault("/".join(path.parts[-count:]), []).append(path)
    for path in sorted(sources):
        text = (ROOT / path).read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            if (match := INCLUDE.match(line)) is None:
                continue
            beside = _beside(path, match[1])
            targets = [beside] if beside in sources else ends.get(match[1], [])
            if targets:  # the others are the compiler's, or a library's
                yield Use(path=path, line=number, text=line.strip(), targets=tuple(targets))


def _beside(path: Path, name: str) -> Path | None:
    place = (ROOT / path.parent / name).resolve()
    return place.relative_to(ROOT) if place.is_relative_to(ROOT) else None


def imports() -> Iterator[Use]:
    sources = {path for path in files() if path.suffix == ".py"}
    ends: dict[str, list[Path]] = {}
    for path in sorted(sources):
        parts = path.parts[:-1] if path.name == "__init__.py" else path.with_suffix("").parts
        for count in range(1, len(parts) + 1):
            ends.setdefault(".".join(parts[-count:]), []).append(path)
    for path in sorted(sources):
        for node in _statements(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
            for name in _imported(node, path):
                if targets := _modules(name, path, ends):
                    yield Use(path=path, line=node.lineno, text=f"import {name}", targets=targets)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements below the node, without the expressions in them, which are most of a file."""
    for field in ("body", "handlers", "cases", "orelse", "finalbody"):
        inner = getattr(node, field, ())
        for below in inner if isinstance(inner, list) else ():
            yield below
            yield from _statements(below)


def _imported(node: ast.AST, path: Path) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = path.parts[: len(path.parts) - node.level] if node.level else ()
        module = ".".join(filter(None, (*above, node.module)))
        yield from (f"{module}.{alias.name}" for alias in node.names)


def _modules(name: str, path: Path, ends: dict[str, list[Path]]) -> tuple[Path, ...]:
    """The files that the module can be. The product imports from its own root alone; scripts add
    folders to the path, so for them it is any file of that name, those of their own room first."""
    product = path.as_posix().startswith(PRODUCT)
    for module in (name, name.rpartition(".")[0]):
        found = ends.get(module, []) if module else []
        if product or module.startswith("heapscope"):
            found = [p for p in found if _from_root(p) == module]
        if found:
            return tuple(sorted(found, key=lambda p: (p.parts[0] != path.parts[0], p)))
    return ()


def _from_root(path: Path) -> str:
    """A module's name from the folder that is on the path: lab, or the root."""
    parts = path.parts[1:] if path.parts[0] == "lab" else path.parts
    return ".".join(parts[:-1] if path.name == "__init__.py" else (*parts[:-1], path.stem))


# ---- tests ---------------------------------------------------------------------------------------


def test_every_include_and_import_follows_an_arrow_of_the_tables() -> None:
    exceptions = exceptions_of((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    forbidden, met = [], set()
    for uses in (includes(), imports()):
        found, excepted = broken_rules(uses, rules(), exceptions)
        forbidden += found
        met |= excepted
    assert forbidden == [], "an arrow that ARCHITECTURE.md does not have"
    assert exceptions - met == set(), "mended: take these out of ARCHITECTURE.md"


def test_no_circle_leads_through_the_arrows_of_the_tables() -> None:
    """Rooms with "everything" may be used by nobody of those that they use."""
    table = rules()
    graph = {
        room: {other for other in table if any(inside(other, use) for use in uses)}
        | {room_of(Path(use), table) for use in uses if use}
        for room, uses in table.items()
    }
    for room in graph:
        graph[room] -= {room}
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"ARCHITECTURE.md: a circle: {' -> '.join(error.args[1])}")


def test_every_source_file_is_in_a_room_and_every_room_is_there() -> None:
    sources = [path for path in files() if path.suffix in {".c", ".h", ".py"}]
    assert [str(path) for path in sources if room_of(path, rules()) is None] == []
    named = {name for room, uses in rules().items() for name in (room, *uses) if name}
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_a_forbidden_use_names_the_line_and_the_rule() -> None:
    table = rules_of(
        "| room below `lab/` | holds | may use |\n| --- | --- | --- |\n"
        "| `rows/` | figures | nothing |\n| `measure/` | observers | `rows/`, `/device/` |\n"
    )
    assert table == {"lab/rows": (), "lab/measure": ("lab/rows", "device")}
    up = Use(
        path=Path("lab/rows/rows.h"),
        line=7,
        text='#include "measure/lows.h"',
        targets=(Path("lab/measure/lows.h"),),
    )
    found, _ = broken_rules(iter([up]), table, frozenset())
    assert found == ['lab/rows/rows.h:7: #include "measure/lows.h": lab/rows may use nothing']
    known = frozenset({"lab/rows/rows.h uses lab/measure/lows.h"})
    assert broken_rules(iter([up]), table, known) == ([], set(known))
    down = Use(
        path=Path("lab/measure/lows.c"),
        line=2,
        text='#include "rows/rows.h"',
        targets=(Path("lab/rows/rows.h"),),
    )
    assert broken_rules(iter([down]), table, frozenset()) == ([], set())
