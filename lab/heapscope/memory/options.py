"""Every option that chooses the memory to replay on, declared once.

The Python interface takes the keys of `MemoryOptions` as keywords. The command line makes a flag of
each key. A new option is a line here and the code that uses it, in choose.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypedDict, cast, get_type_hints

from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.base.option import Option
from heapscope.config.releases import ARDUINO

Bytes = int | str  # 65536, "0x10000", "64KB"
Switch = bool | str  # True, "on", False, "off"
File = str | Path


class MemoryOptions(TypedDict, total=False):
    """The memory to replay on. An option that is None counts as not given."""

    chip: Annotated[
        str | None,
        Option("C", "Chip, for example esp32; else as a trace, a log or an sdkconfig names it."),
    ]
    idf: Annotated[
        str | None,
        Option(
            "V",
            "ESP-IDF version as a log prints it: 4.4.7, v5.3.1-dirty; else the input's, or 5.5.",
        ),
    ]
    arduino: Annotated[
        str | None,
        Option("V", "Core of arduino-esp32, which stands for its ESP-IDF version: 2.0.17."),
    ]
    system: Annotated[
        str | None,
        Option(
            "NAME",
            "Another system than ESP-IDF: zephyr, esp-hal, rust, stm32, pico, nuttx, threadx, "
            "arduino; its heap by --pool, --config, --elf or --map.",
        ),
    ]
    config: Annotated[
        File | None,
        Option("F", "With --system: Zephyr's prj.conf or .config, or NuttX' .config.", file=True),
    ]
    boot_log: Annotated[
        File | None,
        Option("F", "Boot log of a real device: its heap_init lines are the regions.", file=True),
    ]
    sdkconfig: Annotated[
        File | None,
        Option(
            "F",
            "The firmware's sdkconfig: the memory that it leaves, as predict has it, and how its "
            "heap is built.",
            file=True,
        ),
    ]
    load: Annotated[
        str | None,
        Option(
            "wifi,tls=2",
            "With --sdkconfig: the system's own blocks beside the trace, of wifi (net: another "
            "network), ble, tcp=N, udp=N, tls=N; wifi,traced: the trace has them (none: those of "
            "start-up).",
        ),
    ]
    cores: Annotated[int | str | None, Option("1|2", "Cores in use (all of the chip's).")]
    static_dram: Annotated[
        Bytes | None, Option("BYTES", "Static use of the DRAM that malloc serves.")
    ]
    static_iram: Annotated[Bytes | None, Option("BYTES", "Code in IRAM; moves the heap's start.")]
    elf: Annotated[
        File | None,
        Option(
            "F",
            "The firmware's ELF: its static RAM, where its heap starts, and names of functions.",
            file=True,
        ),
    ]
    map: Annotated[
        File | None,
        Option("F", "The same from its linker map, which tells components too.", file=True),
    ]
    bin: Annotated[
        File | None,
        Option(
            "F",
            "The firmware's image, build/PROJECT.bin: its chip, its ESP-IDF version, and the "
            "regions of its heap to the byte.",
            file=True,
        ),
    ]
    psram: Annotated[
        Bytes | None,
        Option("SIZE", "External memory in the heap, for example 4MB; 0: the board has none."),
    ]
    psram_threshold: Annotated[
        Bytes | None,
        Option(
            "BYTES/off",
            "malloc goes to PSRAM first above it (16384); off: only requests that ask for SPIRAM "
            "do.",
        ),
    ]
    psram_reserve: Annotated[
        Bytes | None,
        Option("BYTES", "Internal memory that is reserved for DMA when malloc uses PSRAM (32768)."),
    ]
    rtc: Annotated[
        Switch | None, Option("on/off", "RTC fast memory is heap (as in a default build).")
    ]
    memprot: Annotated[
        Switch | None,
        Option("on/off", "Memory protection (as in a default build); off: heap memory has EXEC."),
    ]
    iram_8bit: Annotated[
        Switch | None,
        Option("on/off", "Byte access to IRAM, on an ESP32 with one core (off)."),
    ]
    layout: Annotated[File | None, Option("F.toml", "Regions from a layout file.", file=True)]
    pool: Annotated[
        Bytes | None,
        Option("BYTES", "One pool of this size (262144, 0x40000, 256KB), of idf-5.5 by default."),
    ]
    allocator: Annotated[
        str | Sequence[str] | None,
        Option(
            "[REGION=]A",
            "Allocator of every region, or of one: idf-4.2+light, D/IRAM=tlsf; several with "
            "commas.",
        ),
    ]
    place: Annotated[
        File | None,
        Option(
            "RULES.toml",
            "Send tasks, sizes, sites or heaps to regions and private heaps; none.",
            file=True,
        ),
    ]


def _declared() -> Iterator[tuple[str, Option]]:
    for name, hint in get_type_hints(MemoryOptions, include_extras=True).items():
        yield name, next(one for one in hint.__metadata__ if isinstance(one, Option))


#: Options that name a file which tells what is static: one of them is given.
STATIC_FILES = ("elf", "map", "bin")

#: Every option by its name, in the order of the help.
DECLARED: Mapping[str, Option] = dict(_declared())


def given(options: Mapping[str, object]) -> MemoryOptions:
    """The options without those that are None. InputError names one that does not exist."""
    for name in options:
        if name not in DECLARED:
            raise InputError(
                f"unknown option '{name}'",
                remedy=f"{did_you_mean(name, DECLARED)}valid: {', '.join(DECLARED)}",
            )
    return _as_idf({name: one for name, one in options.items() if one is not None})


def _as_idf(options: dict[str, object]) -> MemoryOptions:
    """A core of arduino-esp32 is another spelling of a version of ESP-IDF."""
    if ARDUINO in options:
        if "idf" in options:
            raise InputError(
                "--idf and --arduino both say which version", remedy="leave one of them out"
            )
        options["idf"] = f"{ARDUINO} {options.pop(ARDUINO)}"
    return cast(MemoryOptions, options)


def per_side(
    shared: MemoryOptions, sides: Sequence[MemoryOptions], *, count: int
) -> tuple[MemoryOptions, ...]:
    """The options of `count` sides: those that all share, and those of each. Without `sides` all
    are alike."""
    if sides and len(sides) != count:
        raise InputError(
            f"options for {len(sides)} sides, but there are {count}",
            remedy="give one mapping of options for each side",
        )
    return tuple(given({**shared, **side}) for side in sides or [{}] * count)


def named_files(*sides: MemoryOptions) -> tuple[Path, ...]:
    """The files that the options name, so that no output takes their place."""
    named = (side.get(name) for side in sides for name, one in DECLARED.items() if one.file)
    return tuple(Path(str(name)) for name in named if name is not None)
