"""ESP-IDF's glue against stand-ins with the declarations of each release: it compiles for the
chips' processors, hooks stay out of flash, and a started recorder is heard whole."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from emulation.targets import TARGETS, Target, compiler, need_compiler
from needs import c_compiler, need_program

import heapscope

ROOT = Path(__file__).parents[2]
DEVICE = ROOT / "device"
GLUE = DEVICE / "compat" / "recorder"
HERE = ROOT / "tests" / "device" / "recorder_glue"
SDK = HERE / "sdk"
OURS = [
    *sorted(GLUE.glob("recorder_esp_idf*.c")),
    GLUE / "recorder_glue.c",
    SDK / "every_sink.c",
]
RECORDER = sorted((DEVICE / "src/recorder").glob("*.c"))
WARNINGS = ["-std=gnu11", "-Wall", "-Wextra", "-Werror"]
PORT = '-DHS_RECORDER_PORT="port_esp_idf.h"'
CHUNK = b"HS\xc7\x9a"
XTENSA = "xtensa-lx106-elf-gcc"
#: 402 is 4.2. The first chip with RISC-V came with 4.3.
RELEASES = [402, 403, 404, 500, 501, 502, 503, 504, 505, 600]
#: Two cores: their steps of one word want atomic instructions, which a chip with two has.
TWO_CORES = Target(
    "rv32imac", "riscv32", (*TARGETS["rv32imc"].flags[:-1], "-mcpu=generic_rv32+m+a+c")
)


def folders(release: int) -> list[str]:
    of_release = SDK / ("from_5" if release >= 500 else "before_5")
    paths = (DEVICE / "include", GLUE, SDK, of_release, SDK / "lwip")
    return [f"-I{path}" for path in paths]


def xtensa() -> list[str]:
    return [need_program(XTENSA, package="gcc-xtensa-lx106"), "-mlongcalls"]


def of_chip(target: Target) -> list[str]:
    need_compiler(target)
    return [*compiler(target), "-fno-sanitize=undefined"]


def compile_each(
    command: Sequence[str], sources: Sequence[Path], flags: Sequence[str], folder: Path
) -> list[Path]:
    created = []
    for source in sources:
        created.append(folder / f"{source.stem}.o")
        call = [*command, *WARNINGS, "-Os", "-ffreestanding", *flags, "-c", str(source)]
        subprocess.run([*call, "-o", str(created[-1])], check=True)
    return created


COMPILED = [
    *((release, "xtensa") for release in RELEASES),
    *((release, "rv32imc") for release in RELEASES[1:]),
    *((release, "cortex-m4") for release in (404, 502, 600)),
]


@pytest.mark.cells(2)
@pytest.mark.parametrize(
    ("release", "processor"),
    [
        pytest.param(*pair, marks=() if pair[0] in (402, 404, 600) else pytest.mark.slow)
        for pair in COMPILED
    ],
)
def test_the_glue_compiles_for_each_release(release: int, processor: str, tmp_path: Path) -> None:
    command = xtensa() if processor == "xtensa" else of_chip(TARGETS[processor])
    flags = [*folders(release), PORT, f"-DTEST_IDF={release}"]
    has_usb = release >= 404 and processor != "xtensa"
    sink = "USB_SERIAL_JTAG" if has_usb and release != 600 else "UART"
    compile_each(command, OURS, [*flags, f"-DCONFIG_HEAPSCOPE_RECORDER_{sink}=1"], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("processor", ["rv32imc", "cortex-m4"])
@pytest.mark.parametrize("flags", [[], ["-DTEST_ZEPHYR_MACRO"], ["-DCONFIG_SMP"]], ids=str)
def test_the_glue_of_zephyr_compiles(processor: str, flags: list[str], tmp_path: Path) -> None:
    where = [f"-I{path}" for path in (DEVICE / "include", GLUE, HERE / "zephyr")]
    port = '-DHS_RECORDER_PORT="port_zephyr.h"'
    sources = [GLUE / "recorder_zephyr.c", *RECORDER]
    compile_each(of_chip(TARGETS[processor]), sources, [*where, port, *flags], tmp_path)


#: A hook calls these besides its own: the kernel's, which ESP-IDF places, and memset in ROM.
OUTSIDE = re.compile(
    r"__real_\w+|hs_recorder_\w+|esp_timer_get_time|xPort\w+|vPort\w+|xTaskGetCurrentTaskHandle"
    r"|esp_ptr_external_ram|memset|__atomic_\w+"
)


@pytest.mark.parametrize("processor", ["rv32imac", "xtensa"])
def test_what_a_hook_runs_through_needs_no_flash(processor: str, tmp_path: Path) -> None:
    """With the cache off neither code nor constants of flash are there."""
    command = xtensa() if processor == "xtensa" else of_chip(TWO_CORES)
    sources = [GLUE / "recorder_esp_idf.c", GLUE / "recorder_glue.c", *RECORDER]
    flags = [*folders(505), PORT, "-DHS_RECORDER_CORES=2", "-ffunction-sections", "-fdata-sections"]
    outside, own, placed = set(), set(), set()
    for created in compile_each(command, sources, flags, tmp_path):
        with created.open("rb") as stream:
            elf = ELFFile(stream)
            for section in elf.iter_sections():
                placed.add(section.name.split(".")[1] if section.name.startswith(".iram1") else "")
                if not isinstance(section, RelocationSection):
                    continue
                if not elf.get_section(section["sh_info"]).name.startswith(".iram1"):
                    continue
                table = elf.get_section(section["sh_link"])
                for relocation in section.iter_relocations():
                    symbol: Any = table.get_symbol(relocation["r_info_sym"])
                    if symbol["st_shndx"] == "SHN_UNDEF":
                        outside.add(symbol.name)
                    elif isinstance(symbol["st_shndx"], int):
                        own.add(elf.get_section(symbol["st_shndx"]).name)
    assert "iram1" in placed
    assert {name for name in outside if name and not OUTSIDE.fullmatch(name)} == set()
    assert {name for name in own if name.startswith((".text", ".rodata", ".srodata"))} == set()


def built(folder: Path, *flags: str) -> Path:
    """The program start.c on a host, on our drop-in for ESP-IDF's heap."""
    program = folder / "start"
    heaps = [
        path
        for part in ("recorder", "trace", "heap", "regions", "owners", "guard", "text")
        for path in sorted((DEVICE / "src" / part).glob("*.c"))
    ]
    sources = [
        *(HERE / "start.c", SDK / "sdk.c", GLUE / "recorder_glue.c"),
        *sorted(GLUE.glob("recorder_esp_idf*.c")),
        *sorted((DEVICE / "compat/esp_idf/src").glob("*.c")),
        *heaps,
    ]
    menu = {"BYTES": 65536, "LEVEL": 0, "SAMPLING": 0, "SNAPSHOT_SECONDS": 0}
    options = [f"-DCONFIG_HEAPSCOPE_RECORDER_{name}={value}" for name, value in menu.items()]
    options += ["-DCONFIG_HEAPSCOPE_RECORDER_UART=1", "-DHS_KINDS_MAX=8", PORT]
    paths = (DEVICE / "include", GLUE, DEVICE / "compat/esp_idf/include", SDK)
    where = [f"-I{path}" for path in paths]
    compile_flags = [*WARNINGS, "-O1", "-fno-builtin", "-Wno-deprecated-declarations"]
    link = f"-Wl,@{GLUE / 'esp_idf_wrap.opt'}"
    call = [*c_compiler(), *compile_flags, "-D_GNU_SOURCE", *options, *flags, *where]
    subprocess.run([*call, *map(str, sources), link, "-o", str(program)], check=True)
    return program


