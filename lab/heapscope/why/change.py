"""A change that was tried by replaying the whole trace with it, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.measure.record import Record

__all__ = ["EFFORTS", "Change", "Effort", "Outcome"]


@dataclass(frozen=True, kw_only=True)
class Effort:
    """What people have to do. `worth` is what that is taken to be worth in bytes of RAM: a choice,
    not a measurement (docs/design/why.md). It only ranks changes; every outcome is shown beside."""

    title: str
    worth: int


EFFORTS = {
    "memory": Effort(title="memory from elsewhere", worth=0),
    "configuration": Effort(title="a configuration option", worth=1 << 10),
    "order": Effort(title="the order of start-up", worth=2 << 10),
    "request": Effort(title="the code that asks", worth=4 << 10),
    "regions": Effort(title="the SDK's table of regions", worth=6 << 10),
    "allocator": Effort(title="another allocator", worth=8 << 10),
    "feature": Effort(title="one block fewer in use", worth=12 << 10),
    "private heap": Effort(title="a private heap", worth=16 << 10),
}


@dataclass(frozen=True, kw_only=True)
class Outcome(Record):
    """What the replay with the change gave. `failures` of the whole trace; `minimum_free` is
    malloc's; `short_events`: events after which the need did not fit (null for a request of the
    trace)."""

    served: bool
    failures: int
    minimum_free: int
    short_events: int | None


@dataclass(frozen=True, kw_only=True)
class Change(Record):
    """`kind` is memory, threshold, knob, order, early, capability, allocator, poisoning, fewer or
    private; `text` says what to do; `options` is the command line that shows it, where there is
    one, and `rules` the lines of the file that --place in it means; `effort` is a key of EFFORTS,
    `given_up` bytes of RAM that the change costs, `cost` the sum of both, by which changes are
    ranked."""

    kind: str
    text: str
    options: str
    rules: tuple[str, ...]
    effort: str
    given_up: int
    cost: int
    outcome: Outcome
    result: str  # the outcome in words
