"""SDK versions: from what people and logs write to those that Heapscope models."""

from __future__ import annotations

import re
from collections.abc import Iterable

from heapscope.errors import InputError
from heapscope.layout.chip_data import chip_files, read_chip
from heapscope.trace.names import printable

__all__ = ["match_version", "parse_idf", "unknown_version"]

_VERSION = re.compile(r"(?:esp-idf[ /])?v?([0-9]{1,3})\.([0-9]{1,3})(?=$|[.+_ -])", re.IGNORECASE)


def match_version(text: str, valid: Iterable[str]) -> str | None:
    """ "v4.2.2-dirty" and "esp-idf v4.2" are "4.2"; None when it is none of the valid ones. Bug-fix
    releases of a version share its layout."""
    found = _VERSION.match(text.strip())
    name = f"{int(found[1])}.{int(found[2])}" if found else ""
    return name if name in set(valid) else None


def parse_idf(text: str) -> str:
    """ "v4.2.1" is "4.2". InputError lists the versions known of any chip."""
    valid = dict.fromkeys(v.name for name in chip_files() for v in read_chip(name).versions)
    version = match_version(text, valid)
    if version is None:
        raise unknown_version(text, valid)
    return version


def unknown_version(text: str, valid: Iterable[str]) -> InputError:
    return InputError(
        f"unknown ESP-IDF version '{printable(text)}'", remedy="valid: " + ", ".join(valid)
    )