@pytest.fixture(scope="module")
def newest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("newest")
    return built(folder, "-DTEST_IDF=505", "-DCONFIG_HEAP_POISONING_LIGHT=1")


@pytest.fixture(scope="module")
def without_walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("without_walk")
    return built(folder, "-DTEST_IDF=502", "-DCONFIG_HEAP_POISONING_DISABLED=1")


def recorded(program: Path, folder: Path, sink: str) -> tuple[Path, str]:
    trace = folder / "recorded.hst"
    ran = subprocess.run(
        [program, str(trace), sink], capture_output=True, text=True, check=True, timeout=60
    )
    return trace, ran.stdout


@pytest.mark.slow
@pytest.mark.parametrize("sink", ["menuconfig", "uart", "usb", "usb unplugged"])
def test_a_started_recorder_is_heard_whole(newest: Path, tmp_path: Path, sink: str) -> None:
    """`usb` has a driver whose buffer is smaller than a chunk."""
    trace, stated = recorded(newest, tmp_path, sink)
    assert stated == f"baud {921600 if sink == 'menuconfig' else 0}\n"
    assert trace.read_bytes().startswith(CHUNK)
    info = heapscope.replay(trace).to_json()
    assert info["health"]["lost_events"] == info["health"]["lost_chunks"] == 0
    reported = {"chip": "esp32c3", "sdk": "esp-idf v5.5", "reset": "panic", "boot": "1"}
    assert reported.items() <= info["metadata"].items()
    assert info["events"]["total"] == 401
    assert info["events"]["reallocs"] > 100 < info["events"]["mallocs"]
    assert "main" in [task["name"] for task in info["tasks"]]


