"""The debugging of a firmware's heap as its sdkconfig sets it: poisoning and task tracking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from heapscope.config.config import read_files

_TRACKING = "HEAP_TASK_TRACKING"
_LIGHT = "HEAP_POISONING_LIGHT"
_COMPREHENSIVE = "HEAP_POISONING_COMPREHENSIVE"


@dataclass(frozen=True, kw_only=True)
class SdkConfig:
    """`options`: names without CONFIG_; values as written, without quotes; "n" for what is "not
    set"."""

    file: str
    options: Mapping[str, str]

    def has(self, option: str) -> bool:
        return self.options.get(option) == "y"

    @property
    def flavour(self) -> str:
        """The end of an allocator's name in this build: "", "+light", "+track" or "+light+track".
        v4.x tracks tasks only in the poison; the allocator itself takes care of that."""
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
    (file,) = read_files([path])
    options = {line.name: line.text.strip('"') for line in file.lines}
    return SdkConfig(file=file.name, options=options)
