"""Pools whose sizes are one choice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from heapscope.answers.pools.pool_trace import Kind, PoolTrace
from heapscope.base.errors import InputError

#: At the end of a pool's name: the address that PJLIB puts there for %p.
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+$")
#: In the name of an option: PJNATH_POOL_LEN_NATCK, PJSIP_POOL_RDATA_LEN.
_LENGTH = re.compile(r"_LEN(?=_|$)")
OPTION = "@"  #: NAME@OPTION: the option that says the initial size


def without_address(name: str) -> str:
    """The name that all pools of one kind share."""
    return _ADDRESS.sub("", name) or name


@dataclass(frozen=True, order=True)
class Sizes:
    initial: int  # bytes
    increment: int

    def text(self) -> str:
        return f"{self.initial}:{self.increment}"


@dataclass(frozen=True, kw_only=True)
class PoolGroup:
    """`option`: the name of its initial size in the source; None: it has none. `free`: other sizes
    may be tried. `recorded`: those of its pools, several where they differ."""

    name: str
    option: str | None
    free: bool
    members: tuple[str, ...]  # names of its pools without addresses
    recorded: tuple[Sizes, ...]
    chosen: NDArray[np.uint8]  # 1 for its pools, by index

    def defines(self, sizes: Sizes) -> tuple[str, ...]:
        """Lines for a header; where an option's name is not known, a comment that says what to
        change."""
        if self.option is None:
            name = self.name.replace("*/", "* /")  # whoever named it does not end the comment
            return (f"/* pool {name}: initial {sizes.initial}, increment {sizes.increment} */",)
        increment = _LENGTH.sub("_INC", self.option, count=1)
        return (
            f"#define {self.option} {sizes.initial}",
            f"#define {increment} {sizes.increment}"
            if increment != self.option
            else f"/* pools of {self.option}: increment {sizes.increment} */",
        )


def find_groups(trace: PoolTrace) -> tuple[PoolGroup, ...]:
    """By option where the pools' names tell it, else by name. Where any pool has one, the sizes of
    those without are the program's own and stay."""
    labels = [_label(name) for name in trace.names]
    created = trace.events[trace.events["kind"] == Kind.CREATE]
    seen = np.unique(created["key"]).astype(int)
    with_option = any(labels[index][1] is not None for index in seen)
    names = sorted({labels[index][0] for index in seen})
    return tuple(_group(name, labels, created, with_option, trace.rule.follow) for name in names)


def agreed(traces: Sequence[PoolTrace]) -> list[tuple[PoolGroup, ...]]:
    """Merges the groups of several traces. A group with fixed sizes in one trace is fixed in
    all. InputError: other sizes may be tried, and the traces' pools do not count alike."""
    groups = [find_groups(trace) for trace in traces]
    can = any(group.free for own in groups for group in own)
    if can and any(trace.rule != traces[0].rule for trace in traces):
        raise InputError(
            "the traces are of pools that count differently", remedy="give those of one program"
        )
    fixed = {group.name for own in groups for group in own if not group.free}
    return [tuple(replace(group, free=group.name not in fixed) for group in own) for own in groups]


def _group(
    name: str,
    labels: Sequence[tuple[str, str | None, str]],
    created: np.ndarray,
    with_option: bool,
    follow: bool,
) -> PoolGroup:
    chosen = np.array([label[0] == name for label in labels], np.uint8)
    own = created[chosen[created["key"].astype(int)] == 1]
    pairs = np.unique(np.stack([own["size"], own["new_key"]], axis=1), axis=0)
    option = next(label[1] for label in labels if label[0] == name)
    return PoolGroup(
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
    own = without_address(own)
    if at and option.isidentifier():
        return option, option, own
    return own, None, own
