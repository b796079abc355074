"""PJPROJECT 2.12.1 out of Debian's source package of Jami, whose fork of it this is."""

from __future__ import annotations

import re
import tarfile
import tempfile
from contextlib import suppress
from pathlib import Path

from tools.debian import fetch_source
from tools.places import BUILD, MissingError

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
    place = BUILD / "sources" / "pjproject-2.12.1"
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as name:
            own = Path(name)
            extract(fetch_source(PACKAGE, own), own / "pjproject")
            for name in CUT:
                cut_buffers(own / "pjproject" / name)
            with suppress(OSError):  # another process may have been faster
                (own / "pjproject").rename(place)
    return place


def extract(archive: Path, into: Path) -> None:
    with tarfile.open(archive) as opened:
        for member in opened:
            named = INSIDE.search(member.name)
            content = opened.extractfile(member) if named and member.isfile() else None
            if named and content is not None:
                path = into / named[1]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())
    if not (into / CUT[0]).exists():
        raise MissingError(f"PJNATH in Debian's source package {PACKAGE}")


def cut_buffers(path: Path) -> None:
    text = path.read_bytes()
    if text.count(LONG) != 1:
        raise RuntimeError(f"{path.name} is another one: it has no line {LONG.decode()}")
    path.write_bytes(text.replace(LONG, SHORT))
