"""A firmware's build as the user describes it, beyond chip and SDK version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from heapscope.base.errors import InputError

THRESHOLD = 16384  #: default of CONFIG_SPIRAM_MALLOC_ALWAYSINTERNAL
POOL_SIZE = 32768  #: default of CONFIG_SPIRAM_MALLOC_RESERVE_INTERNAL


class StaticUseError(InputError):
    """More static use than the chip has memory."""


@dataclass(frozen=True, kw_only=True)
class Psram:
    """External memory in the heap."""

    size: int
    threshold: int | None = THRESHOLD  # malloc prefers it above; None: it never uses it
    reserve: int | None = None  # bytes of internal memory kept for DMA; None: as the SDK's default

    @property
    def reserved(self) -> int:
        """The option depends on malloc's use of PSRAM."""
        if self.reserve is not None:
            return self.reserve
        return 0 if self.threshold is None else POOL_SIZE


@dataclass(frozen=True, kw_only=True)
class Build:
    """None: as in a default build."""

    cores: int | None = None
    static_dram: int | None = None
    static_iram: int | None = None
    taken: tuple[tuple[int, int], ...] = ()  # other memory in use: starts and ends
    psram: Psram | None = None
    rtc: bool | None = None  # RTC fast memory is heap
    protection: bool | None = None  # memory protection; without it, heap memory is executable
    iram_8bit: bool = False  # CONFIG_ESP32_IRAM_AS_8BIT_ACCESSIBLE_MEMORY
    rom: bool | None = None  # it uses the allocator in the ROM, where there is one
    options: Mapping[str, str] = field(default_factory=dict)  # of its sdkconfig, as written
    flavour: str = ""  # heap debugging, as an allocator's name ends with it: "+light+track"

    @property
    def statics(self) -> dict[str, int | None]:
        return {"dram": self.static_dram, "iram": self.static_iram}
