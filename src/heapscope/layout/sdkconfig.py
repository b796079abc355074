"""What a firmware's sdkconfig says of its heap's debugging: poisoning and task tracking."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from heapscope.errors import InputError
from heapscope.trace.names import printable
from heapscope.trace.source import Blocks, open_blocks

__all__ = ["SdkConfig", "read_sdkconfig"]

_SIZE_MAX = 16 << 20  # bytes; a real one has some 100 KB
_SET = re.compile(r"CONFIG_([A-Za-z0-9_]+)=(.*)")
_REMEDY = "give the project's sdkconfig, or a sdkconfig.defaults with the same options"
_TRACKING = "HEAP_TASK_TRACKING"
_LIGHT = "HEAP_POISONING_LIGHT"
_COMPREHENSIVE = "HEAP_POISONING_COMPREHENSIVE"


@dataclass(frozen=True, kw_only=True)
class SdkConfig:
    """`options`: names without CONFIG_; values as written, what is "not set" left out."""

    file: str
    options: Mapping[str, str]

    def has(self, option: str) -> bool:
        return self.options.get(option) == "y"

    @property
    def flavour(self) -> str:
        """What an allocator's name ends with in this build: "", "+light", "+track", "+light+track".
        That v4.x tracks tasks only in the poison is the allocator's own affair."""
        poisoned = self.has(_LIGHT) or self.has(_COMPREHENSIVE)
        return ("+light" if poisoned else "") + ("+track" if self.has(_TRACKING) else "")

    @property
    def notes(self) -> tuple[str, ...]:
        said = self.flavour or "neither heap poisoning nor task tracking"
        read = f"{said}, as in {self.file}; its other options are not read"
        if not self.has(_COMPREHENSIVE):
            return (read,)
        moves = "a block costs the same, but a realloc of the real one always moves"
        return read, f"comprehensive poisoning is replayed as light: {moves}"


def read_sdkconfig(path: str | Path) -> SdkConfig:
    """InputError names the line that is none of an sdkconfig."""
    options: dict[str, str] = {}
    with open_blocks(path) as blocks:
        for number, line in enumerate(_lines(blocks), 1):
            found = _SET.fullmatch(line)
            if found is not None:
                options[found[1]] = found[2].strip('"')
            elif line and not line.startswith("#"):
                raise InputError(
                    f"{blocks.name}, line {number}: no option: '{printable(line)}'", remedy=_REMEDY
                )
    if not options:
        raise InputError(f"{blocks.name}: no option is set in it", remedy=_REMEDY)
    return SdkConfig(file=blocks.name, options=options)


def _lines(blocks: Blocks) -> Iterator[str]:
    """All of them, without blanks at the ends. InputError when there is too much, or damage."""
    text = b""
    for block in blocks:
        text += block
        if len(text) > _SIZE_MAX:
            raise InputError(
                f"{blocks.name}: more than {_SIZE_MAX >> 20} MiB, too long for an sdkconfig",
                remedy=_REMEDY,
            )
    if blocks.loss is not None:
        raise InputError(f"{blocks.name}: {blocks.loss.sentence()}", remedy="check the file")
    for line in text.decode("utf-8", errors="replace").splitlines():
        yield line.strip()
