"""lwIP 2.1.3 out of Debian's source package."""

from __future__ import annotations

import re
import tarfile
import tempfile
from contextlib import suppress
from pathlib import Path

from tools.debian import fetch_source
from tools.places import BUILD, MissingError

__all__ = ["PACKAGE", "VERSION", "lwip"]

PACKAGE = "lwip"
VERSION = "2.1.3"
INSIDE = re.compile(rf"^lwip-{re.escape(VERSION)}[^/]*/src/((?:core|include)/.*\.[ch])$")


def lwip() -> Path:
    """The folder with core and include."""
    place = BUILD / "sources" / f"lwip-{VERSION}"
    if not place.is_dir():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as name:
            own = Path(name)
            extract(fetch_source(PACKAGE, own), own / "lwip")
            with suppress(OSError):  # another process may have been faster
                (own / "lwip").rename(place)
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
    if not (into / "core" / "tcp.c").exists():
        raise MissingError(f"lwIP {VERSION} in Debian's source package {PACKAGE}")
