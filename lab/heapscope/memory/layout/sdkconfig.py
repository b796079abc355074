"""The debugging of a firmware's heap as its sdkconfig sets it: poisoning and task tracking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from heapscope.config.read_file import read_config_file

_TRACKING = "HEAP_TASK_TRACKING"
_LIGHT = "HEAP_POISONING_LIGHT"
_COMPREHENSIVE = "HEAP_POISONING_COMPREHENSIVE"
_ROM = "HEAP_TLSF_USE_ROM_IMPL"


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
        """The end of an allocator's name in this build: "", "+light", "+full", "+track", or one of
        the first two with the last. Up to v5.1 tasks are tracked only in the poison; the allocator
        itself takes care of that."""
        poison = "+full" if self.has(_COMPREHENSIVE) else "+light" if self.has(_LIGHT) else ""
        return poison + ("+track" if self.has(_TRACKING) else "")

    @property
    def rom(self) -> bool | None:
        """Whether it uses the allocator in the chip's ROM; None: as a default build does."""
        return None if _ROM not in self.options else self.has(_ROM)

    @property
    def notes(self) -> tuple[str, ...]:
        flavour = self.flavour or "neither heap poisoning nor task tracking"
        return (f"{flavour}, as in {self.file}; its other options are not read",)


def read_sdkconfig(path: str | Path) -> SdkConfig:
    """InputError names a file that cannot be read."""
    file = read_config_file(path)
    options = dict(file.assignments())
    return SdkConfig(file=file.name, options=options)
