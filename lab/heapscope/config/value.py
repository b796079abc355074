"""Values of options, from a sdkconfig's text and back."""

from __future__ import annotations

import re
from typing import Literal

Value = bool | int | str
Kind = Literal["bool", "int", "hex", "string"]

_INT = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_HEX = re.compile(r"(?:0x)?[0-9a-f]{1,16}", re.ASCII | re.IGNORECASE)

#: The look of a value of each type, to tell whoever wrote another.
FORMS = {"bool": "y or n", "int": "a decimal number", "hex": "0x and digits", "string": "in quotes"}


def parse_value(text: str, kind: Kind) -> Value | None:
    """None: no value of this type. Kconfig leaves such a line out."""
    if kind == "bool":
        return {"y": True, "n": False}.get(text)
    if kind == "int":
        return int(text) if _INT.fullmatch(text) else None
    if kind == "hex":
        return int(text, 16) if _HEX.fullmatch(text) else None
    quoted = len(text) >= 2 and text.startswith('"') and text.endswith('"')
    return text[1:-1].replace('\\"', '"').replace("\\\\", "\\") if quoted else None


def value_text(value: Value, *, kind: Kind | None = None) -> str:
    """The text behind the "="."""
    if isinstance(value, bool):
        return "y" if value else "n"
    if isinstance(value, int):
        return hex(value) if kind == "hex" else str(value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def config_line(name: str, value: Value, *, kind: Kind | None = None) -> str:
    """A line of sdkconfig.defaults. There "=n" and "is not set" mean the same."""
    return f"CONFIG_{name}={value_text(value, kind=kind)}"
