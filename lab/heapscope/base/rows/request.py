"""A request in a result, which has the same two keys in every document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from heapscope.base.capabilities import MALLOC
from heapscope.base.request import Request, request_text
from heapscope.base.rows.bound import EXACT
from heapscope.base.rows.figure import figure, in_bytes
from heapscope.base.rows.row import Row


class RequestRow(Row):
    """A request that was asked about."""

    size: int = in_bytes("Bytes of the request.", "Need", bound=EXACT)
    capabilities: str = figure(
        "Capabilities joined with |, for example DMA|8BIT; malloc: malloc's own rule.",
        heading="from",
    )

    @classmethod
    def of(cls, request: Request, **more: Any) -> Self:
        """`more`: the other figures of the row."""
        return cls(size=request.size, capabilities=request.capabilities, **more)

    @property
    def text(self) -> str:
        """The text that a user writes."""
        return request_text(self.size, self.capabilities)

    @property
    def is_malloc(self) -> bool:
        """By malloc's own rule, and not for capabilities."""
        return self.capabilities == MALLOC

    def is_of(self, request: Request | None) -> bool:
        return request is not None and self.text == request.text


def with_room(requests: Sequence[Request] | Sequence[RequestRow]) -> str:
    """The end of a sentence about what has room for these; empty without any."""
    which = f"request{'' if len(requests) == 1 else 's'} {' and '.join(r.text for r in requests)}"
    return f", with room for the {which} at every moment" if requests else ""
