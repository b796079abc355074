"""The kinds of a binary file, by its first bytes."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from heapscope.base.printable import printable
from heapscope.trace.sniff import TRACE_SYNC
from heapscope.trace.things.kind import OTHER, PACKED, UNKNOWN, KnownAs

ELF = b"\x7fELF"
_ZIP = b"PK\x03\x04"
_SHOT = "copy the text that it shows into a file: only text is read"
#: Files that are known and that no verb reads, what they are, and what to give in their place.
_OTHERS = (
    (b"\x89PNG\r\n", "a picture", _SHOT),
    (b"\xff\xd8\xff", "a picture", _SHOT),
    (b"GIF8", "a picture", _SHOT),
    (b"%PDF-", "a PDF", _SHOT),
    (b"UF2\nWQ]\x9e", "a firmware's image in UF2", "give the ELF that it was made from"),
    (b"MZ", "a Windows program", "give its log or a trace, or record it on Linux"),
)
_TAR = (b"ustar", 257)
#: esp_image_header_t and esp_app_desc_t of ESP-IDF; an image's number of its chip.
IMAGE_MARK, _APP = 0xE9, 0xABCD5432
_APP_AT = 32
CHIP_NUMBERS = {
    0: "esp32",
    2: "esp32s2",
    5: "esp32c3",
    9: "esp32s3",
    12: "esp32c2",
    13: "esp32c6",
    16: "esp32h2",
    18: "esp32p4",
    20: "esp32c61",
    23: "esp32c5",
    25: "esp32h21",
    28: "esp32h4",
    32: "esp32s31",
}
_TASKS_MAX, _TASK_BLOCKS = 4096, range(64, 4096, 4)  # tasks, and the size of a control block
_LATEST = 8  # more than any release has yet
_MEMORY_LEAST = 256  # bytes; fewer may be anything
_SEGMENTS_MAX = 16
_PARTITION = b"\xaa\x50"
#: ELF: types, and machines on which Linux or another large system runs.
_CORE, _OBJECT, _SHARED = 4, 1, 3
_HOSTS = {3: "x86", 62: "x86-64", 183: "AArch64"}
MACHINES = {94: "Xtensa", 243: "RISC-V", 40: "Arm", 83: "AVR", 8: "MIPS"} | _HOSTS
_INTERPRETER, _PROGRAMS_MAX = 3, 64


def kinds_of_bytes(head: bytes, size: int | None) -> Iterator[KnownAs]:
    """`size`: of the whole file, None where it is not known. None: the bytes are a text's."""
    if TRACE_SYNC in head:
        yield KnownAs(kind="trace")
    elif head.startswith(ELF):
        yield _elf(head)
    elif head.startswith(_ZIP):
        yield KnownAs(kind=PACKED, what="a zip archive", remedy="unpack it first: unzip FILE")
    elif other := next((one for one in _OTHERS if head.startswith(one[0])), None):
        yield KnownAs(kind=OTHER, what=other[1], remedy=other[2])
    elif head[_TAR[1] :].startswith(_TAR[0]):
        yield KnownAs(kind=PACKED, what="a tar archive", remedy="unpack it first: tar -xf FILE")
    elif (core := core_kind(head)) is not None:
        yield core
    elif (image := image_kind(head)) is not None:
        yield image
    elif head.startswith(_PARTITION) and head[32:34] in (_PARTITION, b"\xeb\xeb"):
        yield KnownAs(
            kind=OTHER,
            what="a partition table",
            remedy="it says nothing of RAM; give the project's folder",
        )
    elif _is_systemview(head):
        yield KnownAs(kind="systemview")
    elif b"\0" in head or not _is_text(head):
        small = size is not None and size < _MEMORY_LEAST
        what = "a few bytes that no text has" if small else ""
        yield KnownAs(kind=UNKNOWN if small else "memory", what=what)


def _is_text(head: bytes) -> bool:
    control = sum(byte < 7 or 13 < byte < 27 or 27 < byte < 32 for byte in head)
    return control * 50 < len(head)


def _is_systemview(head: bytes) -> bool:
    begin = head[:4096]
    return begin.startswith(b";") and b"SystemView" in begin and bytes(10) in begin


