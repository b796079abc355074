"""One place starts processes, so that one place decides what they inherit."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("lab/heapscope", "studies/heapscope_studies")
#: May start one: the place itself, and a file that runs without Heapscope around it.
PLACES = {
    "lab/heapscope/base/child_process.py",
    "lab/heapscope/cli/builds/platformio_targets.py",
}
#: May use a library that starts processes, within safe_children().
GUARDED = {"lab/heapscope/fleet/sweep/cluster.py": "LocalCluster"}
MODULES = {"subprocess", "multiprocessing", "pty", "pexpect", "sh"}
NAMES = {"ProcessPoolExecutor", "LocalCluster", "create_subprocess_exec", "create_subprocess_shell"}
OF_OS = ("exec", "spawn", "posix_spawn", "fork", "system", "popen", "startfile")


def starts(tree: ast.AST) -> Iterator[str]:
    """All in it that starts a process, or brings in something that does."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if one.name.partition(".")[0] in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module.partition(".")[0] in MODULES:
                yield node.module
            of_os = OF_OS if node.module == "os" else ()
            yield from (
                one.name for one in node.names if one.name in NAMES or one.name.startswith(of_os)
            )
        elif isinstance(node, ast.Attribute):
            os_itself = isinstance(node.value, ast.Name) and node.value.id == "os"
            if node.attr in NAMES or (os_itself and node.attr.startswith(OF_OS)):
                yield node.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            named = [one.value for one in node.args if isinstance(one, ast.Constant)]
            if node.func.attr == "import_module" and set(named) & MODULES:
                yield "import_module"


def test_no_other_place_starts_a_process() -> None:
    result = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            tree = ast.parse(path.read_text(encoding="utf-8"))
            started = set(starts(tree)) - {GUARDED.get(name)}
            if started and name not in PLACES:
                result[name] = started
    assert result == {}


def test_a_library_that_starts_processes_is_within_the_guard() -> None:
    for name, library in GUARDED.items():
        tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
        guarded = [
            call.func.id
            for node in ast.walk(tree)
            if isinstance(node, ast.With)
            for item in node.items
            if isinstance(call := item.context_expr, ast.Call) and isinstance(call.func, ast.Name)
        ]
        assert guarded.index("safe_children") < guarded.index(library)


@pytest.mark.parametrize(
    "text",
    [
        "import subprocess",
        "import multiprocessing.pool",
        "from subprocess import run",
        "from os import execv",
        "import os\nos.posix_spawnp('ls', [], {})",
        "import os\nos.system('ls')",
        "import importlib\nimportlib.import_module('subprocess')",
        "import asyncio\nasyncio.create_subprocess_exec('ls')",
        "from concurrent.futures import ProcessPoolExecutor",
    ],
)
def test_each_way_to_start_a_process_is_seen(text: str) -> None:
    assert list(starts(ast.parse(text)))
