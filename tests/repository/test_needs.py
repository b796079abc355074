"""A test asks in one way for what a bare machine does not have, which is tests/needs.py: a test
without it is skipped, and fails with HEAPSCOPE_ALL=1. No test goes round it."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
#: The mechanism and its test, and a program that no test calls.
ITSELF = {"needs.py", "conftest.py", "coverage.py", "repository/test_needs.py"}
ROUND = {"skip", "importorskip", "which", "find_spec"}
MODULES = ("pytest", "pytest.mark", "shutil", "importlib.util")
#: A platform cannot be installed, and a variable is what somebody asks for.
CONDITIONS = re.compile(r"sys\.platform|os\.uname(\(\)(\.machine)?)?|os\.environ")


def ways_round(text: str) -> Iterator[str]:
    """Skips, and questions whether something is there, that are not those of needs.py."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and node.attr in ROUND:
            if ast.unparse(node.value) in MODULES:
                yield f"{node.lineno}: {ast.unparse(node)}"
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            yield from (f"{node.lineno}: {n.name}" for n in node.names if n.name in ROUND)
        elif isinstance(node, ast.Constant) and node.value == "HEAPSCOPE_ALL":
            yield f"{node.lineno}: HEAPSCOPE_ALL"
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "skipif"
        ):
            for requested in ast.walk(node.args[0]):
                if isinstance(requested, ast.Attribute | ast.Call) and not CONDITIONS.fullmatch(
                    ast.unparse(requested)
                ):
                    yield f"{requested.lineno}: skipif {ast.unparse(requested)}"


def test_no_test_goes_round_what_says_what_is_missing() -> None:
    files = {path.relative_to(TESTS).as_posix(): path for path in TESTS.rglob("*.py")}
    assert set(files) > ITSELF
    results = sorted(set(files) - ITSELF)
    entries = [
        f"{name}:{way}" for name in results for way in ways_round(files[name].read_text("utf-8"))
    ]
    assert entries == [], "ask for it by a function of tests/needs.py"


def test_ci_installs_what_tests_name() -> None:
    """The packages of the needs are on the machine where no test must be skipped."""
    named = {
        package
        for path in TESTS.rglob("*.py")
        for names in re.findall(r'\bpackage="([^"]+)"', path.read_text("utf-8"))
        for package in names.split()
    }
    assert len(named) > 10
    installed = (TESTS.parent / ".ci" / "run").read_text("utf-8").split()
    assert named - set(installed) == {"coffee"}  # below


@pytest.mark.parametrize(
    "text",
    [
        'pytest.skip("no fish")',
        'psutil = pytest.importorskip("psutil")',
        "@pytest.mark.skip\ndef test(): ...",
        'if shutil.which("fish") is None: ...',
        "from shutil import which",
        "from pytest import skip",
        'importlib.util.find_spec("serial")',
        'os.environ.get("HEAPSCOPE_ALL")',
        'pytest.mark.skipif(not Path("/dev/full").exists(), reason="")',
        'pytest.mark.skipif(shutil.disk_usage("/").free < 5, reason="")',
    ],
)
def test_each_way_round_is_detected(text: str) -> None:
    assert list(ways_round(text))


def test_a_platform_and_a_wish_are_no_way_round() -> None:
    for condition in (
        'sys.platform == "win32"',
        'not (sys.platform == "linux" and os.uname().machine == "x86_64")',
        '"HEAPSCOPE_TRACE_PROCESSOR" not in os.environ',
    ):
        assert list(ways_round(f'pytest.mark.skipif({condition}, reason="")')) == []


ASKING = """
import pytest
from needs import need_program
class MissingError(Exception): ...
@pytest.fixture(scope="session")
def drink(): need_program("no-such-program", package="coffee")
def test_a_fixture(drink): ...
def test_once_more(drink): ...
def test_itself(): raise MissingError("tea; Debian package: tea")
def test_another_error(): raise OSError("no tea")
"""


@pytest.mark.parametrize("all_of_them", [False, True])
def test_what_is_missing_skips_a_test_or_fails_it(tmp_path: Path, all_of_them: bool) -> None:
    (tmp_path / "test_missing.py").write_text(ASKING, encoding="utf-8")
    ours = {name for name in os.environ if name.startswith(("HEAPSCOPE_", "PYTEST_"))}
    variables = {name: os.environ[name] for name in os.environ.keys() - ours}
    variables["PYTHONPATH"] = str(TESTS)
    variables["HEAPSCOPE_ALL"] = "1" if all_of_them else "0"
    options = ("-rA", "-q", "-p", "conftest", "-p", "no:cacheprovider", "--rootdir", tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, tmp_path],
        env=variables,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    for outcome in ("2 failed", "2 errors") if all_of_them else ("1 failed", "3 skipped"):
        assert outcome in done.stdout
    for missing in ("no-such-program; Debian package: coffee", "tea; Debian package: tea"):
        assert f"missing: {missing}" in done.stdout
