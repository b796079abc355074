"""Whoever holds a whole file in memory has a limit: some KB of zstd do not become gigabytes."""

from __future__ import annotations

import ast
import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

import heapscope
from heapscope.answers.leaks.suppress import read_suppressions
from heapscope.base.errors import InputError
from heapscope.base.zstd import ZstdCompressor
from heapscope.capture.systemview.import_systemview import import_systemview
from heapscope.cli.verbs.compare import compare
from heapscope.config.read_file import read_config_file
from heapscope.fleet.budgets.baseline import read_baseline
from heapscope.fleet.budgets.plan import read_plan
from heapscope.fleet.sweep.output import read_output
from heapscope.forecast.predict.iperf_log import read_iperf_log
from heapscope.memory.layout.toml_text import read_toml_text
from heapscope.trace.whole import read_whole

LAB = Path(heapscope.__file__).parent
READERS: dict[str, tuple[int, bytes, Callable[[Path], object]]] = {
    "a result": (32, b"{", lambda path: compare(path, path)),
    "a baseline": (32, b"{", read_baseline),
    "a layout": (1, b"", read_toml_text),
    "budgets": (1, b"", read_plan),
    "a configuration": (16, b"", read_config_file),
    "a list of known leaks": (1, b"", read_suppressions),
    "a log of iperf": (16, b"", read_iperf_log),
    "a plan of a sweep": (32, b"{", lambda path: read_output(path.parent)),
}


def bomb(path: Path, begin: bytes, size: int) -> Path:
    packer = ZstdCompressor()
    with path.open("wb") as file:
        file.write(packer.compress(begin))
        for _ in range(size >> 20):
            file.write(packer.compress(b" " * (1 << 20)))
        file.write(packer.flush())
    return path


@pytest.mark.parametrize("what", READERS)
def test_a_file_that_unpacks_to_gigabytes_is_refused(what: str, tmp_path: Path) -> None:
    most, begin, read = READERS[what]
    file = bomb(tmp_path / "sweep.json", begin, 200 << 20)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=f"more than {most} MiB, too long for") as caught:
            read(file)
        assert tracemalloc.get_traced_memory()[1] < (most + 16) << 20
    finally:
        tracemalloc.stop()
    assert caught.value.remedy


def test_what_has_no_header_is_not_read_to_its_end(tmp_path: Path) -> None:
    file = bomb(tmp_path / "x.svdat", b"", 200 << 20)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="has no header"):
            import_systemview(file, tmp_path / "T.hst")
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def test_a_whole_file_has_at_most_the_bytes_of_its_limit(tmp_path: Path) -> None:
    file = tmp_path / "F"
    file.write_bytes(b"x" * 100)
    assert len(read_whole(file, limit=100, what="it", remedy="-").data) == 100
    with pytest.raises(InputError, match="more than 0 KiB, too long for it"):
        read_whole(file, limit=99, what="it", remedy="-")


# ---- nobody goes round it ----

#: Constants that are files of the package, files of /proc, of this very recording, and of the build
#: that runs us; ports, which give what there is.
OWN = {
    "cli/builds/files.py",
    "cli/builds/idf_extension.py",
    "cli/schemas.py",
    "capture/record/descendants.py",
    "capture/record/objects.py",
    "capture/record/running.py",
    "config/kconfig_tree.py",
    "logs/live/arrivals.py",
    "native/engine.py",
    "forecast/predict/calibrate.py",
    "forecast/predict/constants.py",
    "forecast/predict/memory_fit.py",
    "render/page/frame.py",
    "fleet/sweep/results.py",
}
DATA = re.compile(r"resources\.files\('heapscope\.data'\) / ")
WHOLE = {"read_text", "read_bytes", "readlines", "readall"}


def reads_of(text: str) -> list[int]:
    """The lines that read a file to its end, however long it is, but for data of the package."""
    tree = ast.parse(text)
    of_data = calls_on_data(tree)
    return [
        call.lineno
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and call not in of_data
        and isinstance(call.func, ast.Attribute)
        and (
            call.func.attr in WHOLE
            or (call.func.attr == "read" and not call.args and not call.keywords)
            or (call.func.attr == "load" and ast.unparse(call.func.value) in ("json", "tomllib"))
        )
    ]


def calls_on_data(tree: ast.Module) -> set[ast.AST]:
    """The calls of methods of what a function has from the data of the package alone."""
    asts: set[ast.AST] = set()
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        values: dict[str, list[str]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                values.setdefault(ast.unparse(node.targets[0]), []).append(ast.unparse(node.value))
        data = {name for name, given in values.items() if all(map(DATA.match, given))}
        for node in ast.walk(function):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and ast.unparse(node.func.value) in data
            ):
                asts.add(node)
    return asts


@pytest.mark.slow
def test_every_other_reader_of_whole_files_has_a_limit() -> None:
    result = {
        path.relative_to(LAB).as_posix(): reads_of(path.read_text(encoding="utf-8"))
        for path in LAB.rglob("*.py")
    }
    assert {name: lines for name, lines in result.items() if lines and name not in OWN} == {}
    assert {name for name in OWN if not result[name]} == set()
    assert reads_of("a = file.read()\nb = file.read(9)\nPath(x).read_bytes()") == [1, 3]
    data = "def a(x):\n file = resources.files('heapscope.data') / x\n return file.read_text()\n"
    assert reads_of(data) == []
    assert reads_of(data.replace("return", "file = Path(x)\n return")) == [4]


def grown_in_loops(text: str) -> list[int]:
    """The lines that append to bytes, and so copy all of them, for each round of a loop. A slice
    has a bound."""
    results = set()
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef):
            continue
        empty = {
            target.id
            for one in ast.walk(function)
            if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant)
            for target in one.targets
            if isinstance(target, ast.Name) and one.value.value in (b"", "")
        }
        for loop in ast.walk(function):
            if isinstance(loop, ast.For | ast.While):
                results |= {
                    one.lineno
                    for one in ast.walk(loop)
                    if isinstance(one, ast.AugAssign)
                    and isinstance(one.target, ast.Name)
                    and one.target.id in empty
                    and not isinstance(one.value, ast.Subscript)
                }
    return sorted(results)


@pytest.mark.slow
def test_nothing_copies_what_it_has_read_for_each_block() -> None:
    result = {
        path.relative_to(LAB).as_posix(): grown_in_loops(path.read_text(encoding="utf-8"))
        for path in LAB.rglob("*.py")
    }
    few = {"trace/source.py"}  # four bytes
    assert {name: lines for name, lines in result.items() if lines and name not in few} == {}
    assert grown_in_loops('def f():\n  a = b""\n  for b in c:\n    a += b') == [4]
