"""All Python tests share these settings: the seed of random inputs, which cases are slow, the times
of folders, the time after which no slow test begins, and what becomes of a test that needs more
than this machine has.

`--hypothesis-profile=full` gives hypothesis' tests many inputs, where they name no number.

HEAPSCOPE_UNTIL, in seconds since 1970, is the time after which no slow test begins. HEAPSCOPE_TURN
is a number that says with which file the tests begin, so that some turns together reach all.
HEAPSCOPE_FOLDERS names the file for the times, HEAPSCOPE_FAILED the one for what failed;
`tests/run.sh` reads and shows them.

A test that meets a MissingError (tests/needs.py) is skipped. With HEAPSCOPE_ALL=1 it fails.
"""

from __future__ import annotations

import functools
import os
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest
import typer.testing
from hypothesis import HealthCheck, settings

sys.path.append(str(Path(__file__).parent))  # for what tests import of here: needs, recording

# Both try the same inputs in every run, and neither fails where the machine is slow;
# `--hypothesis-profile=default` tries others each time.
SAME = settings(derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", SAME, max_examples=20)
settings.register_profile("full", SAME, max_examples=200)
settings.load_profile("quick")

# Typer makes the commands anew at every call, which takes most of a short one's time.
typer.testing._get_command = functools.cache(typer.testing._get_command)

NO_TIME = "no time was left for it"
# This process writes them, and none that it starts.
FOLDERS, FAILED = (os.environ.pop(f"HEAPSCOPE_{name}", "") for name in ("FOLDERS", "FAILED"))


@pytest.fixture
def seed() -> int:
    """The seed of random inputs: the same in every run, another one with HEAPSCOPE_SEED=N."""
    return int(os.environ.get("HEAPSCOPE_SEED", "1"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All cases of a test with the mark `cells(N)` are slow, but N that the seed chooses among
    those that are not slow by a mark of their own."""
    cases: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("cells") and not item.get_closest_marker("slow"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for test, all_of_it in cases.items():
        mark = all_of_it[0].get_closest_marker("cells")
        quick = min(len(all_of_it), mark.args[0] if mark else 0)
        chosen = random.Random(f"{os.environ.get('HEAPSCOPE_SEED', '1')} {test}")
        for item in set(all_of_it).difference(chosen.sample(all_of_it, quick)):
            item.add_marker("slow")


def begin_of_turn(turn: int, count: int) -> int:
    """The item with which a turn begins. pytest-xdist gives each worker a part of the list, and the
    ends of the parts come last. A step of sqrt(2) spreads the turns over the list and over each
    worker's part, since it never comes back to a place."""
    return int(turn * 2**0.5 % 1 * count)


@pytest.hookimpl(trylast=True, specname="pytest_collection_modifyitems")
def pytest_begin_in_turn(items: list[pytest.Item]) -> None:
    """Begins with another file in each turn; the tests of a file stay together."""
    turn = os.environ.get("HEAPSCOPE_TURN")
    if turn and items:
        begin = begin_of_turn(int(turn), len(items))
        while begin and items[begin].path == items[begin - 1].path:
            begin -= 1
        items[:] = items[begin:] + items[:begin]


def skip_what_is_missing() -> Generator[None, object, object]:
    try:
        return (yield)
    except Exception as error:
        if type(error).__name__ != "MissingError":
            raise
        if os.environ.get("HEAPSCOPE_ALL") == "1":
            pytest.fail(f"missing: {error}", pytrace=False)
        pytest.skip(f"missing: {error}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    return (yield from skip_what_is_missing())


@pytest.hookimpl(wrapper=True, specname="pytest_runtest_setup")
def pytest_runtest_fixtures() -> Generator[None, object, object]:
    return (yield from skip_what_is_missing())


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    until = os.environ.get("HEAPSCOPE_UNTIL")
    takes_long = item.get_closest_marker("slow") or item.get_closest_marker("hypothesis")
    if until and takes_long and time.time() > float(until):
        pytest.skip(NO_TIME)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not FOLDERS or not FAILED:
        return
    seconds: Counter[str] = Counter()
    too_late: Counter[str] = Counter()
    lines = []
    for report in (r for reports in terminalreporter.stats.values() for r in reports):
        if isinstance(report, pytest.TestReport):
            folder = report.nodeid.partition("::")[0].rpartition("/")[0]
            seconds[folder] += report.duration
            too_late[folder] += report.skipped and NO_TIME in str(report.longrepr)
        if isinstance(report, pytest.TestReport | pytest.CollectReport) and report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            first = str(crash.message if crash else report.longrepr).partition("\n")[0]
            lines.append(f"FAILED {report.nodeid}: {first[:200]}\n")
    with Path(FAILED).open("a", encoding="utf-8") as file:
        file.writelines(dict.fromkeys(lines))
    late = {
        folder: f", {count} did not fit into the time"
        for folder, count in too_late.items()
        if count
    }
    Path(FOLDERS).write_text(
        "".join(
            f"    {spent:7.0f} s in {folder}{late.get(folder, '')}\n"
            for folder, spent in seconds.most_common()
        ),
        encoding="utf-8",
    )
