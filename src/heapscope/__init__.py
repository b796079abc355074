"""Heapscope: where the RAM of a microcontroller goes, and what each change would buy back."""

from __future__ import annotations

from importlib import metadata

__all__ = ["__version__"]


def _version() -> str:
    try:
        return metadata.version("heapscope")
    except metadata.PackageNotFoundError:  # run from a source tree that was never installed
        return "0"


__version__ = _version()
