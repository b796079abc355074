"""The lines of a file as a release's program reads them. No form of a line is an error to it: each
is taken, or it is left out with a message or without one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from heapscope.config.kconfig.condition import unquoted
from heapscope.config.kconfig.table import Kind, OptionTable
from heapscope.config.kconfig.values import UserValues, is_number

#: Why a line has no value: it assigns nothing, names no option, its value is of another kind, or
#: "is not set" says nothing of a number or a string; `block`: old names that a release skips.
Fault = Literal["", "malformed", "unknown", "kind", "unset", "block"]

_OLD_NAMES = "# Deprecated options for backward compatibility"
_OLD_NAMES_END = "# End of deprecated options"
_MARK = "# default:"
_QUOTED = re.compile(r'"((?:[^\\"]|\\.)*)"')
_LINE_END = re.compile(r"\r\n|\n|\r")
_PREFIX = "CONFIG_"


@dataclass(frozen=True, kw_only=True)
class ReadLine:
    """`written`: the name as it stands; `option`: the release's name, or `written` where it has
    none. `given`: the text behind "="; `value`: as the option takes it, None where it does not.
    `marked`: the release's own default, written below "# default:"."""

    number: int
    text: str
    written: str = ""
    option: str = ""
    given: str = ""
    value: str | None = None
    fault: Fault = ""
    marked: bool = False


def read_lines(text: str, table: OptionTable, *, whole: bool = False) -> Iterator[ReadLine]:
    """Every line but comments and empty ones. `whole`: the file is an sdkconfig and no
    sdkconfig.defaults, so that an empty value stays empty."""
    habits = table.habits
    name = r"\w+" if habits.words else "[^=]+"
    setter = re.compile(rf"{_PREFIX}({name})=(.*)", re.ASCII | re.DOTALL)
    off_name = r"\w+" if habits.words else "[^ ]+"
    unset = re.compile(rf"# {_PREFIX}({off_name}) is not set", re.ASCII)
    marks = habits.rename == "name"  # since 6.0
    block = marked = False
    for number, raw in enumerate(_LINE_END.split(text), 1):
        if _OLD_NAMES in raw or _OLD_NAMES_END in raw:
            block = _OLD_NAMES in raw
        line, written = _renamed(raw, table) if not block else (raw, "")
        line = line.strip() if habits.indented else line.rstrip()
        if habits.empty_any and not whole and line.endswith("="):
            line += "n"
        result = setter.match(line)
        off = None if result else unset.match(line)
        if result is None and off is None:
            if line and not line.lstrip().startswith("#") and not (block and marks):
                yield ReadLine(number=number, text=raw, fault="malformed")
            marked = marks and line == _MARK
            continue
        option, stated = (result[1], result[2]) if result else (off[1] if off else "", "n")
        if habits.comment and result and not stated.startswith('"'):
            stated = re.split(r"\s+#", stated, maxsplit=1)[0].rstrip()
        written = written or option
        if block and marks:
            yield ReadLine(number=number, text=raw, written=written, given=stated, fault="block")
        else:
            option, stated = _looked_up(option, stated, table)
            yield _read(number, raw, written, option, stated, table, off is not None, marked)
        marked = False


def read_members(
    members: Iterable[tuple[int, str, bool | int | str]], table: OptionTable
) -> Iterator[ReadLine]:
    """The members of an sdkconfig.json, with their lines: numbers are decimal there, and strings
    have no quotes."""
    for number, name, value in members:
        symbol = table.symbols.get(name)
        if isinstance(value, bool):
            words = "y" if value else "n"
        elif isinstance(value, int):
            words = hex(value) if symbol is not None and symbol.kind == "hex" else str(value)
        else:
            words = '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        text = f'"{name}": {json.dumps(value)}'
        yield _read(number, text, name, name, words, table, False, False)


def user_values(lines: Iterable[ReadLine], table: OptionTable) -> UserValues:
    """The values that all lines together give to the options: the last legal one of each."""
    values: dict[str, str] = {}
    marked: dict[str, str] = {}
    picked: dict[str, str] = {}
    marked_picks: dict[str, str] = {}
    for line in lines:
        if line.value is None:
            continue
        symbol = table.symbols[line.option]
        if symbol.choice:
            if line.value == "y":
                (marked_picks if line.marked else picked)[symbol.choice] = line.option
        elif not line.marked:
            values[line.option] = line.value
        elif symbol.prompt is not None:
            marked[line.option] = line.value
    return UserValues(values=values, picked={**marked_picks, **picked}, marked=marked)


def legal(text: str, kind: Kind, *, empty_is_n: bool = False) -> str | None:
    """The value that a text gives to an option of a kind; None: the program does not take it."""
    if kind == "bool":
        first = (text or ("n" if empty_is_n else ""))[:1]
        return first if first in ("y", "n") and first else None
    if kind == "string":
        match = _QUOTED.match(text)
        return None if match is None else unquoted(match[1])
    return text if is_number(text, kind) else None


def _renamed(line: str, table: OptionTable) -> tuple[str, str]:
    """The line with the new name, and the old one; "": none is in it."""
    habits = table.habits
    if not habits.rename.startswith("text"):
        return line, ""
    match = re.search(_PREFIX + (r"(\w+)(=|\s+)" if habits.rename == "text " else r"(\w+)="), line)
    now = table.renames.get(match[1]) if match else None
    if match is None or now is None:
        return line, ""
    if now.inverted:
        off = "is not set" in line or "=n" in line
        return f"{_PREFIX}{now.new}={'y' if off else 'n'}", match[1]
    return line.replace(_PREFIX + match[1], _PREFIX + now.new), match[1]


def _looked_up(name: str, text: str, table: OptionTable) -> tuple[str, str]:
    """The new name and value of an old name, where the release looks names up."""
    now = table.renames.get(name)
    if now is None or table.habits.rename != "name" or name in table.symbols:
        return name, text
    symbol = table.symbols.get(now.new)
    if symbol is None:
        return name, text
    if now.inverted and symbol.kind == "bool":
        return now.new, "n" if text.startswith("y") else "y"
    return now.new, text


def _read(
    number: int,
    text: str,
    written: str,
    option: str,
    message: str,
    table: OptionTable,
    off: bool,
    marked: bool,
) -> ReadLine:
    symbol = table.symbols.get(option)
    value: str | None = None
    fault: Fault = ""
    if symbol is None:
        fault = "unknown"
    elif off and symbol.kind != "bool":
        fault = "unset"
    else:
        value = legal(message, symbol.kind, empty_is_n=not table.habits.empty_any)
        fault = "kind" if value is None else ""
    return ReadLine(
        number=number,
        text=text,
        written=written,
        option=option,
        given=message,
        value=value,
        fault=fault,
        marked=marked,
    )
