"""lwIP 2.1.3 out of Debian's source package."""

from __future__ import annotations

import re
from pathlib import Path

from tools.debian import unpacked_source

__all__ = ["PACKAGE", "VERSION", "lwip"]

PACKAGE = "lwip"
VERSION = "2.1.3"
INSIDE = re.compile(rf"^lwip-{re.escape(VERSION)}[^/]*/src/((?:core|include)/.*\.[ch])$")


def lwip() -> Path:
    """The folder with core and include."""
    return unpacked_source(PACKAGE, f"lwip-{VERSION}", INSIDE, needed="core/tcp.c")
