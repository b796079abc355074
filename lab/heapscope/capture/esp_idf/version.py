"""Versions of ESP-IDF, as far as the forms and the rounding of the heap differ between them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from heapscope.errors import InputError
from heapscope.trace.names import printable

_VERSION = re.compile(
    r"(?:esp-idf[ /])?v?(\d{1,2})\.(\d{1,2})(?:\.(\d{1,3}))?(?=$|[.+_ -])(-(?:dev|beta|rc))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class SdkVersion:
    """`patch` None: not told, any of the series. `early`: before its release (4.4-dev-100)."""

    text: str
    major: int
    minor: int
    patch: int | None = None
    early: bool = False

    @property
    def series(self) -> tuple[int, int]:
        return self.major, self.minor


def read_version(text: str) -> SdkVersion | None:
    """The version in "v4.4.2-104-gabc" or "esp-idf v5.5"; None for other text (a bare commit)."""
    found = _VERSION.match(text.strip())
    if found is None:
        return None
    return SdkVersion(
        text=printable(text.strip(), limit=60),
        major=int(found[1]),
        minor=int(found[2]),
        patch=int(found[3]) if found[3] else None,
        early=bool(found[4]),
    )


def parse_version(text: str) -> SdkVersion:
    """The text that a user typed. InputError when it does not name a version from 3.0 on."""
    if text.strip().lower().startswith("head"):  # the development branch, as chips name it
        return SdkVersion(text=printable(text.strip(), limit=60), major=6, minor=0)
    version = read_version(text)
    if version is None or version.major < 3:
        raise InputError(
            f"--idf: '{printable(text)}' is not a version of ESP-IDF",
            remedy="write it as 4.4, v4.3.2 or 5.5.1",
        )
    return version
