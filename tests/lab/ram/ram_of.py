"""The answer of `ram` about one thing, and about two."""

from __future__ import annotations

from typing import Any

import heapscope as hs
from heapscope.answers.ram.difference import RamDifference
from heapscope.answers.ram.ram_result import RamResult


def ram_of(thing: object, **options: Any) -> RamResult:
    result = hs.ram(str(thing), **options)
    assert isinstance(result, RamResult)
    return result


def difference_of(before: object, after: object, **options: Any) -> RamDifference:
    result = hs.ram(str(before), str(after), **options)
    assert isinstance(result, RamDifference)
    return result
