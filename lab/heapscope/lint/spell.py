"""Values as lines that the SDK in question understands."""

from __future__ import annotations

from collections.abc import Mapping

from heapscope.config.config import Config
from heapscope.config.renames import line_in
from heapscope.config.value import Value

__all__ = ["spelled", "spelled_lines"]


def spelled(config: Config, name: str, value: Value) -> str:
    """One line, under the name that this SDK has for the option."""
    return line_in(name, value, config.chip, config.sdk)


def spelled_lines(config: Config, values: Mapping[str, Value]) -> tuple[str, ...]:
    return tuple(spelled(config, name, value) for name, value in values.items())