def _elf(head: bytes) -> KnownAs:
    if len(head) < 52 or head[4] not in (1, 2) or head[5] not in (1, 2):
        return KnownAs(kind=UNKNOWN, what="a damaged ELF")
    wide, order = head[4] == 2, "<" if head[5] == 1 else ">"
    kind, number = struct.unpack_from(f"{order}HH", head, 16)
    machine = MACHINES.get(number, f"machine {number}")
    if kind == _CORE:
        whose = "a Linux program" if wide or number in _HOSTS else "a device"
        return KnownAs(kind="core", what=f"a core dump of {whose} ({machine}, ELF)")
    if kind == _OBJECT:
        return KnownAs(
            kind=OTHER,
            what=f"an object file for {machine}",
            remedy="give the ELF that is linked of it",
        )
    interpreted = _has_interpreter(head, wide=wide, order=order)
    if not wide and number not in _HOSTS and not interpreted:
        return KnownAs(kind="firmware", what=f"a firmware's ELF for {machine}")
    if interpreted:
        return KnownAs(kind="program", what=f"a program for {machine}")
    if kind == _SHARED:
        return KnownAs(
            kind="program",
            what=f"a shared library for {machine}, or a program that is linked statically",
        )
    return KnownAs(kind="program", what=f"a program for {machine}, linked statically")


def _has_interpreter(head: bytes, *, wide: bool, order: str) -> bool:
    """Whether a loader of shared libraries starts it."""
    at, size = (32, 54) if wide else (28, 42)
    (start,) = struct.unpack_from(f"{order}{'Q' if wide else 'I'}", head, at)
    if len(head) < size + 4:
        return False
    step, count = struct.unpack_from(f"{order}HH", head, size)
    for number in range(min(count, _PROGRAMS_MAX)):
        place = start + number * step
        if place + 4 > len(head):
            return False
        if struct.unpack_from(f"{order}I", head, place)[0] == _INTERPRETER:
            return True
    return False


def core_kind(head: bytes) -> KnownAs | None:
    """A core dump of ESP-IDF as it is in flash, or one of Zephyr, by its head; None: neither."""
    if head.startswith(b"ZE") and head[6:7] in (b"\5", b"\6") and head[12:13] in b"AMT":
        return KnownAs(kind="core", what="a core dump of Zephyr")
    if len(head) < 32:
        return None
    length, version, tasks, block = struct.unpack_from("<IIII", head)
    form, minor = version >> 8 & 0xFF, version & 0xFF
    if not 64 < length < 1 << 26 or (version >> 16 and version >> 16 not in CHIP_NUMBERS):
        return None
    binary = form == 0 and 1 <= minor <= 3 and 0 < tasks < _TASKS_MAX and block in _TASK_BLOCKS
    if not binary and (form != 1 or minor > _LATEST or ELF not in head[12:32]):
        return None
    return KnownAs(
        kind="core", what="a core dump of ESP-IDF", chip=CHIP_NUMBERS.get(version >> 16, "")
    )


BOOT_LOADER = "an image of a boot loader"
NO_DESCRIPTION = "the image of a firmware before ESP-IDF 3.3, without a description"
_FIRST_AT, _FLASH_OF_ESP32 = 24, 0x3F4  # the first segment's address, in MiB where it is constants


def image_kind(head: bytes) -> KnownAs | None:
    """An image of ESP-IDF by its head; None: no chip's."""
    if len(head) < _APP_AT or head[0] != IMAGE_MARK or not 0 < head[1] <= _SEGMENTS_MAX:
        return None
    (number,) = struct.unpack_from("<H", head, 12)
    if number not in CHIP_NUMBERS:
        return None
    if len(head) < _APP_AT + 256 or struct.unpack_from("<I", head, _APP_AT)[0] != _APP:
        (first,) = struct.unpack_from("<I", head, _FIRST_AT)
        what = NO_DESCRIPTION if first >> 20 == _FLASH_OF_ESP32 else BOOT_LOADER
        return KnownAs(kind="image", what=what, chip=CHIP_NUMBERS[number])
    project = _text(head, 48)
    named = f"the image of the firmware {project}" if project else "a firmware's image"
    return KnownAs(kind="image", what=named, chip=CHIP_NUMBERS[number], sdk=_text(head, 112))


def _text(head: bytes, at: int) -> str:
    return printable(head[_APP_AT + at : _APP_AT + at + 32].partition(b"\0")[0])
