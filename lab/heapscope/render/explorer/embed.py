"""The engine and a trace as inert data of a page, and the memories to replay on in it."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heapscope.base.capabilities import CAPABILITIES
from heapscope.base.request import Request
from heapscope.memory.layout.chips import chip_names, load_chip
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.placement import Placement
from heapscope.memory.layout.pool import pool_layout
from heapscope.memory.layout.versions import chip_minors
from heapscope.native.engine import config_json, engine_bytes, exact, interface
from heapscope.native.engine import has_engine as has_engine
from heapscope.native.reader import NameTable, NativeReader
from heapscope.simulation.replay.config import native_config
from heapscope.trace.all_names import AllNames

#: Bytes of a trace in a page at most, compressed, where nothing else is asked for.
EMBED_LIMIT = 8_000_000
#: Sites of a trace whose names the page has beside it, at most.
SITES_MOST = 100_000
_PIECE = 1 << 18  # bytes that are compressed at once
_GZIP = 31  # zlib's word for its largest window in gzip's format
_GZIP_END = 16  # bytes of the last block and what follows it
#: Bytes of the pools that a page offers.
POOLS = tuple(1 << power for power in range(20, 13, -1))
#: Spans of the page's timeline at most.
BUCKETS = 1024


@dataclass(frozen=True, kw_only=True)
class EmbeddedTrace:
    """A trace in a page. `share`: the part of its bytes that is there. `summary`: what a census
    finds in that part, so that the page need not read it once more before it replays it; None: it
    has so many names that the page reads them itself."""

    packed: bytes
    share: float
    summary: Mapping[str, Any] | None

    @property
    def whole(self) -> bool:
        return self.share == 1.0


def embed(pieces: Iterable[bytes], limit: int) -> EmbeddedTrace | None:
    """The trace, compressed; where that has more than `limit` bytes, its beginning. None: no heap
    event is in that."""
    beginning = _Beginning(limit)
    with NativeReader() as reader:
        for piece in pieces:
            reader.push(piece[: beginning.take(piece)])
        reader.finish()
        census = reader.census()
        if census.events == 0 and not beginning.whole:
            return None
        summary = _summary(reader) if census.sites <= SITES_MOST else None
    return EmbeddedTrace(packed=beginning.packed(), share=beginning.share, summary=summary)


class _Beginning:
    """The first bytes of a trace, of which at most `limit` are left by compression."""

    def __init__(self, limit: int) -> None:
        self._limit = limit - _GZIP_END
        self._packer = zlib.compressobj(6, wbits=_GZIP)
        self._packed = bytearray()
        self._kept = self._size = 0

    @property
    def whole(self) -> bool:
        return self._kept == self._size

    @property
    def share(self) -> float:
        return self._kept / self._size if self._size else 1.0

    def take(self, piece: bytes) -> int:
        """The next bytes; returns how many of them are kept."""
        begin, step = 0, _PIECE if self.whole else 0
        self._size += len(piece)
        while step and begin < len(piece):
            packer, part = self._packer.copy(), piece[begin : begin + step]
            more = packer.compress(part) + packer.flush(zlib.Z_SYNC_FLUSH)
            if len(self._packed) + len(more) <= self._limit:
                self._packer, self._packed = packer, self._packed + more
                begin += len(part)
            else:
                step //= 2  # what is left of the limit may hold a part of it
        self._kept += begin
        return begin

    def packed(self) -> bytes:
        return bytes(self._packed + self._packer.flush())


def trace_summary(trace: bytes) -> dict[str, Any]:
    """The summary that the page's worker would compute of a trace that it opens."""
    with NativeReader() as reader:
        reader.push(trace)
        reader.finish()
        return _summary(reader)


def _summary(reader: NativeReader) -> dict[str, Any]:
    census, health = vars(reader.census()), vars(reader.health())
    tables = {"tasks": NameTable.TASK, "marks": NameTable.MARK, "sites": NameTable.SITE}
    names = {
        key: {str(index): _plain(name) for index, name in reader.names(table).items()}
        for key, table in tables.items()
    }
    metadata = {key: _plain(value) for key, value in reader.metadata().items()}
    return {**exact({"census": census, "health": health}), **names, "metadata": metadata}


def _plain(name: bytes | None) -> str | None:
    """A name as a browser decodes it."""
    return None if name is None else name.decode("utf-8", "replace").removeprefix("\ufeff")


def _packed(raw: bytes | bytearray) -> bytes:
    return gzip.compress(raw, 9, mtime=0)


def memory_json(
    layout: Layout,
    *,
    needs: Sequence[Request] = (),
    placement: Placement | None = None,
    names: AllNames | None = None,
) -> dict[str, Any]:
    """A memory of the page's list: its name, its regions' names, and what the engine takes."""
    if placement is not None:
        layout = placement.apply(layout)
    config = native_config(
        layout, needs=needs, capsets=None, buckets=BUCKETS, placement=placement, names=names
    )
    return {
        "name": layout.name,
        "regions": [f"{region.kind} {region.start:#010x}" for region in layout.regions],
        "pool": not layout.chip and len(layout.regions) == 1,
        "config": config_json(config),
    }


def pools() -> list[dict[str, Any]]:
    """Pools of round sizes, for a trace of no known chip."""
    return [memory_json(pool_layout(size)) for size in POOLS]


def chip_memories() -> list[dict[str, Any]]:
    """The default memory of every chip under every minor release that has it, the newest first."""
    return [
        memory_json(chip.layout(idf=minor))
        for chip in map(load_chip, chip_names())
        for minor in reversed(chip_minors(chip.data))
    ]


def packed_parts(
    memories: Sequence[dict[str, Any]],
    palette: Mapping[str, Any],
    *,
    looks: Mapping[str, tuple[str, int]] | None = None,
    trace: EmbeddedTrace | None = None,
) -> dict[str, str]:
    """The texts of a page by their names: the engine, what its scripts read, the trace. `looks`: of
    the tasks, as the page's other pictures have them."""
    summary = None if trace is None else trace.summary
    facts = {
        "face": {**interface(), "capabilities": CAPABILITIES},
        "memories": list(memories),
        **palette,
        "looks": looks,
    } | ({} if summary is None else {"trace": summary})
    text = json.dumps(facts, separators=(",", ":"), allow_nan=False)
    parts = {"engine": engine_bytes(), "explore": text.encode("ascii")}
    built = {name: _text(_packed(part)) for name, part in parts.items()}
    return built if trace is None else {**built, "trace": _text(trace.packed)}


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
