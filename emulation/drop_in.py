"""The memory that the ESP-IDF drop-in takes: bytes in IRAM, flash and RAM, by kind of chip,
release and options. The component's sources are compiled by Debian's compilers for RISC-V and
Xtensa with -Os against stand-ins for ESP-IDF's headers, and linked with what its linker fragment
says; what no other component calls is left out, as ESP-IDF's build leaves it out."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from emulation.places import BUILD, HERE, ROOT, MissingError, run
from emulation.program import HOSTED

__all__ = [
    "CHOICES",
    "KINDS",
    "RELEASES",
    "TABLE",
    "TABLED",
    "Kind",
    "Taken",
    "fragments_of",
    "include_folders",
    "link",
    "number_of",
    "table",
    "taken",
]

DEVICE = ROOT / "device"
COMPONENT = DEVICE / "compat" / "esp_idf"
STAND_INS = HERE / "esp_idf"
TABLE = ROOT / "lab" / "heapscope" / "data" / "heap_code" / "drop_in_linked.csv"

#: The releases that are distinguished, the oldest first; each stands for its patch releases.
RELEASES = ("4.2", "4.3", "4.4", "5.0", "5.1", "5.2", "5.3", "5.4", "5.5", "6.0", "6.1")


@dataclass(frozen=True)
class Kind:
    """A kind of chips: whose instructions are the same."""

    name: str
    compiler: str
    package: str
    flags: tuple[str, ...]


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "riscv",
            "riscv64-unknown-elf-gcc",
            "gcc-riscv64-unknown-elf",
            ("-march=rv32imc", "-mabi=ilp32"),
        ),
        Kind("xtensa", "xtensa-lx106-elf-gcc", "gcc-xtensa-lx106", ("-mlongcalls",)),
    )
}

#: Options of the component's Kconfig that are set, by the name of their choice.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "plain": ("HEAP_POISONING_DISABLED",),
    "abort": ("HEAP_POISONING_DISABLED", "HEAP_ABORT_WHEN_ALLOCATION_FAILS"),
    "hooks": ("HEAP_POISONING_DISABLED", "HEAP_USE_HOOKS"),
    "tracking": ("HEAP_POISONING_DISABLED", "HEAP_TASK_TRACKING"),
    "light": ("HEAP_POISONING_LIGHT",),
    "filled": ("HEAP_POISONING_COMPREHENSIVE",),
    "all": ("HEAP_POISONING_COMPREHENSIVE", "HEAP_TASK_TRACKING", "HEAP_TRACING_STANDALONE"),
    "flash": ("HEAP_POISONING_DISABLED", "HEAP_PLACE_FUNCTION_INTO_FLASH"),
}

#: Those of the published table.
TABLED = ("plain", "tracking", "light", "all", "flash")

#: Other components call these, and every firmware has most of them.
CALLED = (
    *("heap_caps_malloc", "heap_caps_calloc", "heap_caps_realloc", "heap_caps_free"),
    *("heap_caps_malloc_default", "heap_caps_realloc_default", "heap_caps_malloc_prefer"),
    *("heap_caps_calloc_prefer", "heap_caps_realloc_prefer", "heap_caps_aligned_alloc"),
    *("heap_caps_aligned_calloc", "heap_caps_aligned_alloc_default"),
    *("heap_caps_get_free_size", "heap_caps_get_minimum_free_size"),
    *("heap_caps_get_largest_free_block", "heap_caps_get_allocated_size"),
    *("heap_caps_init", "heap_caps_enable_nonos_stack_heaps", "heap_caps_malloc_extmem_enable"),
    *("heap_caps_add_region", "heap_caps_add_region_with_caps"),
)
#: A firmware that sets the option calls these, too.
CALLED_WITH = {
    "HEAP_TRACING_STANDALONE": (
        *("heap_trace_init_standalone", "heap_trace_start", "heap_trace_stop"),
        "heap_trace_dump",
    ),
    "HEAP_TASK_TRACKING": ("heap_caps_get_per_task_info",),
}

#: Functions of other components; they are no part of what is measured.
OUTSIDE = (
    *("esp_heap_adjust_alignment_to_hw", "esp_system_abort", "esp_rom_printf", "ets_printf"),
    *("esp_log_early", "xTaskGetCurrentTaskHandle", "pcTaskGetName", "pcTaskGetTaskName"),
    *("esp_ptr_external_ram", "esp_ptr_internal", "esp_ptr_in_rtc_dram_fast"),
    *("esp_rtc_dram_match_rtc_iram", "esp_ptr_rtc_dram_to_iram", "esp_cpu_get_cycle_count"),
    *("cpu_hal_get_cycle_count", "xthal_get_ccount", "vPortEnterCritical", "vPortExitCritical"),
    *("xPortInIsrContext", "xPortGetCoreID", "abort", "memcpy", "memset", "memmove", "memcmp"),
    *("strlen", "strncpy", "strcmp", "soc_get_available_memory_regions"),
    "soc_get_available_memory_region_max_count",
    # The compilers' arithmetic, which is in the ROM of the chips.
    *("__umodsi3", "__udivsi3", "__modsi3", "__divsi3", "__mulsi3", "__muldi3", "__udivdi3"),
    *("__clzsi2", "__ctzsi2", "__popcountsi2", "__ffssi2", "__bswapsi2", "__lshrdi3"),
    *("__ashldi3", "__clzdi2"),
)
TABLES = ("soc_memory_types", "soc_memory_type_count", "soc_memory_regions")
TABLES_TOO = ("soc_memory_region_count",)

#: Text that is placed elsewhere than code is constant data: in RAM where the code is in IRAM.
SCRIPT = """
SECTIONS
{{
    . = 0x40080000;
    .outside : {{ KEEP(*outside.o(.text .text.* .literal .literal.* .data .data.* .bss)) }}
    .iram : {{ {iram} }}
    .flash : {{ *(.literal .literal.* .text .text.*) }}
    .entries : {{ KEEP(*(esp_system_init_fn)) }}
    .fixed : {{ {fixed} }}
    .constants : {{ *(.rodata .rodata.* .srodata .srodata.*) }}
    .variables : {{ *(.data .data.* .sdata .sdata.*) *(.bss .bss.* .sbss .sbss.* COMMON) }}
    /DISCARD/ : {{ *(.comment .note* .xt.* .xtensa.* .riscv.attributes .eh_frame) }}
}}
"""


def number_of(release: str) -> int:
    """5.3 as 503: as the sources compare it."""
    major, minor = release.split(".")
    return int(major) * 100 + int(minor)


def alike(release: str) -> str:
    """The first release for which the sources are the same as for this one."""
    text = "".join(path.read_text(encoding="utf-8") for path in (COMPONENT / "src").glob("*.[ch]"))
    changes = {int(number) for number in re.findall(r"ESP_RELEASE >= (\d+)", text)}
    last = max((at for at in changes if at <= number_of(release)), default=0)
    return next(one for one in RELEASES if number_of(one) >= last)


def include_folders(release: str) -> list[Path]:
    """The stand-ins for ESP-IDF's headers that a release has."""
    number = number_of(release)
    limits = {
        "all": True,
        "since_4_3": number >= 403,
        "since_5_0": number >= 500,
        "since_5_3": number >= 503,
        "until_4_4": number <= 404,
        "heap_since_4_4/include": 404 <= number < 502,
        "heap_since_5_2/include": number >= 502,
    }
    return [STAND_INS / name for name, there in limits.items() if there]


