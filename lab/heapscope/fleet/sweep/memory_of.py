"""The memory of a cell, in the terms of the native library."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from heapscope.base.request import Request
from heapscope.forecast.predict.memory_choice import choose_memory
from heapscope.memory.choose import NO_RULES, choose_placement
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.placement import Placement
from heapscope.memory.options import DECLARED, given
from heapscope.native.config import NativeConfig
from heapscope.simulation.replay.config import native_config
from heapscope.simulation.replay.unfit import check_kinds
from heapscope.trace.all_names import AllNames

_KEPT = 1024  # memories, each of some KB: a grid's configurations come again with every trace

#: Where one of them is given and no load is, the memory is the same for every trace.
_ALONE = ("chip", "pool", "layout")

Stated = tuple[tuple[str, str], ...]


def memory_of(
    options: Mapping[str, str],
    *,
    trace: Path,
    needs: Sequence[Request],
    file: Callable[[str], Path],
    names: Callable[[], AllNames],
) -> tuple[NativeConfig, Layout]:
    """The memory that `heapscope replay` makes of the same options, without a timeline and with
    the figures of malloc alone. `file`: where the content of a file that an option
    names is. InputError: there is no such memory."""
    results = tuple(
        (name, str(file(value)) if DECLARED[name].file and value != NO_RULES else value)
        for name, value in options.items()
    )
    same = any(name in options for name in _ALONE) and "load" not in options
    chosen = _chosen(results, None if same else trace)
    if chosen.by_name:
        return _config(chosen.layout, chosen.placement, needs, names()), chosen.layout
    return _unnamed(chosen, tuple(needs)), chosen.layout


class _Chosen:
    """Compared by what it is, not by what it holds, so that looking one up costs nothing."""

    def __init__(self, layout: Layout, placement: Placement | None) -> None:
        self.layout = layout
        self.placement = placement
        self.by_name = bool(layout.tenants) or (placement is not None and placement.by_name)


@functools.lru_cache(maxsize=_KEPT)
def _chosen(stated: Stated, trace: Path | None) -> _Chosen:
    memory = given(dict(stated))
    layout = choose_memory(memory, trace).layout
    placement = choose_placement(memory, layout)
    layout.check()
    if placement is not None:
        layout = placement.apply(layout)
    check_kinds(layout)
    return _Chosen(layout, placement)


@functools.lru_cache(maxsize=_KEPT)
def _unnamed(chosen: _Chosen, needs: tuple[Request, ...]) -> NativeConfig:
    return _config(chosen.layout, chosen.placement, needs, None)


def _config(
    layout: Layout, placement: Placement | None, needs: Sequence[Request], names: AllNames | None
) -> NativeConfig:
    return native_config(
        layout,
        needs=needs,
        capsets=(),
        buckets=0,
        placement=placement,
        names=names,
    )
