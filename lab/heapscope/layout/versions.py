"""SDK versions: from what people and logs write to those that Heapscope models."""

from __future__ import annotations

import re
from collections.abc import Iterable

from heapscope.errors import InputError
from heapscope.layout.chip_data import VersionData, chip_files, read_chip
from heapscope.trace.names import printable

_VERSION = re.compile(r"(?:esp-idf[ /])?v?([0-9]{1,3})\.([0-9]{1,3})(?=$|[.+_ -])", re.IGNORECASE)


def match_version(text: str, valid: Iterable[str]) -> str | None:
    """ "v4.2.2-dirty" and "esp-idf v4.2" are "4.2"; None when it is none of the valid ones. Bug-fix
    releases of a version share its layout, so that "4.3" and "v4.3.1" are "4.3.2"."""
    names = {_minor(name) or name.lower(): name for name in valid}
    wanted = text.strip()
    return names.get(_minor(wanted) or wanted.lower())


def find_version(text: str, versions: Iterable[VersionData]) -> str | None:
    """The same among a chip's versions, by their other names too."""
    known = {alias: v.name for v in versions for alias in (v.name, *v.aliases)}
    name = match_version(text, known)
    return None if name is None else known[name]


def parse_idf(text: str) -> str:
    """ "v4.2.1" is "4.2". InputError lists the versions known of any chip."""
    versions = [version for name in chip_files() for version in read_chip(name).versions]
    name = find_version(text, versions)
    if name is None:
        raise unknown_version(text, versions)
    return name


def unknown_version(text: str, versions: Iterable[VersionData]) -> InputError:
    return InputError(
        f"unknown ESP-IDF version '{printable(text)}'", remedy="valid: " + version_list(versions)
    )


def version_list(versions: Iterable[VersionData]) -> str:
    """ "4.2, 5.5, head-2026-07 (development branch; also 6.0)", oldest first."""
    shown = {version.name: _shown(version) for version in versions}
    return ", ".join(shown[name] for name in sorted(shown))


def _shown(version: VersionData) -> str:
    kind = ["development branch"] if version.development else []
    more = [*kind, *(f"also {alias}" for alias in version.aliases)]
    return f"{version.name} ({'; '.join(more)})" if more else version.name


def _minor(text: str) -> str:
    """ "v4.3.2-dirty" is "4.3"."""
    found = _VERSION.match(text)
    return f"{int(found[1])}.{int(found[2])}" if found else ""
