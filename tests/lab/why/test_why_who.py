"""Who holds the memory comes first, then what it is, then what helps in the order to try it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from heapscope.answers.why.explain import explain
from heapscope.answers.why.ideas_memory import growth_idea
from heapscope.capture.line_forms import import_text
from heapscope.cli.app import app
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.pool import pool_layout
from heapscope.render.text.why import why_parts

Make = Callable[[list[str]], Path]


def _server() -> list[str]:
    """300 requests, each with a block of its own; each third forgets 600 bytes."""
    lines = ["t web"]
    for number in range(300):
        lines += [f"a {3 * number} 900 @main;parse", f"a {3 * number + 1} 600 @main;open"]
        lines += [f"f {3 * number}"] + ([] if number % 3 == 1 else [f"f {3 * number + 1}"])
    return lines


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    (tmp_path / "t.txt").write_text("\n".join(_server()) + "\n", encoding="utf-8")
    import_text(tmp_path / "t.txt", tmp_path / "t.hst")
    return tmp_path / "t.hst"


def test_a_leak_is_named_first_and_freed_first(trace: Path) -> None:
    why = explain(trace, pool_layout(40_000, "idf-4.2"))
    (group,) = {one.site: one for one in why.groups[:1]}.values()
    assert group.first is not None
    case = group.first.case
    assert case.nature == "leak"
    first = case.holders[0]
    assert (first.task, first.verdict) == ("web", "leak")
    assert first.live == max(holder.live for holder in case.holders)
    assert first.hole == max(holder.hole for holder in case.holders)
    assert why.answer[0].startswith("'web' at open")
    assert "it leaks" in why.answer[0]
    assert why.answer[1].startswith("It is a leak")
    best = group.first.changes[0]
    assert (best.kind, best.outcome.failures) == ("free", 0)
    assert "100 blocks with 60,000 B" in best.text
    assert list(why_parts(why))


def test_one_moment_is_printed_and_all_of_them_on_demand(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("a 1 900 @a;x\na 2 90 @a;x\na 3 4000 @b;y\n", encoding="utf-8")
    import_text(tmp_path / "t.txt", tmp_path / "t.hst")
    printed = []
    for every in ((), ("--all",)):
        done = CliRunner().invoke(
            app, ["why", str(tmp_path / "t.hst"), "--pool", "600", "--allocator", "idf-5.5", *every]
        )
        printed.append(done.stdout.count("Failure group"))
        assert ("--all prints them" in done.stdout) == (not every)
    assert printed == [1, 2]


def test_a_leak_without_call_sites_is_freed_by_its_task(tmp_path: Path) -> None:
    lines = [line.split(" @")[0] for line in _server()]
    (tmp_path / "t.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    import_text(tmp_path / "t.txt", tmp_path / "t.hst")
    group = explain(tmp_path / "t.hst", pool_layout(40_000, "idf-4.2")).groups[0]
    assert group.first is not None
    assert group.first.case.holders[0].verdict == "leak"
    assert "100 blocks with 60,000 B" in group.first.changes[0].text


def test_no_region_of_a_chip_grows_beyond_it() -> None:
    """ESP32's SRAM1 ends where the region ends; 167,120 B more were once proposed."""
    layout = load_chip("esp32").layout(idf="5.3")
    shared = max(range(len(layout.regions)), key=lambda at: layout.regions[at].size)
    for index, region in enumerate(layout.regions):
        whole = [r for r in _whole(layout) if r.start <= region.start and region.end <= r.end]
        most = max((r.size for r in whole), default=region.size) - region.size
        assert growth_idea(layout, index, most + 4) is None
    assert layout.regions[shared].end <= 0x4000_0000


def _whole(layout: Layout) -> tuple[object, ...]:
    return load_chip("esp32").layout(idf=layout.sdk, static_dram=0, static_iram=0).regions


def test_failures_that_look_the_same_are_one_group(trace: Path) -> None:
    groups = explain(trace, pool_layout(40_000, "idf-4.2"), depth=1).groups
    keys = [(g.task, g.site, g.call, g.capabilities, g.smallest, g.reason) for g in groups]
    assert len(keys) == len(set(keys))
    assert np.sum([group.count for group in groups]) > len(groups)
