"""The version of the installed distribution."""

from __future__ import annotations

from importlib import metadata

try:
    __version__ = metadata.version("heapscope")
except metadata.PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0"
