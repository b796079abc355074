"""Values as lines that the SDK in question understands."""

from __future__ import annotations

from collections.abc import Mapping

from heapscope.config.config import Config
from heapscope.config.renames import spelled_in
from heapscope.config.tables import option_table
from heapscope.config.value import Value, config_line

__all__ = ["spelled", "spelled_lines"]


def spelled(config: Config, name: str, value: Value) -> str:
    """One line, under the name that this SDK has for the option."""
    option = option_table().get(name)
    now = spelled_in(name, config.chip, config.sdk)
    if now.inverted and isinstance(value, bool):
        value = not value
    return config_line(now.name, value, kind=None if option is None else option.kind)


def spelled_lines(config: Config, values: Mapping[str, Value]) -> tuple[str, ...]:
    return tuple(spelled(config, name, value) for name, value in values.items())
