"""A table of a user's TOML file, read with errors that name key and line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heapscope.base import capabilities
from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.sizes import parse_size
from heapscope.memory.layout.allocator import parse_allocator
from heapscope.memory.layout.layout import ADDRESS_END
from heapscope.memory.layout.toml_text import TomlText

_NAME_MAX = 100
_LIST_MAX = 100
_KINDS = {
    "str": "a string",
    "bool": "true or false",
    "int": "a number",
    "float": "a fraction",
    "list": "a list",
    "dict": "a table",
}


@dataclass(frozen=True, kw_only=True)
class _Place:
    section: str = ""
    index: int = 0


class TomlTable:
    """Values are checked when they are taken; a missing key without a default is an error."""

    def __init__(
        self,
        values: Mapping[str, object],
        *,
        text: TomlText,
        where: str,
        section: str = "",
        place: _Place | None = None,
    ) -> None:
        """`section`: the name of the table in the file; "": its top."""
        self.where = where  # "region 2", for people
        self._values = values
        self._text = text
        self._place = place or _Place(section=section)

    def error(self, key: str, why: str, *, remedy: str) -> InputError:
        line = self._text.line_of(self._place.section, self._place.index, key)
        if line is None and self._place.section:  # a table within a line
            line = self._text.line_of("", 0, self._place.section)
        spot = "" if line is None else f", line {line}"
        name = f"{self.where}, {key}" if self.where else key
        return InputError(f"{self._text.file}{spot}: {printable(name)}: {why}", remedy=remedy)

    def check_keys(self, valid: Sequence[str]) -> None:
        for key in self._values:
            if key not in valid:
                hint = did_you_mean(key, valid)
                raise self.error(key, "unknown key", remedy=f"{hint}valid: {', '.join(valid)}")

    def has(self, key: str) -> bool:
        return key in self._values

    def string(self, key: str, default: str) -> str:
        value = self._values.get(key, default)
        if not isinstance(value, str):
            raise self._wrong(key, value, "a string")
        if not value or len(value) > _NAME_MAX:
            if key in self._values:
                raise self.error(key, f"{len(value)} characters", remedy=f"give 1 to {_NAME_MAX}")
            return value
        return printable(value, limit=_NAME_MAX)

    def choice(self, key: str, valid: Sequence[str]) -> str:
        """The first of the valid ones is the default."""
        value = self.string(key, valid[0])
        if value not in valid:
            raise self.error(key, f"unknown '{value}'", remedy="valid: " + ", ".join(valid))
        return value

    def required(self, key: str, wanted: str) -> str:
        """A string that has no default."""
        if key not in self._values:
            raise self.error(key, "missing", remedy=f"add {key} = {wanted}")
        return self.string(key, "")

    def strings(self, key: str, *, or_number: bool = False) -> tuple[str | int, ...] | None:
        """One or a list of them; `or_number`: numbers from 0 to 65535 among them. None: no key."""
        if key not in self._values:
            return None
        value = self._values[key]
        items = value if isinstance(value, list) else [value]
        wanted = f"a name, a pattern{', a number' if or_number else ''} or a list of them"
        if not 1 <= len(items) <= _LIST_MAX:
            raise self.error(key, f"{len(items)} names", remedy=f"give 1 to {_LIST_MAX}")
        return tuple(self._string_or_number(key, item, wanted, or_number) for item in items)

    def _string_or_number(self, key: str, item: object, wanted: str, numbers: bool) -> str | int:
        if isinstance(item, str) and 0 < len(item) <= _NAME_MAX:
            return item
        if numbers and isinstance(item, int) and not isinstance(item, bool) and 0 <= item <= 0xFFFF:
            return item
        if isinstance(item, str):
            raise self.error(key, f"{len(item)} characters", remedy=f"give 1 to {_NAME_MAX}")
        if numbers and isinstance(item, int) and not isinstance(item, bool):
            raise self.error(key, f"{item} is out of range", remedy=f"give 0 to {0xFFFF}")
        raise self._wrong(key, item, wanted)

    def size(self, key: str, default: int | None, *, least: int, most: int) -> int:
        """Bytes: a number, or a string with a unit ("24KB")."""
        return self._size(key, self._values.get(key, default), least, most)

    def size_range(self, key: str, *, most: int) -> tuple[int, int]:
        """[least, most] in bytes, both included; each as size() takes it."""
        value = self._values.get(key)
        if not isinstance(value, list) or len(value) != 2:
            raise self._wrong(key, value, 'two sizes, such as [0, 64] or ["1KB", "4KB"]')
        first, last = (self._size(key, item, 0, most) for item in value)
        if first > last:
            raise self.error(key, f"{first} is above {last}", remedy="put the smaller one first")
        return first, last

    def _size(self, key: str, value: object, least: int, most: int) -> int:
        if isinstance(value, str):
            try:
                value = parse_size(value, what=key)
            except InputError as error:
                why = f"'{printable(str(value))}' is not a number of bytes"
                raise self.error(key, why, remedy=error.remedy) from None
        return self._in_range(key, value, least=least, most=most)

    def boolean(self, key: str, default: bool = False) -> bool:
        value = self._values.get(key, default)
        if not isinstance(value, bool):
            raise self._wrong(key, value, "true or false")
        return value

    def integer(self, key: str, default: int | None, *, least: int, most: int) -> int:
        return self._in_range(key, self._values.get(key, default), least=least, most=most)

    def _in_range(self, key: str, value: object, *, least: int, most: int) -> int:
        if value is None:
            raise self.error(key, "missing", remedy=f"add {key} = NUMBER")
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._wrong(key, value, "a number")
        if not least <= value <= most:
            given = str(value) if abs(value) < 1 << 64 else "a very large number"
            raise self.error(
                key, f"{given} is out of range", remedy=f"give {least} to {most} ({most:#x})"
            )
        return value

    def aligned(self, key: str, *, least: int) -> int:
        """An address or size: a multiple of 4."""
        value = self.integer(key, None, least=least, most=ADDRESS_END - 4)
        if value % 4:
            raise self.error(key, f"{value:#x} is not a multiple of 4", remedy="round it up to one")
        return value

    def allocator(self, key: str, default: str) -> str:
        value = self.string(key, default)
        try:
            return parse_allocator(value)
        except InputError as error:
            raise self.error(key, error.message, remedy=error.remedy) from None

    def capabilities(self, key: str, default: str) -> int:
        return self._capabilities(key, self._values.get(key, default))

    def priorities(self, key: str, default: str) -> tuple[int, int, int]:
        """A string: the first priority; a list: one to three of them."""
        value = self._values.get(key, default)
        parts = value if isinstance(value, list) else [value]
        if not 1 <= len(parts) <= 3:
            raise self.error(key, f"{len(parts)} priorities", remedy="give 1 to 3")
        bits = [self._capabilities(key, part) for part in parts]
        if not any(bits):
            raise self.error(key, "none", remedy="leave it out for plain internal RAM")
        first, second, third = (*bits, 0, 0)[:3]
        return first, second, third

    def tables(self, key: str, *, wanted: str = "start and size") -> tuple[TomlTable, ...]:
        """At least one, unless nothing is `wanted`."""
        value = self._values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self._wrong(key, value, f"[[{key}]] tables")
        if not value and wanted:
            raise self.error(key, "missing", remedy=f"add a [[{key}]] with {wanted}")
        return tuple(self._inner(key, item, number) for number, item in enumerate(value))

    def table_or_string(self, key: str) -> TomlTable | str | None:
        """A string is checked to be capabilities."""
        value = self._values.get(key)
        if isinstance(value, dict):
            return TomlTable(value, text=self._text, where=key, place=_Place(section=key))
        if value is None:
            return None
        self._capabilities(key, value)
        return str(value)

    def _inner(self, key: str, item: Mapping[str, object], number: int) -> TomlTable:
        place = _Place(section=key, index=number)
        return TomlTable(item, text=self._text, where=f"{key} {number + 1}", place=place)

    def _capabilities(self, key: str, value: object) -> int:
        if not isinstance(value, str):
            raise self._wrong(key, value, 'capabilities such as "8BIT|DMA"')
        try:
            return capabilities.parse(value)
        except InputError as error:
            raise self.error(key, error.message, remedy=error.remedy) from None

    def _wrong(self, key: str, value: object, wanted: str) -> InputError:
        kind = _KINDS.get(type(value).__name__, "something else")
        return self.error(key, f"is {kind}", remedy=f"give {wanted}")
