"""Raw memory itself says how it was read: its address, its byte order, whether it has a sense.

FreeRTOS keeps some dozen lists, most of them empty: three words of an empty one name its own end.
So the commonest distances of words from where they lie tell the address of the first byte.
"""

from __future__ import annotations

from typing import Any

import numpy

from heapscope.base.errors import InputError
from heapscope.base.wording import size as sized

_LISTS = 8  # empty lists that are no chance
_END = 8  # from a list's begin to its end, which pxIndex, pxNext and pxPrevious name
_FIELDS = (4, 12, 16)  # where those are in it
_COMMON = 64  # distances that are looked at
_RANDOM = 7.95  # bits of a byte
_RANDOM_LEAST = 1 << 16


def address_of(data: bytes) -> int | None:
    """The address of the first byte; None: the memory does not tell it."""
    return _address_of(_words(data))


def check_raw(data: bytes, address: int, *, name: str) -> None:
    """InputError: it was read from elsewhere, or in another order of its bytes, or is encrypted."""
    words = _words(data)
    own = _address_of(words)
    if own is not None and own != address:
        raise InputError(
            f"{name}: the lists in it name another address of its first byte: {own:#010x}, not "
            f"{address:#010x}",
            remedy=f"name it FILE@{own:#010x}",
        )
    if own is None and _address_of(words.byteswap()) is not None:
        raise InputError(
            f"{name}: the four bytes of each word are in reverse order",
            remedy="let the debugger write bytes, not words",
        )
    if own is None and len(data) >= _RANDOM_LEAST and _bits(data) > _RANDOM:
        raise InputError(
            f"{name}: {sized(len(data))} without any order in them: encrypted or compressed",
            remedy="read the memory through the processor: by a debugger, or as a core dump",
        )


def _words(data: bytes) -> Any:
    return numpy.frombuffer(data, "<u4", len(data) // 4)


def _address_of(words: Any) -> int | None:
    """The one that most lists agree on, where no other one has half as many."""
    distances = words - numpy.arange(0, 4 * len(words), 4, dtype="u4")
    values, counts = numpy.unique(distances[words != 0], return_counts=True)
    order = numpy.argsort(counts)[::-1][:_COMMON]
    common = dict(zip(values[order].tolist(), counts[order].tolist(), strict=True))
    bases = (value - _END + _FIELDS[0] for value in common)
    lists = sorted(
        (min(common.get(base + _END - at, 0) for at in _FIELDS), base)
        for base in bases
        if base >= 0 and base % 4 == 0
    )
    (second, _), (first, best) = [(0, 0), (0, 0), *lists][-2:]
    return best if first >= _LISTS and first >= 2 * second else None


def _bits(data: bytes) -> float:
    """The information in a byte, by how often each value comes."""
    share = numpy.bincount(numpy.frombuffer(data, "u1"), minlength=256) / len(data)
    share = share[share > 0]
    return float(-(share * numpy.log2(share)).sum())