def fragments_of(options: Iterable[str]) -> list[str]:
    """The entries of the component's linker fragment under these options: names of objects, and of
    single functions as `object:function`. All of them are placed into IRAM."""
    chosen = set(options)
    text = (COMPONENT / "heap" / "linker.lf").read_text(encoding="utf-8")
    entries: list[str] = []
    holds: list[tuple[int, bool]] = []  # the conditions around a line: their indents
    head, there, lines = text.partition("\nentries:\n")
    if not there or "\n[mapping:heap]\narchive: libheap.a" not in head:
        raise ValueError("linker.lf: no mapping of libheap.a")
    for line in lines.splitlines():
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            continue
        holds = [(at, true) for at, true in holds if at < indent]
        if condition := re.fullmatch(r"if (.*):", line.strip()):
            terms = [term.split(" = ") for term in condition[1].split(" || ")]
            holds.append((indent, any((name in chosen) == (is_ == "y") for name, is_ in terms)))
            continue
        entry = re.fullmatch(r"([\w:]+) \(noflash\)", line.strip())
        if entry is None:
            raise ValueError(f"linker.lf: {line}")
        if all(true for _, true in holds):
            entries.append(entry[1])
    return entries


def definitions_of(options: Iterable[str]) -> list[str]:
    """The component's CMakeLists.txt sets the same."""
    chosen = set(options)
    guard = "HEAP_POISONING_DISABLED" not in chosen
    tracked = "HEAP_TASK_TRACKING" in chosen
    return [f"-DHS_GUARD={guard:d}", f"-DHS_OWNERS={tracked:d}", "-DHS_KINDS_MAX=8", "-DHS_LEAN=1"]


