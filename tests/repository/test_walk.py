"""The walk of one event in docs/design/walk.md is the way that an event takes."""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType

import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
STEP = re.compile(r"^\| (\d+) \| `([^`]+)` \| `([^`]+)` \|", re.MULTILINE)
C_ROOMS = ("device/src", "lab/models", "lab/native")
FUNCTION = re.compile(r"^[a-z][^;{}=#]*?\b(\w+)\([^;{}]*\)\n\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
# `.many = many_take` in an initializer: a call through `many` is a call of many_take.
BOUND = re.compile(r"\.(\w+)\s*=\s*&?([a-z]\w+)\b")
EVENTS = "t net\na 7 1460\n"


@dataclass(frozen=True, order=True)
class Step:
    number: int
    file: str
    function: str

    @property
    def node(self) -> tuple[str, str]:
        return self.file, self.function


def steps(suffix: str = "") -> list[Step]:
    text = (ROOT / "docs/design/walk.md").read_text(encoding="utf-8")
    results = [Step(int(number), *names) for number, *names in STEP.findall(text)]
    return [step for step in results if step.file.endswith(suffix)]


# ---- C: a graph of calls, from the source --------------------------------------------------------


@cache
def functions() -> dict[tuple[str, str], str]:
    """The body of every function, by file and name."""
    result = {}
    for room in C_ROOMS:
        for path in sorted((ROOT / room).rglob("*.[ch]")):
            text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            for match in FUNCTION.finditer(text):
                result[path.relative_to(ROOT).as_posix(), match[1]] = match[2]
    return result


@cache
def bound() -> dict[str, set[tuple[str, str]]]:
    """The functions that a call through a member of this name can reach."""
    result: dict[str, set[tuple[str, str]]] = {}
    for file in {file for file, _ in functions()}:
        for member, name in BOUND.findall((ROOT / file).read_text(encoding="utf-8")):
            if (file, name) in functions():
                result.setdefault(member, set()).add((file, name))
    return result


@cache
def calls(node: tuple[str, str]) -> frozenset[tuple[str, str]]:
    """The functions that a body names: its file's own, or those that others may call."""
    file, _ = node
    body = functions()[node]
    named = set(re.findall(r"\b[a-z]\w+\b", body))
    results = {(file, name) for name in named if (file, name) in functions()}
    results |= {key for key in functions() if key[1] in named and key[1].startswith("hs_")}
    for member in re.findall(r"(?:->|\.)(\w+)\(", body):
        results |= bound().get(member, set())
    return frozenset(results - {node})


@cache
def reached(node: tuple[str, str]) -> frozenset[tuple[str, str]]:
    seen, waiting = set(), [node]
    while waiting:
        for other in calls(waiting.pop()):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return frozenset(seen)


# ---- tests ---------------------------------------------------------------------------------------


def test_the_steps_are_numbered_and_each_function_is_there() -> None:
    assert [step.number for step in steps()] == list(range(1, len(steps()) + 1))
    assert len(steps()) > 20
    for step in steps(".c"):
        assert step.node in functions(), f"step {step.number}: no {step.function} in {step.file}"
    for step in steps(".py"):
        names = _definitions(ast.parse((ROOT / step.file).read_text(encoding="utf-8")))
        assert step.function in names, f"step {step.number}: no {step.function} in {step.file}"


def _definitions(tree: ast.AST, prefix: str = "") -> set[str]:
    results = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            name = f"{prefix}{node.name}"
            results |= {name} | _definitions(node, f"{name}.")
    return results


def test_python_calls_its_functions_in_the_order_of_the_walk(tmp_path: Path) -> None:
    wanted = {step.node for step in steps(".py")}
    called: dict[tuple[str, str], None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and "heapscope" in code.co_filename:
            path = Path(code.co_filename)
            if path.is_relative_to(ROOT):
                node = (path.relative_to(ROOT).as_posix(), code.co_qualname)
                if node in wanted:
                    called.setdefault(node)

    text, trace = tmp_path / "events.txt", tmp_path / "T.hst"
    text.write_text(EVENTS, encoding="utf-8")
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        imported = CliRunner().invoke(
            app, ["import", "--from", "text", str(text), "-o", str(trace)]
        )
        done = CliRunner().invoke(app, ["replay", str(trace), "--chip", "esp32"])
    finally:
        sys.setprofile(before)
    assert imported.exit_code == done.exit_code == 0, done.output
    assert list(called) == [step.node for step in steps(".py")]
    assert re.search(r"^ *net\b.*\b1,460\b", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("step", steps(".c"), ids=lambda step: f"{step.number} {step.function}")
def test_a_c_function_is_called_by_an_earlier_step_and_calls_none(step: Step) -> None:
    earlier = [other for other in steps() if other.number < step.number]
    last = earlier[-1]
    if last.file.endswith(".py"):
        assert step.function in (ROOT / last.file).read_text(encoding="utf-8")
    else:
        callers = [other for other in earlier if other.file.endswith(".c")]
        assert any(step.node in reached(other.node) for other in callers)
    up = {other.node for other in earlier if other.file.endswith(".c")} & reached(step.node)
    assert up == set(), "it calls an earlier step"
