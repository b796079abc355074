"""A plugin of pytest: the marker `heap` holds what a test's device said against budgets.

The budgets are those of heapscope.toml (docs/reference/check.md). The log of the device of
pytest-embedded is judged, where the test has one, and so is what the test gives to the fixture
`heap`. The plugin itself imports nothing heavy: every run of pytest loads it.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from heapscope.fleet.budgets.budget import Budget
    from heapscope.fleet.budgets.check_result import CheckResult

_KEY = pytest.StashKey["Heap"]()


class Heap:
    """The files that a test gives to be judged, besides the log of its device."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.logs: list[Path] = []
        self.traces: list[Path] = []
        self.memory: dict[str, Any] = {}

    def log(self, source: str | Path) -> None:
        """A log: a file, or the text itself, which has more than one line."""
        if isinstance(source, str) and "\n" in source:
            file = self._folder / f"heap-{len(self.logs)}.log"
            file.write_text(source, encoding="utf-8", newline="\n")
            source = file
        self.logs.append(Path(source))

    def trace(self, file: str | Path, **memory: Any) -> None:
        """A trace, and the memory to replay it on: options as of heapscope.replay()."""
        self.traces.append(Path(file))
        self.memory |= memory


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        'heap(min_free="20KB", need=16717, leak="0 B/round", chip="esp32", ...): budgets for the '
        "heap of the test's device, as in heapscope.toml, and options of its memory",
    )


@pytest.fixture
def heap(request: pytest.FixtureRequest, tmp_path: Path) -> Heap:
    """Takes the logs and traces that the test's budgets are held against."""
    built: Heap = request.node.stash.setdefault(_KEY, Heap(tmp_path))
    return built


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Judges when the test's own code is over; a test that failed keeps its own failure."""
    try:
        done = yield
    except Exception:
        _attach(item, _judged(item, quiet=True))
        raise
    result = _judged(item, quiet=False)
    if result is not None and not result.passed:
        _attach(item, result)
        lines = [" ".join(filter(None, (row.sentence, row.cause))) for row in result.failing]
        pytest.fail("\n".join([result.verdict, *lines]), pytrace=False)
    return done


def _judged(item: pytest.Item, *, quiet: bool) -> CheckResult | None:
    """None: the test has no budgets. `quiet`: inputs that cannot be used are left alone, since the
    test failed already."""
    marks = list(item.iter_markers("heap"))
    if not marks:
        return None
    from heapscope.base.errors import HeapscopeError
    from heapscope.cli.verbs.checked import check_run

    stated: dict[str, Any] = {}
    for mark in reversed(marks):  # the nearest one counts
        stated |= mark.kwargs
    try:
        run = _run(item, stated)
        return check_run(run)
    except HeapscopeError as error:
        if quiet:
            return None
        remedy = f"\nremedy: {error.remedy}" if error.remedy else ""
        pytest.fail(f"heap: {error.message}{remedy}", pytrace=False)


def _run(item: pytest.Item, stated: Mapping[str, Any]) -> Any:
    from heapscope.base.choices import did_you_mean
    from heapscope.base.errors import InputError
    from heapscope.fleet.budgets.budget import KINDS, budgets_of
    from heapscope.fleet.budgets.plan import build_run
    from heapscope.memory.options import DECLARED

    given = item.stash.get(_KEY, None)
    logs = [] if given is None else [*given.logs]
    device = getattr(item, "funcargs", {}).get("dut")
    for one in device if isinstance(device, tuple | list) else [device]:
        file = getattr(one, "logfile", None)
        if isinstance(file, str | Path):
            logs.append(Path(file))
    memory = {} if given is None else dict(given.memory)
    budgets: list[Budget] = []
    for name, value in stated.items():
        if name in KINDS:
            budgets += budgets_of(name, value)
        elif name in DECLARED:
            memory.setdefault(name, value)
        else:
            valid = [*KINDS, *DECLARED]
            hint = did_you_mean(name, valid)
            raise InputError(
                f"the marker heap has no '{name}'", remedy=f"{hint}valid: {', '.join(valid)}"
            )
    traces = [] if given is None else given.traces
    return build_run(item.name, traces=traces, logs=logs, memory=memory, budgets=budgets)


def _attach(item: pytest.Item, result: CheckResult | None) -> None:
    """The tables of the check, as a section of the test's report."""
    if result is None:
        return
    from io import StringIO

    from rich.console import Console

    from heapscope.base.languages import job_lines
    from heapscope.cli.verbs.shown import show

    text = StringIO()
    show(result, Console(file=text, width=110, color_system=None))
    item.add_report_section("call", "heap", job_lines(text.getvalue()))
