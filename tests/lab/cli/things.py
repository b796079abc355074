"""Things of every kind that a user has, each made in an empty folder."""

from __future__ import annotations

import base64
import gzip
import lzma
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import zstandard
from tests.lab.static.images import Constants, sealed

LAB = Path(__file__).resolve().parents[1]

LOG = """\
I (331) cpu_start: ESP-IDF:          v4.2.2
I (344) heap_init: At 3FFAE6E0 len 00001920 (6 KiB): DRAM
I (350) heap_init: At 3FFB2F50 len 0002D0B0 (180 KiB): DRAM
I (400) app: Free heap: 24040 bytes, largest free block: 9204 bytes
E (500) app: heap_caps_malloc was called but failed to allocate 12289 bytes with 0x1800 capabilities
"""
CONFIG = 'CONFIG_IDF_TARGET="esp32"\nCONFIG_FREERTOS_HZ=1000\nCONFIG_LWIP_MAX_SOCKETS=16\n'
EVENTS = "# a story\nt net\na 1 1000\na 2 20000\nf 2\nf 1\n"
FREERTOS = "#define configUSE_PREEMPTION 1\n#define configTOTAL_HEAP_SIZE ((size_t)32768)\n"
ZEPHYR = "# Zephyr Kernel Configuration\nCONFIG_HEAP_MEM_POOL_SIZE=8192\nCONFIG_NET_BUF=y\n"
PRJ = "".join(f"CONFIG_{name}=y\n" for name in ("NETWORKING", "NET_IPV4", "SHELL_X", "POSIX_Y"))
SIZES = "Total sizes:\nUsed static DRAM:   71732 bytes (  52848 available, 57.6% used)\n"
OVERFLOW = "ld: region `dram0_0_seg' overflowed by 3080 bytes\n"
HEAP_TRACE = """\
====== Heap Trace: 1 records (10 capacity) ======
    20 bytes (@ 0x3ffb1234, Internal) allocated CPU 0 ccount 0x00001234 caller 0x400d1234:0x400d5678
"""
CORE_LOG = f"{LOG}================= CORE DUMP START =================\nAAAA\n"
RESULT = '{\n "heapscope_leaks": 1,\n "verdict": ["Nothing leaks."]\n}\n'


def elf(kind: int, machine: int, *, wide: bool = False, interpreter: bool = False) -> bytes:
    """The heads of an ELF, without sections."""
    programs = 1 if interpreter else 0
    ident = b"\x7fELF" + bytes([2 if wide else 1, 1, 1]) + bytes(9)
    if wide:
        head = struct.pack(
            "<HHIQQQIHHHHHH", kind, machine, 1, 0, 64, 0, 0, 64, 56, programs, 0, 0, 0
        )
        return ident + head + (struct.pack("<I", 3) + bytes(52)) * programs + bytes(64)
    head = struct.pack("<HHIIIIIHHHHHH", kind, machine, 1, 0, 52, 0, 0, 52, 32, programs, 0, 0, 0)
    return ident + head + (struct.pack("<I", 3) + bytes(28)) * programs + bytes(64)


def core(threads: int) -> bytes:
    """A core dump of a device: some memory, and a segment of notes, one for each thread."""
    notes = (struct.pack("<III4s", 4, 204, 1, b"CORE") + bytes(204)) * threads
    ident = b"\x7fELF" + bytes([1, 1, 1]) + bytes(9)
    head = struct.pack("<HHIIIIIHHHHHH", 4, 94, 1, 0, 52, 0, 0, 52, 32, 2, 0, 0, 0)
    rows = struct.pack("<8I", 4, 116, 0, 0, len(notes), 0, 0, 0)
    rows += struct.pack("<8I", 1, 116 + len(notes), 0x3FFB0000, 0, 8, 8, 0, 0)
    return ident + head + rows + notes + b"memory!!"


