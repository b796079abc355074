"""One replay as the command line asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from heapscope.cli.layout_choice import choose_memory, choose_placement
from heapscope.cli.progress import progress_bar
from heapscope.cli.shared import LayoutOptions
from heapscope.errors import HeapscopeError
from heapscope.layout.need import parse_need
from heapscope.measure.result import ReplayResult
from heapscope.replay.config import Need
from heapscope.replay.run import replay
from heapscope.sizes import parse_size
from heapscope.trace.all_names import AllNames, read_all_names

__all__ = ["parse_needs", "run"]

NEEDS_MAX = 8


def run(
    trace: Path, options: LayoutOptions, needs: Sequence[str], *, explain: int | None = None
) -> ReplayResult:
    memory = choose_memory(options, trace)
    wanted = parse_needs(needs)
    placement = choose_placement(options, memory.layout)
    names = None if placement is None or not placement.by_name else _names(trace)
    with progress_bar("replaying") as bar:
        result = replay(
            trace,
            memory.layout,
            needs=wanted,
            explain=explain,
            placement=placement,
            names=names,
            progress=bar,
        )
    return result if memory.static is None else memory.static.complete(result)


def _names(trace: Path) -> AllNames:
    with progress_bar("reading names") as bar:
        return read_all_names(trace, progress=bar)


def parse_needs(texts: Sequence[str]) -> list[Need]:
    """The values of --need, each once."""
    needs = list(dict.fromkeys(_need(text) for text in texts))
    if len(needs) > NEEDS_MAX:
        raise HeapscopeError(
            f"{len(needs)} needs, at most {NEEDS_MAX} in one replay",
            remedy="leave some out, or replay again for the others",
        )
    return needs


def _need(text: str) -> Need:
    """Sizes with units too: "4KB:DMA"."""
    number, colon, capabilities = text.partition(":")
    size = parse_size(number, what="--need")
    return parse_need(f"{size}{colon}{capabilities}")
