"""Names of allocators."""

from __future__ import annotations

from collections.abc import Mapping

from heapscope.errors import InputError
from heapscope.native.library import allocator_names
from heapscope.nearest import did_you_mean
from heapscope.trace.names import printable

__all__ = ["parse_allocator", "unmodelled"]


def parse_allocator(text: str) -> str:
    """A name that the native library knows, "idf-5.5+light". InputError lists the valid ones."""
    valid = {name.lower(): name for name in allocator_names()}
    wanted = text.strip().lower()
    if wanted in valid:
        return valid[wanted]
    hint = did_you_mean(wanted, valid)
    raise InputError(
        f"unknown allocator '{printable(text)}'",
        remedy=f"{hint}valid: {', '.join(valid.values())}",
    )


def unmodelled(metadata: Mapping[str, str]) -> str:
    """The allocator that a trace's metadata names, flavour included, where there is no model of it:
    "glibc", "idf-5.5+comprehensive". Empty where there is one, or the trace names none."""
    name = metadata.get("allocator", "").strip()
    poisoning = metadata.get("poisoning", "none")
    if name and poisoning not in ("", "none") and "+" not in name:
        name = f"{name}+{poisoning}"
    return "" if name.lower() in {known.lower() for known in ("", *allocator_names())} else name
