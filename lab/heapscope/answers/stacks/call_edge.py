"""A call, as the bounds of stacks count it."""

from __future__ import annotations

from typing import NamedTuple


class CallEdge(NamedTuple):
    """`depth`: bytes of the caller's frame when control leaves; `callee`: a function's number."""

    depth: int
    callee: int
    tail: bool
