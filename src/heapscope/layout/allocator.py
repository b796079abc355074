"""Names of allocators."""

from __future__ import annotations

import difflib

from heapscope.errors import InputError
from heapscope.native.library import allocator_names
from heapscope.trace.names import printable

__all__ = ["parse_allocator"]


def parse_allocator(text: str) -> str:
    """A name that the native library knows, "idf-5.5+light". InputError lists the valid ones."""
    valid = {name.lower(): name for name in allocator_names()}
    wanted = text.strip().lower()
    if wanted in valid:
        return valid[wanted]
    near = difflib.get_close_matches(wanted[:80], valid, n=1)
    hint = f" (did you mean {valid[near[0]]}?)" if near else ""
    raise InputError(
        f"unknown allocator '{printable(text)}'{hint}",
        remedy="valid: " + ", ".join(valid.values()),
    )
