"""Names of allocators."""

from __future__ import annotations

from collections.abc import Mapping

from heapscope.errors import InputError
from heapscope.native.library import allocator_names, find_allocator
from heapscope.nearest import did_you_mean
from heapscope.trace.names import printable


def parse_allocator(text: str) -> str:
    """A name that the native library knows, "idf-5.5+light"; flavours may come in any order.
    InputError lists the valid ones."""
    wanted = text.strip().lower()
    name = find_allocator(wanted)
    if name is not None:
        return name
    valid = allocator_names()
    raise InputError(
        f"unknown allocator '{printable(text)}'",
        remedy=f"{did_you_mean(wanted, valid)}valid: {', '.join(valid)}",
    )


def flavoured(name: str, flavour: str) -> str:
    """The allocator `name` built with "+light", "+track" or both; InputError where there is no such
    flavour of it."""
    return parse_allocator(name + flavour)


def unmodelled(metadata: Mapping[str, str]) -> str:
    """The allocator that a trace's metadata names, flavour included, where there is no model of it:
    "glibc", "idf-5.5+comprehensive". Empty where there is one, or the trace names none."""
    name = metadata.get("allocator", "").strip()
    poisoning = metadata.get("poisoning", "none")
    if name and "+" not in name:
        name += "" if poisoning in ("", "none") else f"+{poisoning}"
        name += "+track" if metadata.get("tracking") == "1" else ""
    return "" if not name or find_allocator(name.lower()) is not None else name
