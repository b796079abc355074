"""What `heapscope pools` hands over."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from heapscope.verb_result import VerbResult

__all__ = ["Advice", "GroupRow", "PoolHolding", "PoolsResult", "SizeChoice", "SizeRow", "TraceRows"]


@dataclass(frozen=True, kw_only=True)
class SizeRow:
    initial: int  # bytes
    increment: int


@dataclass(frozen=True, kw_only=True)
class PoolHolding:
    """Bytes of all pools at a moment. `other`: the same with the sizes of --set."""

    name: str
    used: int
    allocated: int
    other_used: int | None = None
    other_allocated: int | None = None


@dataclass(frozen=True, kw_only=True)
class GroupRow:
    """Pools whose sizes are one choice; `used` and `allocated` at the peak of all."""

    name: str
    option: str | None
    free: bool  # may be given other sizes
    members: tuple[str, ...]
    sizes: tuple[SizeRow, ...]  # recorded
    pools: int
    calls: int  # blocks asked of the heap
    used: int
    allocated: int


@dataclass(frozen=True, kw_only=True)
class TraceRows:
    """`unlike`: requests at which a pool grew otherwise than the replay says, of `growths`; None:
    it is not known how these pools grow. `other_*`: with the sizes of --set."""

    file: str
    pools: int
    requests: int
    calls: int
    growths: int
    unlike: int | None
    marks: tuple[PoolHolding, ...]
    peak: PoolHolding  # named after the mark that follows
    other_peak: int | None
    other_calls: int | None
    groups: tuple[GroupRow, ...]
    loss: dict[str, Any] | None = None  # as in replay's JSON; None: every event is there


@dataclass(frozen=True, kw_only=True)
class SizeChoice:
    """`allocated`: the sum of the traces' peaks; `calls`: of all of them."""

    allocated: int
    calls: int
    sizes: dict[str, SizeRow]


@dataclass(frozen=True, kw_only=True)
class Advice:
    """`lazy`: 128 bytes for all that may change. `chosen`: the least memory in `calls` calls."""

    calls: int
    recorded: SizeChoice
    lazy: SizeChoice | None
    front: tuple[SizeChoice, ...]
    chosen: SizeChoice | None
    defines: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class PoolsResult(VerbResult):
    main_table = "traces"

    traces: tuple[TraceRows, ...]
    advice: Advice | None
    messages: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {"heapscope_pools": 2}
        return document | asdict(self)