def sources_of(options: Iterable[str]) -> list[Path]:
    """The component's CMakeLists.txt lists the same, without the chip's own table."""
    own = [path for path in (COMPONENT / "src").glob("*.c") if not path.stem.startswith("host_")]
    if "HEAP_TRACING_STANDALONE" not in set(options):
        own = [path for path in own if path.stem != "heap_trace"]
    parts = ("heap", "guard", "owners", "regions")
    return sorted([*own, *(path for part in parts for path in (DEVICE / "src" / part).glob("*.c"))])


@dataclass(frozen=True)
class Taken:
    """Bytes: code in IRAM, code and constants in flash, constants and variables in RAM."""

    iram: int
    flash: int
    ram: int


def need(kind: Kind) -> None:
    """MissingError: nothing on this machine compiles for it."""
    if shutil.which(kind.compiler) is None:
        raise MissingError(f"{kind.compiler}; Debian package: {kind.package}")


def flags_of(kind: Kind, release: str, options: Sequence[str], folder: Path) -> list[str]:
    (folder / "sdkconfig.h").write_text(
        "".join(f"#define CONFIG_{name} 1\n" for name in options)
        + "#define CONFIG_HEAP_HAS_EXEC_HEAP 1\n#define CONFIG_HEAP_TRACING_STACK_DEPTH 1\n",
        encoding="utf-8",
    )
    folders = [folder, COMPONENT / "include", DEVICE / "include", *include_folders(release)]
    return [
        *kind.flags,
        *("-Os", "-std=gnu11", "-ffreestanding", "-ffunction-sections", "-fdata-sections"),
        *("-fno-unwind-tables", "-fno-asynchronous-unwind-tables", "-DESP_PLATFORM"),
        *("-Wall", "-Wextra", "-Werror", "-Wno-format", f"-DESP_IDF={number_of(release)}"),
        *definitions_of(options),
        *(part for path in folders for part in ("-I", str(path))),
        *("-isystem", str(HOSTED / "include")),
    ]


def compiled(kind: Kind, flags: Sequence[str], source: Path, folder: Path) -> Path:
    """The object of a source, used again where the preprocessed text and the flags are the same."""
    text = run(kind.compiler, *flags, "-E", "-P", source)
    how = [flag for flag in flags if not flag.startswith(("-I", "/"))]
    key = hashlib.sha256("\0".join((kind.compiler, *how, text)).encode()).hexdigest()[:20]
    built = BUILD / "drop_in" / kind.name / f"{source.stem}-{key}.o"
    if not built.exists():
        built.parent.mkdir(parents=True, exist_ok=True)
        own = built.with_suffix(f".{os.getpid()}")
        run(kind.compiler, *flags, "-c", source, "-o", own)
        own.replace(built)
    linked = folder / f"{source.stem}.o"
    shutil.copyfile(built, linked)
    return linked