def image() -> bytes:
    """An image of ESP-IDF for the ESP32-C3."""
    rows = [(0x3FC80000, 0x5C710, 0, 0x40380000, 0), (0x3FCDC710, 0x38F0, 0, 0x403DC710, 1)]
    constants = Constants(
        base=0x3C020020,
        kinds=("RAM",),
        rows=rows,
        taken=[(0x3FC80000, 0x3FC80800), (0x3FC80800, 0x3FC81000)],
    )
    flash = (0x3C020020, constants.bytes(1))
    segments = [flash, (0x3FC80800, bytes(64)), (0x40380000, bytes(0x800))]
    return sealed("esp32c3", segments, entry=0x40380254, idf="v5.5.3")


def zephyr_core() -> bytes:
    """A core dump of Zephyr on an Arm: registers and some memory."""
    head = struct.pack("<2sHHBBI", b"ZE", 2, 3, 5, 0, 4) + struct.pack("<BHH", ord("A"), 1, 36)
    return head + bytes(36) + struct.pack("<BHII", ord("M"), 1, 32, 40) + b"memory!!"


def in_flash(content: bytes) -> bytes:
    """A core dump as it stands in the partition of an ESP32-S3."""
    return struct.pack("<6I", len(content) + 28, 9 << 16 | 0x102, 0, 0, 0, 3) + content + bytes(4)


@dataclass(frozen=True, kw_only=True)
class Built:
    """`content`: of a file, or what makes the thing in its folder; `says`: words of its answer, of
    its figures or of its notes; `next`: the first words of the first command."""

    kind: str
    content: str | bytes | Callable[[Path], object]
    says: str = ""
    next: str = ""
    also: tuple[str, ...] = ()


def _build(folder: Path) -> None:
    (folder / "config").mkdir(parents=True)
    (folder / "sdkconfig").write_text(CONFIG, encoding="utf-8")
    text = f'{{"project_name": "blinky", "target": "esp32", "config_file": "{folder}/sdkconfig"}}'
    (folder / "project_description.json").write_text(text.replace("\\", "/"), encoding="utf-8")


def _project(folder: Path) -> None:
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text("project(blinky)\n", encoding="utf-8")
    (folder / "sdkconfig.defaults").write_text(CONFIG, encoding="utf-8")


def _logs(folder: Path) -> None:
    folder.mkdir()
    (folder / "first.txt").write_text(LOG, encoding="utf-8")


