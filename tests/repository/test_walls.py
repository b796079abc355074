"""The order of the rooms: every #include and every import leads to a room that stands before its
own in the tables of ARCHITECTURE.md."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
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
    "emulation/freertos/kernel/",
    "tests/device/recorder_glue/zephyr/",
    "tests/device/recorder_glue/arduino/",
    "tests/device/recorder_glue/sdk/",
    "tests/device/libc/newlib/",
    "emulation/hosted/include/",
    "emulation/firmware/site/",
)
HEADING = re.compile(r"^\| room(?: below `(?P<below>[^`]*)`)? +\| what it holds +\|$")
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')


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


def order_of(text: str) -> tuple[str, ...]:
    """The rooms of all tables of the text, as paths from the root, in their order."""
    rooms: list[str] = []
    below = None
    for line in text.splitlines():
        if heading := HEADING.match(line):
            below = heading["below"] or ""
        elif not line.startswith("|"):
            below = None
        elif below is not None and not line.startswith("| ---"):
            names = re.findall(r"`([^`]+)`", line.split("|")[1])
            rooms += [(below + name).rstrip("/") for name in names]
    return tuple(rooms)


@cache
def order() -> tuple[str, ...]:
    return order_of((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))


def room_of(path: Path, rooms: tuple[str, ...]) -> str | None:
    """The innermost room that holds the file."""
    names = (path.as_posix(), *(above.as_posix() for above in path.parents[:-1]))
    return next((name for name in names if name in rooms), None)


def against(uses: Iterable[Use], rooms: tuple[str, ...]) -> list[str]:
    """A sentence for each use of a room that stands behind the user's own."""
    place = {room: number for number, room in enumerate(rooms)}
    results = []
    for use in uses:
        source = room_of(use.path, rooms)
        targets = [room for path in use.targets if (room := room_of(path, rooms)) is not None]
        if source is None or not targets or any(place[one] <= place[source] for one in targets):
            continue
        results.append(f"{use.path}:{use.line}: {use.text}: {targets[0]} stands behind {source}")
    return results


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


@cache
def imports() -> tuple[Use, ...]:
    return tuple(_read_imports())


def _read_imports() -> Iterator[Use]:
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
        matches = ends.get(module, []) if module else []
        if product or module.startswith("heapscope"):
            matches = [p for p in matches if _from_root(p) == module]
        if matches:
            return tuple(sorted(matches, key=lambda p: (p.parts[0] != path.parts[0], p)))
    return ()


def _from_root(path: Path) -> str:
    """A module's name from the folder that is on the path: lab, or the root."""
    parts = path.parts[1:] if path.parts[0] == "lab" else path.parts
    return ".".join(parts[:-1] if path.name == "__init__.py" else (*parts[:-1], path.stem))


# ---- tests ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("uses", [includes, imports])
def test_every_use_leads_to_a_room_that_stands_before(uses: Callable[[], Iterable[Use]]) -> None:
    assert against(uses(), order()) == [], "against the order of ARCHITECTURE.md"


def test_the_folders_of_the_product_use_each_other_without_a_circle() -> None:
    """A file beside the houses is a room of its own."""
    product = Path(PRODUCT)
    graph: dict[str, set[str]] = {}
    for use in imports():
        if use.path.is_relative_to(product) and use.targets[0].is_relative_to(product):
            source, target = (
                str(path if path.parent == product else path.parent)
                for path in (use.path, use.targets[0])
            )
            if source != target:
                graph.setdefault(source, set()).add(target)
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"a circle: {' -> '.join(reversed(error.args[1]))}")


def test_every_source_file_is_in_a_room_and_every_room_is_there_once() -> None:
    sources = [path for path in files() if path.suffix in {".c", ".h", ".py"}]
    assert [str(path) for path in sources if room_of(path, order()) is None] == []
    assert len(set(order())) == len(order())
    assert {name for name in order() if not (ROOT / name).exists()} == set()


def test_a_use_against_the_order_names_the_line_and_both_rooms() -> None:
    rooms = order_of(
        "| room below `lab/` | what it holds |\n| --- | --- |\n"
        "| `rows/` | figures |\n| `chip/` `measure/` | regions, and observers of `rows/` |\n"
    )
    assert rooms == ("lab/rows", "lab/chip", "lab/measure")

    def use(path: str, target: str) -> Use:
        targets = (Path(target),)
        return Use(path=Path(path), line=7, text=f'#include "{target}"', targets=targets)

    up = [use("lab/rows/rows.h", "lab/measure/lows.h"), use("lab/chip/x.c", "lab/measure/lows.h")]
    assert against(iter(up), rooms) == [
        'lab/rows/rows.h:7: #include "lab/measure/lows.h": lab/measure stands behind lab/rows',
        'lab/chip/x.c:7: #include "lab/measure/lows.h": lab/measure stands behind lab/chip',
    ]
    down = [use("lab/measure/lows.c", "lab/rows/rows.h"), use("lab/chip/x.c", "lab/chip/x.h")]
    assert against(iter(down), rooms) == []
