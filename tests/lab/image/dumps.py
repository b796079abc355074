"""Core dumps of every form that the tests write themselves, and the captured ones."""

from __future__ import annotations

import base64
import hashlib
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import zstandard

CAPTURED = Path(__file__).with_name("captured")
CHIPS = {"esp32": 0, "esp32s3": 9, "esp32c3": 5, "esp32c6": 13}
XTENSA, RISCV = 94, 243
SHA_VERSIONS = (0x101, 0x103, 0x104)
WORDS = {0x001: 4, 0x002: 5, 0x003: 6, 0x100: 5, 0x101: 5, 0x102: 6, 0x103: 6, 0x104: 3}


def captured(name: str) -> bytes:
    return zstandard.ZstdDecompressor().decompress((CAPTURED / f"{name}.zst").read_bytes())


def put(folder: Path, name: str) -> str:
    """The path of a captured file, unpacked: BUILD.ADDRESS as ADDRESS.raw."""
    build, _, what = name.partition(".")
    target = folder / (f"{build}.core" if what == "core" else f"{what}.raw")
    target.write_bytes(captured(name))
    return str(target)


@dataclass(frozen=True, kw_only=True)
class Task:
    """`stack`: from its top on; its registers are what a dump of this processor has of it."""

    tcb: int
    control: bytes
    top: int
    stack: bytes


@dataclass(frozen=True, kw_only=True)
class Moment:
    """A device's memory at one moment."""

    chip: str
    tasks: tuple[Task, ...]
    segments: tuple[tuple[int, bytes], ...] = ()
    reason: str = ""
    digest: str = ""

    @property
    def machine(self) -> int:
        return XTENSA if self.chip in ("esp32", "esp32s3") else RISCV

    @property
    def memory(self) -> dict[int, bytes]:
        parts = [(task.tcb, task.control) for task in self.tasks]
        parts += [(task.top, task.stack) for task in self.tasks]
        return dict([*parts, *self.segments])


def moment(chip: str = "esp32c3", *, tasks: int = 3, seed: int = 1) -> Moment:
    base = 0x3FC9_0000 if chip != "esp32" else 0x3FFB_0000
    noise = bytes((seed * 7 + index * 13) % 251 for index in range(4096))
    return Moment(
        chip=chip,
        tasks=tuple(
            Task(
                tcb=base + 0x1000 * number,
                control=struct.pack("<I", base + 0x1000 * number + 0x400)
                + noise[number : number + 348],
                top=base + 0x1000 * number + 0x400,
                stack=struct.pack("<32I", *(number * 100 + index + 1 for index in range(32)))
                + noise[: 64 * (number + 1)],
            )
            for number in range(tasks)
        ),
        segments=((base + 0x8000, noise), (0x5000_0000, b"kept" * 16)),
        reason="assert failed: tlsf_free tlsf.c:1120",
        digest="31febaafed0ec1fa",
    )


def note(name: str, kind: int, body: bytes) -> bytes:
    text = name.encode() + b"\0"
    head = struct.pack("<III", len(text), len(body), kind)
    return head + text + bytes(-len(text) % 4) + body + bytes(-len(body) % 4)


def status(task: int, registers: Sequence[int]) -> bytes:
    words = struct.pack(f"<{len(registers)}I", *registers)
    return bytes(24) + struct.pack("<I", task) + bytes(44) + words


def elf(kind: int, machine: int, segments: Sequence[tuple[int, int, bytes]]) -> bytes:
    """`segments`: the type of each, its address and its bytes."""
    ident = b"\x7fELF" + bytes([1, 1, 1]) + bytes(9)
    count = len(segments)
    head = ident + struct.pack(
        "<HHIIIIIHHHHHH", kind, machine, 1, 0, 52, 0, 0, 52, 32, count, 0, 0, 0
    )
    at, rows = 52 + 32 * count, b""
    for type_, address, data in segments:
        rows += struct.pack("<8I", type_, at, address, address, len(data), len(data), 6, 0)
        at += len(data)
    return head + rows + b"".join(data for _, _, data in segments)


def elf_core(one: Moment, version: int = 0x102) -> bytes:
    """In the order of ESP-IDF: registers, then each task, memory, and its own notes."""
    if one.machine == RISCV:
        gathered = [struct.unpack_from("<32I", task.stack) for task in one.tasks]
    else:
        gathered = [(1, 2, *(0,) * 62, *range(64), 0) for _ in one.tasks]
    notes = b"".join(
        note("CORE", 1, status(task.tcb, words))
        for task, words in zip(one.tasks, gathered, strict=True)
    )
    own = note("ESP_CORE_DUMP_INFO", 8266, struct.pack("<I66s", version, one.digest.encode()))
    own += note("ESP_EXTRA_INFO", 677, struct.pack("<I", one.tasks[0].tcb) + bytes(100))
    own += note("ESP_PANIC_DETAILS", 679, one.reason.encode()) if one.reason else b""
    parts = [(1, address, data) for address, data in one.memory.items()]
    return elf(4, one.machine, [(4, 0, notes), *parts, (4, 0, own)])


def binary_core(one: Moment) -> bytes:
    parts = [
        struct.pack("<III", task.tcb, task.top, task.top + len(task.stack))
        + task.control
        + task.stack
        for task in one.tasks
    ]
    parts += [struct.pack("<II", start, len(data)) + data for start, data in one.segments]
    return b"".join(parts)