#: By the name of the thing; none of them tells its kind.
THINGS = {
    "a": Built(kind="log", content=LOG, says="12,289 B", next="log"),
    "b": Built(kind="log", content=zstandard.compress(LOG.encode()), says="12,289 B", next="log"),
    "c": Built(kind="log", content=LOG.encode("utf-16"), says="12,289 B", next="log"),
    "d": Built(kind="log", content='{"heap": {"free": 91024}}\n' * 3, says="91,024 B", next="log"),
    "e": Built(kind="log", content=HEAP_TRACE, next="log", also=("a heap trace of ESP-IDF",)),
    "f": Built(kind="log", content=CORE_LOG, next="log", also=("a core dump in base64",)),
    "g": Built(kind="log", content=LOG + CONFIG, next="log", also=("a configuration of ESP-IDF",)),
    "h": Built(kind="sdkconfig", content=CONFIG, says="No error", next="predict"),
    "i": Built(
        kind="sdkconfig",
        content="CONFIG_FREERTOS_HZ=1000\n",
        says="taken for esp32",
        next="predict",
    ),
    "j": Built(
        kind="sdkconfig",
        content='CONFIG_IDF_TARGET="esp32"\nCONFIG_FREERTOS_HZ=5000\n',
        says="1 error",
        next="lint",
    ),
    "k": Built(
        kind="sdkconfig",
        content='{"IDF_TARGET": "esp32", "FREERTOS_HZ": 1000, "ESP_WIFI_ENABLED": true}',
        says="left",
    ),
    "l": Built(kind="text", content=EVENTS, says="21,000 B", next="import"),
    "m": Built(
        kind="mtrace",
        content="= Start\n@ p:[0x1] + 0x2000 0x40\n@ p:[0x1] - 0x2000\n",
        says="64 B",
        next="import",
    ),
    "n": Built(
        kind="heaptrack",
        content=b"v 10400 3\na 64 1\n+ 0\n- 0\n",
        says="100 B",
        next="import",
    ),
    "o": Built(
        kind="pjsip",
        content=(LAB / "pools" / "pjsua.log").read_bytes(),
        says="how full",
        next="import",
        also=("a device's log",),
    ),
    "p": Built(
        kind="map", content=(LAB / "fit" / "app.map").read_bytes(), says="chip is not known"
    ),
    "q": Built(kind="size", content=SIZES, says="52,848 B are left"),
    "r": Built(kind="size", content=OVERFLOW, says="3,080 B too small"),
    "s": Built(kind="result", content=RESULT, says="Nothing leaks."),
    "t": Built(kind="firmware", content=elf(2, 94), says="not known"),
    "u": Built(kind="program", content=elf(3, 62, wide=True, interpreter=True), next="record"),
    "v": Built(kind="program", content="#!/bin/sh\nexec ./p\n", next="record"),
    "w": Built(kind="core", content=core(3), says="3 tasks", next="image"),
    "x": Built(kind="core", content=in_flash(core(2)), says="2 tasks", next="image"),
    "y": Built(kind="core", content=elf(4, 62, wide=True), says="64 bits", next="image"),
    "y2": Built(kind="core", content=base64.encodebytes(in_flash(core(2))), says="2 tasks"),
    "y3": Built(kind="core", content=zephyr_core(), says="1 task", next="image"),
    "z": Built(kind="image", content=image(), says="385,120 B"),
    "aa": Built(kind="memory", content=bytes(range(256)) * 16, says="4,096 B", next="image"),
    "3fc80000": Built(kind="memory", content=bytes(range(256)) * 16, says="no heap in the 4,096 B"),
    "ab": Built(kind="build", content=_build, says="No error", next="predict"),
    "ac": Built(kind="project", content=_project, says="No error", next="predict --project"),
    "ad": Built(kind="folder", content=_logs, says="first.txt"),
    "ae": Built(kind="other", content=FREERTOS, says="--pool"),
    "af": Built(kind="other", content="esphome:\n  name: hall\nesp32:\n  board: esp32dev\n"),
    "ag": Built(kind="other", content=ZEPHYR, says="trace"),
    "ah": Built(kind="other", content=PRJ, says="prj.conf of Zephyr"),
    "ai": Built(
        kind="other", content="[[region]]\nstart = 0x20000000\nsize = 32768\n", next="replay"
    ),
    "aj": Built(kind="other", content='[budget]\nfree = "20KB"\n', next="check"),
    "ak": Built(kind="other", content='#include "a.h"\nint main(void) { return 0; }\n'),
    "al": Built(kind="other", content=elf(1, 243), says="linked"),
    "am": Built(kind="log", content=gzip.compress(LOG.encode()), next="log"),
    "an": Built(kind="packed", content=CONFIG.encode("utf-16"), says="UTF-8"),
    "ao": Built(kind="empty", content=b""),
    "ap": Built(kind="empty", content="\n \n"),
    "aq": Built(kind="unknown", content="To be, or not to be.\nThat is the question.\n"),
    "ar": Built(kind="unknown", content="\x01\x02\x03"),
    "as": Built(kind="unknown", content='{\n "colour": "red"\n}\n'),
    "at": Built(kind="packed", content=gzip.compress(elf(2, 94)), says="unpack it first"),
    "au": Built(kind="sdkconfig", content=lzma.compress(CONFIG.encode()), next="predict"),
    "av": Built(kind="other", content="desc: x\ncmd: ./a\ntime_unit: i\n", next="record"),
    "aw": Built(kind="other", content='{"dhatFileVersion":2,"mode":"heap"}', next="record"),
    "ax": Built(kind="other", content="==1== Memcheck\n==1== \n==1== HEAP SUMMARY:\n"),
    "ay": Built(kind="other", content=":020000040800F2\n:00000001FF\n", says="ELF"),
    "az": Built(kind="other", content=b"UF2\nWQ]\x9e" + bytes(504), says="ELF"),
    "ba": Built(kind="other", content=b"\x89PNG\r\n\x1a\n" + bytes(99), says="text"),
}


def make(name: str, folder: Path) -> Path:
    """The thing of this name, in the folder."""
    path, content = folder / name, THINGS[name].content
    if callable(content):
        content(path)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