@pytest.mark.slow
def test_the_walk_agrees_with_the_events(newest: Path, tmp_path: Path) -> None:
    """A realloc that moves is one event; the walked heap has the same blocks after it."""
    trace, _ = recorded(newest, tmp_path, "menuconfig")
    reported = heapscope.replay(trace).to_json()["recording"]
    assert reported["known"]
    assert reported["snapshots"] >= 2
    assert reported["corrections"] == reported["void_snapshots"] == 0
    assert reported["start_blocks"] >= 1  # allocated before the start


def cut(trace: Path) -> Path:
    """A listener came in the middle and heard this."""
    heard = trace.read_bytes()
    chunks = [match.start() for match in re.finditer(re.escape(CHUNK), heard)]
    late = trace.with_name("late.hst")
    late.write_bytes(heard[chunks[len(chunks) // 2] :])
    return late


def test_a_late_listener_knows_the_heap_after_a_snapshot(newest: Path, tmp_path: Path) -> None:
    trace, _ = recorded(newest, tmp_path, "menuconfig")
    reported = heapscope.replay(cut(trace)).to_json()["recording"]
    assert reported["known"]
    assert reported["start_blocks"] > 20


@pytest.mark.slow
def test_a_late_listener_of_a_release_without_walk_does_not_know_the_heap(
    without_walk: Path, tmp_path: Path
) -> None:
    trace, _ = recorded(without_walk, tmp_path, "menuconfig")
    whole = heapscope.replay(trace).to_json()
    assert whole["events"]["total"] == 401
    assert whole["metadata"]["snapshots"] == "0"
    late = heapscope.replay(cut(trace)).to_json()
    assert not late["recording"]["known"]
    assert late["recording"]["snapshots"] == 0
    assert late["health"]["lost_events"] + late["events"]["total"] == 401


def test_a_driver_that_is_not_there_takes_nothing(newest: Path, tmp_path: Path) -> None:
    trace, _ = recorded(newest, tmp_path, "usb without driver")
    assert trace.read_bytes() == b""


GUIDE = ROOT / "docs" / "guide" / "recorder-esp-idf.md"


def test_the_guide_names_what_there_is() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    kconfig = "".join(
        (DEVICE / name).read_text("utf-8") for name in ("Kconfig", "Kconfig.recorder")
    )
    options = {f"CONFIG_{name}" for name in re.findall(r"config (HEAPSCOPE_RECORDER\w*)", kconfig)}
    named = set(re.findall(r"\bCONFIG_HEAPSCOPE_\w+", text))
    assert named <= options
    least = {"CONFIG_HEAPSCOPE_RECORDER_SINK", "CONFIG_HEAPSCOPE_RECORDER_SAMPLING"}
    assert options - named <= {*least, "CONFIG_HEAPSCOPE_RECORDER_TASKS"}
    for title in re.findall(r'menuconfig`, "(\w+)", "(\w+)"', text)[0]:
        assert f'menu "{title}"' in kconfig
    glue = "".join(path.read_text("utf-8") for path in GLUE.iterdir())
    for name in re.findall(r"`(hs_recorder_\w+)(?:\(\))?`", text):
        assert name in glue, name


def test_the_guide_s_code_compiles(tmp_path: Path) -> None:
    code = re.findall(r"^( *)```c\n(.*?)^\1```", GUIDE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(code) == 2
    flags = [*folders(505), PORT, "-Wno-missing-prototypes"]
    for number, (_, text) in enumerate(code):
        source = tmp_path / f"guide{number}.c"
        source.write_text(text, encoding="utf-8")
        compile_each(of_chip(TARGETS["rv32imc"]), [source], flags, tmp_path)
