"""The marker `heap` fails a test whose device breaks a budget, and leaves others alone."""

from __future__ import annotations

import subprocess
import sys

import pytest
from needs import MissingError

pytest_plugins = ("pytester",)

LOG = "free=51200 largest=30000 min=40000\\nfree=50000 largest=30000 min=39000\\n"


def run(pytester: pytest.Pytester, text: str, *more: str) -> pytest.RunResult:
    pytester.makepyfile("import pytest\n" + text)
    # An installation may have the plugin by its entry point already: it is loaded by name alone.
    pytester.syspathinsert()
    return pytester.runpytest_subprocess(
        "-p", "no:cacheprovider", "-p", "heapscope.cli.pytest_plugin", "-p", "no:heapscope", *more
    )


@pytest.mark.slow
def test_a_log_within_its_budgets_passes(pytester: pytest.Pytester) -> None:
    done = run(
        pytester,
        '@pytest.mark.heap(min_free="20KB", failures=0)\n'
        f'def test_it(heap):\n    heap.log("{LOG}")\n',
    )
    done.assert_outcomes(passed=1)


def test_a_broken_budget_fails_the_test_with_its_report(pytester: pytest.Pytester) -> None:
    done = run(
        pytester,
        f'@pytest.mark.heap(min_free="60KB")\ndef test_it(heap):\n    heap.log("{LOG}")\n',
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*min_free is 39,000 B; the budget is at least 61,440 B.*"])
    done.stdout.fnmatch_lines(["*- Captured heap call -*"])


@pytest.mark.slow
def test_a_trace_is_replayed_on_the_memory_of_the_marker(pytester: pytest.Pytester) -> None:
    done = run(
        pytester,
        "from heapscope import import_\n"
        '@pytest.mark.heap(min_free="20KB", need=50000, pool="64KB", allocator="tlsf")\n'
        "def test_it(heap, tmp_path):\n"
        '    (tmp_path / "T.txt").write_text("a 1 20000\\n")\n'
        '    import_(tmp_path / "T.txt", tmp_path / "T.hst")\n'
        '    heap.trace(tmp_path / "T.hst")\n',
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*need:50000*is 4?,??? B; the budget is at least 50,000 B.*"])


@pytest.mark.slow
def test_a_mistyped_budget_and_a_missing_input_are_reported(pytester: pytest.Pytester) -> None:
    done = run(
        pytester,
        "@pytest.mark.heap(min_fre=1)\ndef test_typed(heap):\n"
        f'    heap.log("{LOG}")\n'
        '@pytest.mark.heap(leak="0 B/round")\ndef test_missing(heap):\n'
        f'    heap.log("{LOG}")\n',
    )
    done.assert_outcomes(failed=2)
    done.stdout.fnmatch_lines(["*did you mean min_free?*", "*no input that tells it*"])


@pytest.fixture
def pytest_embedded(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Installed for one test: where it is, it is a part of every run."""
    folder = pytester.mkdir("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", folder]
    if subprocess.run([*pip, "pytest-embedded"], check=False).returncode != 0:
        raise MissingError("pytest-embedded; Python package: pytest-embedded")
    monkeypatch.setenv("PYTHONPATH", str(folder))


@pytest.mark.slow
@pytest.mark.usefixtures("pytest_embedded")
def test_the_log_of_a_device_of_pytest_embedded_is_judged(pytester: pytest.Pytester) -> None:
    done = run(
        pytester,
        '@pytest.mark.heap(min_free="60KB")\n'
        "def test_it(dut, redirect):\n"
        "    with redirect():\n"
        f'        print("{LOG}")\n'
        '    dut.expect("min=39000")\n',
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*min_free is 39,000 B; the budget is at least 61,440 B.*"])
