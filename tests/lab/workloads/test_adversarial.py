"""The traces that are to hurt our heap: the bad call is the one that they end with, and the
adversary who fragments it needs as little live memory as docs/design/heap-tests.md says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .conftest import Script

#: Constructed trace to the kind of its last call, which is the most work of all calls of the kind,
#: and what it takes at least, in basic blocks: a usual malloc takes up to 34. The refused one looks
#: at as many blocks as the last look, but takes none.
LAST = {
    "malloc_refused": ("malloc", 34),
    "malloc_last_look": ("malloc", 40),
    "realloc_slides": ("realloc", 40),
    "realloc_moves": ("realloc", 90),
    "aligned_second_search": ("aligned", 90),
}
WORK = re.compile(r"(\w+) (\d+) at call (\d+)")


@pytest.fixture
def traces(script: Script, tmp_path: Path) -> tuple[Path, str]:
    """The folder with the traces, and what was printed."""
    return tmp_path, script("adversarial/make.py", "--out", tmp_path, "--search", "3000")


def calls(path: Path) -> list[str]:
    return [
        line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    ]


@pytest.mark.slow
def test_constructed_traces_end_with_the_bad_call(traces: tuple[Path, str]) -> None:
    folder, printed = traces
    for name, (kind, least) in LAST.items():
        line = next(line for line in printed.splitlines() if line.startswith(f"{name}:"))
        work = {match[1]: (int(match[2]), int(match[3])) for match in WORK.finditer(line)}
        assert work[kind][1] == len(calls(folder / f"{name}.txt")), line
        assert work[kind][0] > least, line


def live_at_most(lines: list[str]) -> int:
    """The most payload that ever lives; the last call, which fails, apart."""
    sizes: dict[str, int] = {}
    most = 0
    for line in lines[:-1]:
        kind, block, *size = line.split()
        if kind == "a":
            sizes[block] = int(size[0])
        else:
            del sizes[block]
        most = max(most, sum(sizes.values()))
    return most


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fragment_1k_small", "fragment_1k_wide"])
def test_an_adversary_needs_a_quarter_of_the_pool(traces: tuple[Path, str], name: str) -> None:
    path = traces[0] / f"{name}.txt"
    match = re.search(r"no more than (\d+) live, ([\d.]+) of it", path.read_text())
    assert match is not None
    lines = calls(path)
    assert lines[-1].startswith("a ")
    assert int(match[1]) - 1024 <= live_at_most(lines) <= int(match[1])
    assert 0.2 < float(match[2]) < 0.27
