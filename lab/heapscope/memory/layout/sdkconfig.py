"""The heap as a firmware's sdkconfig has it: its debugging, and the memory that it gets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from heapscope.config.read_file import read_config_file

_TRACKING = "HEAP_TASK_TRACKING"
_LIGHT = "HEAP_POISONING_LIGHT"
_COMPREHENSIVE = "HEAP_POISONING_COMPREHENSIVE"
_ROM = "HEAP_TLSF_USE_ROM_IMPL"
_UNICORE = "FREERTOS_UNICORE"
#: Names of one option in different releases.
_RTC = (
    "ESP_SYSTEM_ALLOW_RTC_FAST_MEM_AS_HEAP",
    "ESP32_ALLOW_RTC_FAST_MEM_AS_HEAP",
    "ESP32S2_ALLOW_RTC_FAST_MEM_AS_HEAP",
    "ESP32S3_ALLOW_RTC_FAST_MEM_AS_HEAP",
    "ESP32C3_ALLOW_RTC_FAST_MEM_AS_HEAP",
)
_PROTECTION = ("ESP_SYSTEM_MEMPROT_FEATURE", "ESP_SYSTEM_MEMPROT", "ESP32S2_MEMPROT_FEATURE")
_IRAM_8BIT = "ESP32_IRAM_AS_8BIT_ACCESSIBLE_MEMORY"


@dataclass(frozen=True, kw_only=True)
class SdkConfig:
    """`options`: names without CONFIG_; values as written, without quotes; "n" for what is "not
    set". `chip`, `idf`: what the file is of, as it says it; "": it does not."""

    file: str
    options: Mapping[str, str]
    chip: str = ""
    idf: str = ""

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
    def single_core(self) -> bool:
        return self.has(_UNICORE)

    @property
    def without_rtc(self) -> bool:
        """RTC memory is not heap, though the chip could give it."""
        return self._is_off(_RTC)

    @property
    def without_protection(self) -> bool:
        return self._is_off(_PROTECTION)

    @property
    def iram_8bit(self) -> bool:
        return self.has(_IRAM_8BIT)

    def _is_off(self, names: Iterable[str]) -> bool:
        values = [self.options[name] for name in names if name in self.options]
        return bool(values) and "y" not in values

    @property
    def notes(self) -> tuple[str, ...]:
        flavour = self.flavour or "neither heap poisoning nor task tracking"
        memory = {
            "one core": self.single_core,
            "no RTC memory for the heap": self.without_rtc,
            "no memory protection": self.without_protection,
            "byte access to IRAM": self.iram_8bit,
        }
        stated = "".join(f", {what}" for what, is_so in memory.items() if is_so)
        return (f"{flavour}{stated}, as in {self.file}; the log tells the rest",)


def read_sdkconfig(path: str | Path) -> SdkConfig:
    """InputError names a file that cannot be read."""
    file = read_config_file(path)
    options = dict(file.assignments())
    return SdkConfig(
        file=file.name, options=options, chip=file.stated("IDF_TARGET"), idf=file.version
    )
