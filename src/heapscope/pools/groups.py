"""Pools whose sizes are one choice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heapscope.pools.pool_trace import Kind, PoolTrace

__all__ = ["Group", "Sizes", "find_groups"]

#: At the end of a pool's name: the address that PJLIB puts there for %p.
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+$")
OPTION = "@"  #: NAME@OPTION: the option that says the initial size


@dataclass(frozen=True, order=True)
class Sizes:
    initial: int  # bytes
    increment: int

    def text(self) -> str:
        return f"{self.initial}:{self.increment}"


@dataclass(frozen=True, kw_only=True)
class Group:
    """`option`: the name of its initial size in the source; None: it has none. `free`: other sizes
    may be tried. `recorded`: those of its pools, several where they differ."""

    name: str
    option: str | None
    free: bool
    members: tuple[str, ...]  # names of its pools without addresses
    recorded: tuple[Sizes, ...]
    chosen: NDArray[np.uint8]  # 1 for its pools, by index

    def defines(self, sizes: Sizes) -> tuple[str, ...]:
        """Lines for a header; without an option, a comment that says what to change."""
        if self.option is None:
            return (
                f"/* pool {self.name}: initial {sizes.initial}, increment {sizes.increment} */",
            )
        increment = self.option.replace("_LEN_", "_INC_", 1)
        return (
            f"#define {self.option} {sizes.initial}",
            *([f"#define {increment} {sizes.increment}"] if increment != self.option else []),
        )


def find_groups(trace: PoolTrace) -> tuple[Group, ...]:
    """By option where the pools' names tell it, else by name. Where any pool has one, the sizes of
    those without are the program's own and stay."""
    labels = [_label(name) for name in trace.names]
    created = trace.events[trace.events["kind"] == Kind.CREATE]
    seen = np.unique(created["key"]).astype(int)
    with_option = any(labels[index][1] is not None for index in seen)
    names = sorted({labels[index][0] for index in seen})
    return tuple(_group(name, labels, created, with_option, trace.rule.follow) for name in names)


def _group(
    name: str,
    labels: Sequence[tuple[str, str | None, str]],
    created: np.ndarray,
    with_option: bool,
    follow: bool,
) -> Group:
    chosen = np.array([label[0] == name for label in labels], np.uint8)
    own = created[chosen[created["key"].astype(int)] == 1]
    pairs = np.unique(np.stack([own["size"], own["new_key"]], axis=1), axis=0)
    option = next(label[1] for label in labels if label[0] == name)
    return Group(
        name=name,
        option=option,
        free=not follow and (option is not None or not with_option),
        members=tuple(sorted({label[2] for label in labels if label[0] == name})),
        recorded=tuple(Sizes(int(initial), int(increment)) for initial, increment in pairs),
        chosen=chosen,
    )


def _label(name: str) -> tuple[str, str | None, str]:
    """The group's name, its option, and the pool's own name."""
    own, at, option = name.partition(OPTION)
    own = _ADDRESS.sub("", own) or own
    if at and option.isidentifier():
        return option, option, own
    return own, None, own
