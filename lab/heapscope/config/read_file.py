"""A configuration file: an sdkconfig, an sdkconfig.defaults or an sdkconfig.json, as text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.trace.whole import read_whole

REMEDY = "give the project's sdkconfig, or a sdkconfig.defaults with the same options"

Member = tuple[int, str, bool | int | str]  #: line, name and value of an sdkconfig.json

_SIZE_MAX = 16 << 20  # bytes; a real one has some 100 KB
_HEAD = 64 << 10  # bytes that tell what a text is
_HEADER = re.compile(
    r"^# Espressif IoT Development Framework \(ESP-IDF\) *(\S*) *Project (Minimal )?Configuration",
    re.MULTILINE,
)
_ASSIGNED = re.compile(
    r"^\s*CONFIG_([A-Za-z0-9_]+)=([^\r\n]*)|^# CONFIG_([A-Za-z0-9_]+) is not set", re.MULTILINE
)
_OPTION = re.compile(r"\bCONFIG_\w")
WHOLE = 200  # options of a file; the smallest that Kconfig wrote has some 500
_NOBODYS = "IDF_FIRMWARE_CHIP_ID"
_MALFORMED_MAX = 1  # lines of a file without any option; with more it is something else
_STATEMENT = re.compile(r"^\s*[^#\s\ufeff]", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class ConfigFile:
    """`members`: of an sdkconfig.json, which has no text. `version`: what the file says of its SDK,
    as it says it; "": nothing. `generated`: Kconfig wrote it whole, so that it is an sdkconfig."""

    name: str
    text: str = ""
    members: tuple[Member, ...] = ()
    version: str = ""
    generated: bool = False

    def stated(self, option: str) -> str:
        """The last value of a string option, without quotes; "": it is not in the file."""
        values = [str(value) for _, name, value in self.members if name == option]
        values += re.findall(rf'^\s*CONFIG_{option}="?([^"\r\n]*)', self.text, re.MULTILINE)
        return values[-1].strip() if values else ""

    def assignments(self) -> Iterator[tuple[str, str]]:
        """Names and values as they stand, without quotes; "n" for what is "not set"."""
        for _, name, value in self.members:
            yield name, ("y" if value else "n") if isinstance(value, bool) else str(value)
        for match in _ASSIGNED.finditer(self.text):
            yield (match[1], match[2].strip('" ')) if match[1] else (match[3], "n")


def read_config_file(path: str | Path) -> ConfigFile:
    """ "-" is standard input; .zst is taken off. An empty file, or one of comments, is a default
    build. InputError names file and cause: it has lines, and none of them speaks of an option."""
    whole = read_whole(path, limit=_SIZE_MAX, what="a configuration", remedy=REMEDY)
    content, name = whole.data, whole.name
    if content.lstrip().startswith(b"{"):
        file = _json_file(content.decode("utf-8", "replace"), name)
    else:
        file = _text_file(content, name)
    return file


def _text_file(content: bytes, name: str) -> ConfigFile:
    if b"\0" in content:
        raise InputError(f"{name}: not a text, it has bytes of value 0", remedy=REMEDY)
    text = content.decode("utf-8", "replace")
    _refuse_others(content[:_HEAD], text, name)
    if len(_STATEMENT.findall(text)) > _MALFORMED_MAX and not _OPTION.search(text):
        raise InputError(f"{name}: no line of it is one of an option", remedy=REMEDY)
    header = _HEADER.search(text)
    file = ConfigFile(
        name=name,
        text=text,
        version=header[1] if header else "",
        generated=not header[2] if header is not None else _is_whole(text),
    )
    # Lines of a person have the version that the project was begun with.
    if file.version or file.generated:
        return file
    return ConfigFile(
        name=name, text=text, version=file.stated("IDF_INIT_VERSION"), generated=file.generated
    )


def _refuse_others(head: bytes, text: str, name: str) -> None:
    """InputError: it is a text of another kind, whose lines may speak of options, too."""
    if _HEADER.search(text):
        return
    from heapscope.trace.things.text_kinds import other_text  # takes the reader of logs with it

    other = other_text(head)
    if other is not None:
        raise InputError(f"{name}: {other.what}, and no sdkconfig", remedy=other.remedy)


def _is_whole(text: str) -> bool:
    """Hundreds of options, and one that every release writes and nobody sets: Kconfig wrote the
    file, and its header was taken off."""
    names = [match[1] or match[3] for match in _ASSIGNED.finditer(text)]
    return len(names) >= WHOLE and _NOBODYS in names


def _json_file(text: str, name: str) -> ConfigFile:
    """build/config/sdkconfig.json: an object of names without CONFIG_ and plain values."""
    try:
        pairs = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=lambda members: members)
    except (json.JSONDecodeError, RecursionError) as error:
        place = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InputError(
            f"{name}{place}: no JSON", remedy="give the build's config/sdkconfig.json, whole"
        ) from None
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        raise InputError(f"{name}, line 1: no JSON object of options", remedy=REMEDY)
    numbers = _member_lines(text)
    members: list[Member] = []
    for option, value in pairs:
        waiting = numbers.get(option, [])
        number = waiting.pop(0) if waiting else 1
        if not isinstance(value, bool | int | str):
            raise InputError(
                f"{name}, line {number}: '{printable(option)}' has a value that no option has",
                remedy=REMEDY,
            )
        members.append((number, option, value))
    return ConfigFile(name=name, members=tuple(members), generated=True)


def _member_lines(text: str) -> dict[str, list[int]]:
    """Where each name stands; a name that comes twice has two lines."""
    result: dict[str, list[int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        for name in re.findall(r'"([A-Za-z0-9_]+)"\s*:', line):
            result.setdefault(name, []).append(number)
    return result
