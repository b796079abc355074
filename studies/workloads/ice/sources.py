"""PJPROJECT 2.12.1 out of Debian's source package of Jami, whose fork of it this is."""

from __future__ import annotations

import re
from pathlib import Path

from tools.debian import unpacked_source

__all__ = ["PACKAGE", "pjproject"]

PACKAGE = "ring"
LIBRARIES = "pjlib|pjlib-util|pjnath"
INSIDE = re.compile(rf"/pjproject-[^/]*/((?:{LIBRARIES})/(?:include|src)/.*\.[ch])$")

#: ICE over TCP, which this fork adds, has buffers of this size: two in each transport of ICE, used
#: or not, and one for each socket that reads. It does not build without TCP. Cut, as no device
#: could have them.
CUT = ("pjnath/src/pjnath/ice_strans.c", "pjnath/src/pjnath/stun_sock.c")
LONG, SHORT = b"#define MAX_RTP_SIZE 65536", b"#define MAX_RTP_SIZE 4"


def pjproject() -> Path:
    """The folder with pjlib, pjlib-util and pjnath: headers and sources."""
    return unpacked_source(PACKAGE, "pjproject-2.12.1", INSIDE, needed=CUT[0], then=cut_all)


def cut_all(tree: Path) -> None:
    for name in CUT:
        cut_buffers(tree / name)


def cut_buffers(path: Path) -> None:
    text = path.read_bytes()
    if text.count(LONG) != 1:
        raise RuntimeError(f"{path.name} is another one: it has no line {LONG.decode()}")
    path.write_bytes(text.replace(LONG, SHORT))
