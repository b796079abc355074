"""The pool events of a trace, and how its pools count."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from heapscope.answers.pools.holdings import POOLS
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.native.events import Events, event_dtype, keep_events, take_events
from heapscope.native.pools import POOL_SIZES_MAX, PoolRule
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.feed import read_trace
from heapscope.trace.loss import Loss, is_cut, loss_of
from heapscope.trace.names import Names, mark_names
from heapscope.trace.source import Progress

RULE = "pools"  #: metadata: format/SPEC.md
PJLIB = "pjlib"
BYTES_MAX = 1 << 40  #: of a block or a request; sums of so many fit into 64 bits


@dataclass(frozen=True)
class Kind:
    """hs_event_kind_t"""

    MARK = 7
    CREATE = 11
    GROW = 12
    ALLOC = 13
    RELEASE = 14


@dataclass(frozen=True, kw_only=True)
class PoolTrace:
    """`events` are those of pools, and marks; `names` by pool."""

    file: str
    events: Events
    names: tuple[str, ...]
    marks: tuple[tuple[str, int], ...]  # name, index in events
    rule: PoolRule
    messages: tuple[str, ...]  # damage
    loss: Loss | None = None  # of events; None: all are there


def read_pools(path: str | Path, *, progress: Progress | None = None) -> PoolTrace:
    """InputError: no trace, no pool events in it, or a rule that cannot be read."""
    with NativeReader() as reader:
        keep_events(reader)
        health = read_trace(path, reader, progress=progress)
        kept = [_own(rows) for rows in take_events(reader)]
        events = np.concatenate(kept) if kept else np.zeros(0, event_dtype())
        file = printable(str(path), limit=400)
        is_pool = events["kind"] >= Kind.CREATE
        loss = loss_of(health, POOLS)
        if is_cut(loss) and not is_pool.any():
            raise InputError(
                f"{file}: no pool event before the loss: {loss.sentences()[0]}",
                remedy="record it again, or look at what is left: heapscope replay",
            )
        if not is_pool.any():
            raise InputError(
                f"{file}: no pool events in it",
                remedy="record them (docs/guide/pools-trace.md), or import a dump: "
                "heapscope import FILE -o T.hst",
            )
        if RULE in health.unknown:
            raise InputError(
                f"{file}: its metadata is damaged, which may have told how its pools count",
                remedy="record it again, or import the dump again",
            )
        _check(file, events[is_pool])
        pools, places_of = np.unique(events["key"][is_pool], return_inverse=True)
        events["key"][is_pool] = places_of.reshape(-1)  # a file chooses how high they are
        names = Names(noun="pool", known=reader.names(NameTable.POOL), limit=128)
        marks = mark_names(reader.names(NameTable.MARK))
        places = np.flatnonzero(events["kind"] == Kind.MARK)
        return PoolTrace(
            file=file,
            events=events,
            names=tuple(names[int(index)] for index in pools),
            marks=tuple((marks[int(events["key"][at])], int(at)) for at in places),
            rule=_rule(file, reader.metadata().get(RULE, b"")),
            messages=health.messages if loss is None else (*loss.sentences(), *loss.reasons),
            loss=loss,
        )


def _own(rows: Events) -> Events:
    chosen: Events = rows[(rows["kind"] >= Kind.CREATE) | (rows["kind"] == Kind.MARK)]
    return chosen


def _check(file: str, events: Events) -> None:
    most = max(int(events[field].max()) for field in ("size", "new_key"))
    if most > BYTES_MAX:
        raise InputError(
            f"{file}: a pool event of {most:,} bytes", remedy="no pool has so many: record it again"
        )


def _rule(file: str, raw: bytes) -> PoolRule:
    """ "pjlib pool=80 block=20 align=4 sizes=256 512 ..."; of other pools it is not known how they
    grow."""
    words = raw.decode("ascii", "replace").split()
    if not words or words[0] != PJLIB:
        return PoolRule()
    reported = " ".join(words[1:]).partition(" sizes=")
    try:
        pairs = dict(pair.split("=") for pair in reported[0].split())
        head = {key: int(pairs[key]) for key in ("pool", "block", "align")}
        sizes = tuple(int(size) for size in reported[2].split())
    except (KeyError, ValueError):
        head, sizes = {}, ()
    wrong = (
        not head or head["align"] not in (1, 2, 4, 8, 16, 32, 64) or list(sizes) != sorted(sizes)
    )
    limits = (*head.values(), *sizes)
    wrong |= 0 in sizes
    if wrong or len(sizes) > POOL_SIZES_MAX or not all(0 <= one < 1 << 31 for one in limits):
        raise InputError(
            f"{file}: its metadata says of its pools: {printable(raw)}",
            remedy="expected: pjlib pool=80 block=20 align=4 sizes=256 512 1024",
        )
    return PoolRule(follow=False, sizes=sizes, **head)
