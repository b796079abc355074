"""The lines of an sdkconfig, and the members of an sdkconfig.json, as settings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from heapscope.errors import InputError
from heapscope.trace.names import printable

REMEDY = "give the project's sdkconfig, or a sdkconfig.defaults with the same options"

_SET = re.compile(r"CONFIG_([A-Za-z0-9_]+)=(.*)")
_BLANKS = re.compile(r"CONFIG_([A-Za-z0-9_]+)\s*=\s*(.*)")
_UNSET = re.compile(r"# CONFIG_([A-Za-z0-9_]+) is not set")
_HEADER = re.compile(
    r"# Espressif IoT Development Framework \(ESP-IDF\) *(\S*) *Project (Minimal )?Configuration"
)
_DEFAULT = "# default:"  # stands before a line that Kconfig filled in by itself
_OLD_NAMES = "# Deprecated options for backward compatibility"
_OLD_NAMES_END = "# End of deprecated options"


@dataclass(frozen=True, kw_only=True)
class SettingLine:
    """`text`: the value as a sdkconfig has it, "n" for what "is not set"; strings keep their
    quotes, so that "y" and y stay apart. `decimal`: a number is decimal whatever the option's
    type."""

    number: int
    name: str
    text: str
    decimal: bool = False
    automatic: bool = False  # Kconfig's own default, not the user's word


@dataclass(frozen=True, kw_only=True)
class Text:
    """`generated`: written whole by Kconfig, so that every option in it exists in that SDK."""

    lines: tuple[SettingLine, ...]
    version: str = ""  # of the SDK, as the header has it
    generated: bool = False


def read_text(text: str, *, file: str) -> Text:
    """InputError names the line that is none of an sdkconfig. The section of old names, which
    repeats options under the names they once had, is left out."""
    lines: list[SettingLine] = []
    version, generated, automatic, repeated = "", False, False, False
    for number, line in enumerate((line.rstrip() for line in text.splitlines()), 1):
        header = _HEADER.fullmatch(line)
        if header is not None:
            version, generated = header[1], not header[2]
        elif line in (_OLD_NAMES, _OLD_NAMES_END):
            repeated = line == _OLD_NAMES
        found = _SET.fullmatch(line)
        unset = _UNSET.fullmatch(line)
        if repeated:
            continue
        if found is not None:
            lines.append(
                SettingLine(
                    number=number, name=found[1], text=found[2].strip(), automatic=automatic
                )
            )
        elif unset is not None:
            lines.append(SettingLine(number=number, name=unset[1], text="n", automatic=automatic))
        elif line and not line.lstrip().startswith("#"):
            # Kconfig leaves out what is indented, too.
            blanks = _BLANKS.match(line.lstrip())
            remedy = f"write CONFIG_{blanks[1]}={blanks[2]}, without blanks" if blanks else REMEDY
            raise InputError(
                f"{file}, line {number}: no option: '{printable(line)}'", remedy=printable(remedy)
            )
        automatic = line == _DEFAULT
    return Text(lines=tuple(lines), version=version, generated=generated)


def read_json(text: str, *, file: str) -> Text:
    """build/config/sdkconfig.json: an object of names without CONFIG_ and plain values."""
    try:
        pairs = json.loads(text, object_pairs_hook=lambda members: members)
    except (json.JSONDecodeError, RecursionError) as error:
        place = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InputError(
            f"{file}{place}: no JSON", remedy="give the build's config/sdkconfig.json, whole"
        ) from None
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        raise InputError(f"{file}, line 1: no JSON object of options", remedy=REMEDY)
    numbers = _member_lines(text)
    lines = []
    for name, value in pairs:
        number = next(numbers.get(name, iter(())), 1)
        shown = _json_value(value)
        if shown is None:
            raise InputError(
                f"{file}, line {number}: '{printable(name)}' has a value that no option has",
                remedy=REMEDY,
            )
        lines.append(SettingLine(number=number, name=name, text=shown, decimal=True))
    return Text(lines=tuple(lines), generated=True)


def _json_value(value: object) -> str | None:
    """Strings in quotes; None: no such value can be."""
    if isinstance(value, bool):
        return "y" if value else "n"
    if isinstance(value, int):
        return str(value)
    return f'"{value}"' if isinstance(value, str) else None


def _member_lines(text: str) -> dict[str, Iterator[int]]:
    """Where each name stands; a name that comes twice has two lines."""
    found: dict[str, list[int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        for name in re.findall(r'"([A-Za-z0-9_]+)"\s*:', line):
            found.setdefault(name, []).append(number)
    return {name: iter(numbers) for name, numbers in found.items()}
