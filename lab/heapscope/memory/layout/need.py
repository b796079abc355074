"""Requests that a user asks about: `--need 16717:DMA|8BIT`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from heapscope.base import capabilities
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.sizes import parse_size
from heapscope.memory.layout.layout import ADDRESS_END

NEEDS_MAX = 8  # of one replay


def parse_need(text: int | str, *, what: str = "--need") -> tuple[int, int]:
    """(bytes, capabilities) of 16717, "16717:DMA|8BIT" or "4KB:DMA"; capabilities 0: malloc's own.
    `what` is for the error."""
    number, _, names = str(text).partition(":")
    size = parse_size(number, what=what)
    if not 0 < size < ADDRESS_END:
        raise InputError(
            f"{what}: '{printable(number)}' is not a number of bytes from 1 to {ADDRESS_END - 1}",
            remedy="write bytes, or bytes and capabilities: 16717 or 16717:DMA|8BIT",
        )
    return size, capabilities.parse(names)


def said_need(need: tuple[int, int]) -> str:
    """The text that a user writes for it."""
    size, caps = need
    return f"{size}:{capabilities.format(caps)}" if caps else str(size)


def with_room(needs: Sequence[str]) -> str:
    """The end of a sentence about what has room for these texts; empty without any."""
    which = f"request{'' if len(needs) == 1 else 's'} {' and '.join(needs)}"
    return f", with room for the {which} at every moment" if needs else ""


def parse_needs(needs: Iterable[int | str]) -> list[tuple[int, int]]:
    """Each need once."""
    found = list(dict.fromkeys(parse_need(need) for need in needs))
    if len(found) > NEEDS_MAX:
        raise InputError(
            f"{len(found)} needs, at most {NEEDS_MAX} in one replay",
            remedy="leave some out, or replay again for the others",
        )
    return found