def in_iram(entries: Iterable[str]) -> tuple[str, str]:
    """The linker script's lines for code and for constants that the entries place."""
    code, constants = [], []
    for entry in entries:
        name, _, function = entry.partition(":")
        ends = (f".{function}", f".{function}.*") if function else ("", ".*")
        code.append(f"*/{name}.o({' '.join(f'.literal{e} .text{e}' for e in ends)})")
        constants.append(f"*/{name}.o({' '.join(f'.rodata{e} .srodata{e}' for e in ends)})")
    return "\n".join(code), "\n".join(constants)


def link(kind: Kind, release: str, options: Sequence[str], folder: Path) -> Path:
    """The image of a firmware that has the component and calls what components call, in `folder`,
    where the objects lie, too. MissingError: no compiler."""
    need(kind)
    folder.mkdir(parents=True, exist_ok=True)
    flags = flags_of(kind, release, options, folder)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        objects = list(
            pool.map(lambda path: compiled(kind, flags, path, folder), sources_of(options))
        )
    outside = folder / "outside.c"
    outside.write_text(
        "".join(f"void {name}(void) {{}}\n" for name in OUTSIDE)
        + "".join(f"int {name}[1] = {{1}};\n" for name in (*TABLES, *TABLES_TOO)),
        encoding="utf-8",
    )
    run(
        *(kind.compiler, *kind.flags, "-Os", "-ffreestanding", "-fno-builtin", "-w"),
        *("-c", outside, "-o", folder / "outside.o"),
    )
    iram, fixed = in_iram(fragments_of(options))
    script = folder / "image.ld"
    script.write_text(SCRIPT.format(iram=iram, fixed=fixed), encoding="utf-8")
    called = [*CALLED, *(name for option in options for name in CALLED_WITH.get(option, ()))]
    image = folder / "image.elf"
    run(
        *(kind.compiler, *kind.flags, "-nostdlib", "-static", f"-Wl,-T,{script}"),
        *("-Wl,--gc-sections", "-Wl,-e,heap_caps_init", *(f"-Wl,-u,{name}" for name in called)),
        *(*objects, folder / "outside.o", "-lgcc", "-o", image),
    )
    return image


def taken(kind: Kind, release: str, options: Sequence[str]) -> Taken:
    """The bytes that the linked component takes. MissingError: no compiler."""
    key = hashlib.sha256(f"{kind.name} {release} {' '.join(options)} {os.getpid()}".encode())
    folder = BUILD / "drop_in" / key.hexdigest()[:16]
    try:
        sizes = sections(link(kind, release, options, folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Taken(
        iram=sizes[".iram"],
        flash=sizes[".flash"] + sizes[".constants"] + sizes[".entries"],
        ram=sizes[".fixed"] + sizes[".variables"],
    )


def sections(image: Path) -> dict[str, int]:
    sizes = dict.fromkeys((".iram", ".flash", ".constants", ".entries", ".fixed", ".variables"), 0)
    with image.open("rb") as file:
        for section in ELFFile(file).iter_sections():
            if section.name in sizes:
                sizes[section.name] = section["sh_size"]
    return sizes


def table(
    kinds: Iterable[str] = tuple(KINDS),
    releases: Iterable[str] = RELEASES,
    choices: Iterable[str] = TABLED,
) -> str:
    """The figures as CSV text, one row a kind of chip, release and choice of options."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("chip_kind", "idf", "options", "iram_bytes", "flash_bytes", "ram_bytes"))
    cells = [(k, r, c) for k in kinds for r in releases for c in choices]
    known: dict[tuple[str, str, str], Taken] = {}
    for name, release, choice in cells:
        cell = (name, alike(release), choice)
        if cell not in known:
            known[cell] = taken(KINDS[name], cell[1], CHOICES[choice])
        figures = known[cell]
        rows.writerow((name, release, choice, figures.iram, figures.flash, figures.ram))
    return text.getvalue()


if __name__ == "__main__":
    try:
        TABLE.parent.mkdir(parents=True, exist_ok=True)
        TABLE.write_text(table(), encoding="utf-8")
    except (MissingError, subprocess.SubprocessError) as error:
        sys.exit(str(error))