def esp_core(one: Moment, version: int) -> bytes:
    """With header and checksum, as it is in flash."""
    form = binary_core(one) if version < 0x100 else elf_core(one, version)
    form += bytes(-len(form) % 16)
    words = [0, CHIPS[one.chip] << 16 | version, len(one.tasks), len(one.tasks[0].control)]
    words += [len(one.segments), 3]
    if version == 0x104:
        words = [*words[:2], 3]
    elif version >= 0x100:
        words[2:5] = [0, 0, 0]
    words = words[: WORDS[version]]
    summed = 32 if version in SHA_VERSIONS else 4
    words[0] = 4 * len(words) + len(form) + summed
    data = struct.pack(f"<{len(words)}I", *words) + form
    if version in SHA_VERSIONS:
        return data + hashlib.sha256(data).digest()
    return data + struct.pack("<I", zlib.crc32(data))


def printed(data: bytes, *, front: str = "", end: str = "\r\n", between: str = "") -> bytes:
    """In base64 between its marks; `front`: of each line; `between`: another line after some."""
    lines = ["I (500) app: before", front + "================= CORE DUMP START ================="]
    for number, at in enumerate(range(0, len(data), 48)):
        lines.append(front + base64.b64encode(data[at : at + 48]).decode())
        if between and number % 5 == 0:
            lines.append(between)
    lines += [front + "================= CORE DUMP END =================", "Rebooting..."]
    return end.join([*lines, ""]).encode()


def zephyr(
    one: Moment, *, registers: bytes = bytes(76), target: int = 4, summed: bool = False
) -> bytes:
    data = struct.pack("<2sHHBBI", b"ZE", 2, target, 5, summed, 2)
    data += struct.pack("<BHH", ord("A"), 1, len(registers)) + registers
    for start, content in one.memory.items():
        data += struct.pack("<BHII", ord("M"), 1, start, start + len(content)) + content
    return data + (struct.pack("<BHI", ord("C"), 1, zlib.crc32(data)) if summed else b"")


def zephyr_log(data: bytes) -> bytes:
    lines = [f"E: #CD:{data[at : at + 32].hex()}" for at in range(0, len(data), 32)]
    return "\n".join(["E: #CD:BEGIN#", *lines, "E: #CD:END#", "E: Halting"]).encode()


def intel_hex(segments: Sequence[tuple[int, bytes]]) -> bytes:
    lines = []

    def record(kind: int, address: int, data: bytes) -> None:
        body = struct.pack(">BHB", len(data), address, kind) + data
        lines.append(":" + (body + bytes([-sum(body) & 0xFF])).hex().upper())

    for start, content in segments:
        for at in range(0, len(content), 16):
            record(4, 0, struct.pack(">H", start + at >> 16))
            record(0, start + at & 0xFFFF, content[at : at + 16])
    record(1, 0, b"")
    return "\r\n".join(lines).encode()


def s_records(segments: Sequence[tuple[int, bytes]]) -> bytes:
    lines = ["S0030000FC"]
    for start, content in segments:
        for at in range(0, len(content), 16):
            part = content[at : at + 16]
            body = bytes([len(part) + 5]) + struct.pack(">I", start + at) + part
            lines.append("S3" + (body + bytes([~sum(body) & 0xFF])).hex().upper())
    return "\n".join([*lines, "S70500000000FA", ""]).encode()


#: A section of a firmware: name, flags, address, bytes.
Section = tuple[str, int, int, bytes]
WRITE, ALLOC, EXEC = 1, 2, 4


def firmware(
    sections: Sequence[Section], symbols: Sequence[tuple[str, int, int]], *, machine: int = RISCV
) -> bytes:
    """An ELF with sections and a table of symbols: name, address, size."""
    names = b"\0" + b"".join(f"{name}\0".encode() for name, _, _ in symbols)
    table, at = bytes(16), 1
    for name, address, size in symbols:
        table += struct.pack("<IIIBBH", at, address, size, 0x11, 0, 1)
        at += len(name) + 1
    parts: list[tuple[str, int, int, int, bytes, int]] = [
        (name, 1, flags, address, data, 0) for name, flags, address, data in sections
    ]
    count = len(parts)
    parts += [(".symtab", 2, 0, 0, table, count + 2), (".strtab", 3, 0, 0, names, 0)]
    texts = b"\0" + b"".join(f"{part[0]}\0".encode() for part in parts) + b".shstrtab\0"
    parts.append((".shstrtab", 3, 0, 0, texts, 0))
    body, rows, named = b"", bytes(40), 1
    for name, kind, flags, address, data, link in parts:
        entry = 16 if kind == 2 else 0
        where = 52 + len(body)
        rows += struct.pack(
            "<10I", named, kind, flags, address, where, len(data), link, 1 if entry else 0, 4, entry
        )
        named += len(name) + 1
        body += data + bytes(-len(data) % 4)
    ident = b"\x7fELF" + bytes([1, 1, 1]) + bytes(9)
    count = len(parts) + 1
    head = struct.pack(
        "<HHIIIIIHHHHHH", 2, machine, 1, 0, 0, 52 + len(body), 0, 52, 32, 0, 40, count, count - 1
    )
    return ident + head + body + rows
