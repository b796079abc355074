"""Numbers of bytes as people type them."""

from __future__ import annotations

from heapscope.sizes import parse_size

__all__ = ["parse_size"]
