"""Requests of a heap that a user asks about: `--need 16717:DMA|8BIT` of every verb."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from heapscope.base import capabilities
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.sizes import parse_size

SIZE_MAX = (1 << 32) - 1  #: bytes
REQUESTS_MAX = 8  #: of one replay

_GOAL = re.compile(r"[<>=]")


@dataclass(frozen=True)
class Request:
    """Bytes, and the capabilities that their memory has to have; 0: malloc's own rule."""

    size: int
    caps: int = 0

    @property
    def capabilities(self) -> str:
        """ "DMA|8BIT", or "malloc"."""
        return capabilities.of_request(self.caps)

    @property
    def text(self) -> str:
        """The text that a user writes."""
        return request_text(self.size, self.capabilities)


def request_text(size: int, names: str) -> str:
    """ "16717", "4096:DMA"; `names`: of the capabilities, or "malloc"."""
    return str(size) if names == capabilities.MALLOC else f"{size}:{names}"


def parse_request(text: int | str, *, what: str = "--need") -> Request:
    """The request of 16717, "16_717", "16.5KB" or "4KB:DMA|8BIT". `what` is for the error."""
    if _GOAL.search(str(text)):
        goal = printable(str(text))
        raise InputError(
            f"{what}: '{goal}' is an amount, and not a request of a heap",
            remedy=f'write bytes: 16717 or 32KB:INTERNAL; tune takes amounts: --goal "{goal}"',
        )
    number, _, names = str(text).partition(":")
    size = parse_size(number, what=what)
    if not 0 < size <= SIZE_MAX:
        raise InputError(
            f"{what}: '{printable(number)}' is not a number of bytes from 1 to {SIZE_MAX}",
            remedy="write bytes, or bytes and capabilities: 16717 or 16717:DMA|8BIT",
        )
    return Request(size, 0 if names.strip() == capabilities.MALLOC else capabilities.parse(names))


#: One request, or several.
Needed = int | str | Iterable[int | str]


def parse_requests(given: Needed, *, most: int = REQUESTS_MAX) -> tuple[Request, ...]:
    """Each request once."""
    texts = [given] if isinstance(given, int | str) else given
    results = tuple(dict.fromkeys(parse_request(text) for text in texts))
    if len(results) > most:
        raise InputError(
            f"{len(results)} needs, at most {most} at once",
            remedy="leave some out, and ask about the others in another run",
        )
    return results
