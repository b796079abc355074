"""Requests that a user asks about: `--need 16717:DMA|8BIT`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from heapscope.errors import InputError
from heapscope.layout import capabilities
from heapscope.layout.layout import ADDRESS_END
from heapscope.sizes import parse_size
from heapscope.trace.names import printable

NEEDS_MAX = 8  # of one replay

_NUMBER = re.compile(r"0x[0-9a-f]{1,8}|[0-9][0-9_]{0,14}", re.ASCII | re.IGNORECASE)


def parse_need(text: str) -> tuple[int, int]:
    """(bytes, capabilities) of "16717" or "16717:DMA|8BIT"; capabilities 0: malloc's own."""
    number, _, names = text.partition(":")
    size = _number(number.strip())
    if size is None or not 0 < size < ADDRESS_END:
        raise InputError(
            f"'{printable(text)}' is not a request: '{printable(number)}' is not a number of bytes "
            f"from 1 to {ADDRESS_END - 1}",
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
    """Each need once. Sizes may have units: "4KB:DMA"."""
    found = list(dict.fromkeys(_with_unit(need) for need in needs))
    if len(found) > NEEDS_MAX:
        raise InputError(
            f"{len(found)} needs, at most {NEEDS_MAX} in one replay",
            remedy="leave some out, or replay again for the others",
        )
    return found


def _with_unit(need: int | str) -> tuple[int, int]:
    number, colon, capabilities = str(need).partition(":")
    return parse_need(f"{parse_size(number, what='--need')}{colon}{capabilities}")


def _number(text: str) -> int | None:
    if not _NUMBER.fullmatch(text):
        return None
    return int(text, 16) if text[:2].lower() == "0x" else int(text.replace("_", ""))
