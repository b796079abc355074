"""Heapscope: where the RAM of a microcontroller goes, and what each change would buy back."""

from __future__ import annotations

__all__ = ["__version__"]

__version__: str


def __getattr__(name: str) -> str:
    """The version is looked up when it is asked for: the command answers Ctrl-C before that."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import metadata

    try:
        return metadata.version("heapscope")
    except metadata.PackageNotFoundError:  # run from a source tree that was never installed
        return "0"
