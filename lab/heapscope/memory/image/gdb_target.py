"""Memory of a device that runs, read through the server of its debugger: QEMU's stub, OpenOCD,
J-Link, probe-rs.

The target is halted as long as the reading takes; nothing is written, and it goes on afterwards.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from heapscope.base.errors import InputError
from heapscope.base.port import TARGET
from heapscope.base.printable import printable
from heapscope.base.sizes import parse_size
from heapscope.base.wording import size as sized
from heapscope.memory.image.exception_frames import TASK_STACK
from heapscope.memory.image.gdb_packets import PATIENCE, GdbPackets, connect
from heapscope.memory.image.gdb_registers import TargetRegisters, described_registers
from heapscope.memory.image.memory_image import (
    ADDRESS_END,
    MemoryImage,
    MemorySegment,
    Thread,
    joined,
)
from heapscope.memory.image.registers import ARM, RISCV, XTENSA, of_server, pointers
from heapscope.memory.static.window import read_windows

_PACKET_LEAST, _PACKET_MOST = 64, 1 << 16
_PACKET_USUAL = 400  # where the server does not tell
_OVERHEAD = 16  # bytes of a packet that are no memory
_READ_MAX = 64 << 20
_SLOWEST = 4096  # bytes a second that a probe reads at least
_UNREADABLE_MAX = 64  # answers of an error in a row, after which a range is given up
_PAGE = 4096  # where memory that can be read may end
_THREADS_MAX = 64
_REGISTER = 4  # bytes
_MAP = re.compile(rb"<memory\b[^>]*>")
_ATTRIBUTE = re.compile(rb"""\b(type|start|length)\s*=\s*["']([^"']*)["']""")
_MACHINES = ((b"riscv", RISCV), (b"xtensa", XTENSA), (b"arm", ARM))


def is_target(name: str) -> bool:
    return name.startswith(TARGET)


@dataclass(frozen=True, kw_only=True)
class TargetName:
    """gdb:HOST:PORT@ADDRESS+BYTES,...: `ranges` empty: none are named."""

    host: str
    port: int
    ranges: tuple[tuple[int, int], ...] = ()


def parse_target(name: str) -> TargetName:
    """InputError: the port or a range is missing or invalid."""
    place, _, ranges = name.removeprefix(TARGET).partition("@")
    host, _, port = place.rpartition(":")
    shown = printable(name, limit=400)
    if not (port.isascii() and port.isdigit() and len(port) < 6 and 0 < int(port) < 1 << 16):
        raise InputError(
            f"{shown}: '{printable(port)}' is not a port number",
            remedy="write gdb:HOST:PORT, with the port at which the debugger's server listens",
        )
    parts = ranges.split(",") if ranges else ()
    return TargetName(
        host=host.strip("[]"),
        port=int(port),
        ranges=tuple(_range(part, shown) for part in parts),
    )


def _range(text: str, shown: str) -> tuple[int, int]:
    start, _, length = text.partition("+")
    try:
        address, size = int(start, 0), parse_size(length, what="a range")
    except ValueError:
        address, size = -1, 0
    if not 0 <= address < address + size <= ADDRESS_END or size > _READ_MAX:
        raise InputError(
            f"{shown}: '{printable(text)}' is not a range of memory",
            remedy="write gdb:HOST:PORT@0x3fc80000+384KB; more ranges behind a comma",
        )
    return address, size


@dataclass(kw_only=True)
class _Session:
    """One server, and its abilities."""

    packets: GdbPackets
    length: int = _PACKET_USUAL
    features: frozenset[bytes] = frozenset()
    resume: bytes = b"c"
    machine: str = ""
    unreadable: list[tuple[int, int]] = field(default_factory=list)


def read_target(name: str, *, chip: str = "", patience: float = PATIENCE) -> MemoryImage:
    """`chip`: whose memory is read where the name has no range. InputError: nobody answers, it is
    not known what to read, or the server breaks the protocol."""
    target = parse_target(name)
    shown = printable(name, limit=400)
    with connect(target.host, target.port, shown, patience=patience) as packets:
        session = _Session(packets=packets)
        try:
            _begin(session)
            ranges = target.ranges or _known_ranges(session, chip, shown)
            total = sum(size for _, size in ranges)
            packets.end = time.monotonic() + 2 * patience + total / _SLOWEST
            began = time.monotonic()
            threads = tuple(_threads(session, chip))
            segments = [part for start, size in ranges for part in _read(session, start, size)]
            halted = time.monotonic() - began
        finally:
            packets.send(session.resume)
    if not segments:
        raise InputError(
            f"{shown}: not a byte of {sized(total)} could be read",
            remedy="check the chip and the ranges, and that the target is powered",
        )
    missing = [
        f"{sized(size)} at {start:#010x} could not be read." for start, size in session.unreadable
    ]
    return MemoryImage(
        segments=joined(segments, name=shown),
        files=(name,),
        what="memory of a device that runs, read by its debugger",
        machine=session.machine,
        threads=threads,
        missing=tuple(missing),
        notes=(f"The device was halted for {halted * 1000:,.0f} ms, and goes on.",),
    )


def _begin(session: _Session) -> None:
    """Agrees on the form of packets, and makes sure that the target stands still."""
    ask = session.packets.ask
    features = ask(b"qSupported:vContSupported+;binary-upload+").split(b";")
    session.features = frozenset(features)
    for one in features:
        key, _, value = one.partition(b"=")
        if key == b"PacketSize":
            session.length = _number(value, session)
    session.length = min(max(session.length, _PACKET_LEAST), _PACKET_MOST)
    if b"QStartNoAckMode+" in features and ask(b"QStartNoAckMode") == b"OK":
        session.packets.without_acknowledgement()
    if b"c" in ask(b"vCont?").removeprefix(b"vCont").split(b";"):
        session.resume = b"vCont;c"
    state = ask(b"?")
    if state[:1] not in (b"T", b"S"):
        raise InputError(
            f"{session.packets.name}: the target does not stand still: "
            f"'{printable(state, limit=40)}'",
            remedy="start the program, or reset the target, and connect again",
        )


def _number(text: bytes, session: _Session) -> int:
    try:
        return int(text, 16)
    except ValueError:
        raise InputError(
            f"{session.packets.name}: the debugger's server tells '{printable(text, limit=40)}' as "
            "a number",
            remedy="check that it is a server of gdb's protocol",
        ) from None


def _known_ranges(session: _Session, chip: str, shown: str) -> Sequence[tuple[int, int]]:
    """Those of the chip, or else of the server's map of memory."""
    if chip:
        return [(window.start, window.size) for window in read_windows(chip).windows]
    ranges = list(_map_of(session)) if b"qXfer:memory-map:read+" in session.features else []
    if not ranges:
        raise InputError(
            f"{shown}: it is not known which memory to read",
            remedy="name the chip with --chip, or ranges: gdb:HOST:PORT@0x3fc80000+384KB",
        )
    return ranges


def _map_of(session: _Session) -> Iterator[tuple[int, int]]:
    left = _READ_MAX
    for tag in _MAP.findall(_document(session, b"memory-map:read:")):
        found = dict(_ATTRIBUTE.findall(tag))
        if found.get(b"type") != b"ram":
            continue
        try:
            start, size = (int(found.get(key, b""), 0) for key in (b"start", b"length"))
        except ValueError:
            continue
        if 0 < size <= left and 0 <= start <= ADDRESS_END - size:
            left -= size
            yield start, size


def _document(session: _Session, name: bytes) -> bytes:
    parts: list[bytes] = []
    for _ in range(64):
        at = sum(len(part) for part in parts)
        part = session.packets.ask(b"qXfer:%b:%x,%x" % (name, at, session.length - _OVERHEAD))
        if part[:1] not in (b"l", b"m"):
            break
        parts.append(part[1:])
        if part[:1] == b"l" or len(part) == 1:
            break
    return b"".join(parts)


def _read(session: _Session, start: int, size: int) -> Iterator[MemorySegment]:
    """Runs of what can be read."""
    binary = b"binary-upload+" in session.features
    most = (session.length - _OVERHEAD) // 2
    at, end, begin = start, start + size, start
    parts: list[bytes] = []
    failures = 0
    while at < end:
        wanted = min(most, end - at)
        page = _PAGE - at % _PAGE
        data = _memory(session, at, wanted, binary=binary)
        if data is None and page < wanted:
            data = _memory(session, at, page, binary=binary)
        if data is not None:
            parts.append(data)
            at += len(data)
            failures = 0
            continue
        if parts:
            yield MemorySegment(begin, b"".join(parts))
        failures += 1
        skipped = end - at if failures >= _UNREADABLE_MAX else min(page, end - at)
        _note_unreadable(session, at, skipped)
        at += skipped
        begin, parts = at, []
    if parts:
        yield MemorySegment(begin, b"".join(parts))


def _note_unreadable(session: _Session, start: int, size: int) -> None:
    if session.unreadable and sum(session.unreadable[-1]) == start:
        first, before = session.unreadable.pop()
        start, size = first, before + size
    session.unreadable.append((start, size))


def _memory(session: _Session, at: int, size: int, *, binary: bool) -> bytes | None:
    """At most that many bytes, at least one; None: the target cannot read them."""
    answer = session.packets.ask(b"%b%x,%x" % (b"x" if binary else b"m", at, size))
    if not binary:
        if answer[:1] in (b"E", b"") and len(answer) in (0, 3):
            return None
        try:
            data = bytes.fromhex(answer.decode("ascii"))
        except ValueError:
            data = b""
    else:
        if answer[:1] == b"E":
            return None
        data = answer[1:] if answer[:1] == b"b" else b""
    if not 0 < len(data) <= size:
        raise InputError(
            f"{session.packets.name}: {sized(size)} were requested at {at:#010x}, the debugger's "
            f"server answers {sized(len(data))}",
            remedy="check that it is a server of gdb's protocol",
        )
    return data


def _threads(session: _Session, chip: str) -> Iterator[Thread]:
    """Registers of each processor, or of each task where the server knows them."""
    ask = session.packets.ask
    described = TargetRegisters()
    if b"qXfer:features:read+" in session.features:
        described = described_registers(lambda file: _document(session, b"features:read:" + file))
        architecture = described.architecture
        session.machine = next((word for mark, word in _MACHINES if mark in architecture), "")
    if not session.machine and chip:
        session.machine = read_windows(chip).machine
    names: list[bytes] = []
    answer = ask(b"qfThreadInfo")
    while answer[:1] == b"m" and len(names) < _THREADS_MAX:
        names.extend(answer[1:].split(b","))
        answer = ask(b"qsThreadInfo")
    for number, name in enumerate(names[:_THREADS_MAX] or [b"0"]):
        if ask(b"Hg" + name) != b"OK" and names:
            continue
        registers = of_server(session.machine, ask(b"g"))
        stack, program = pointers(session.machine, registers)
        if registers:
            yield Thread(
                stack_pointer=stack,
                program_counter=program,
                registers=registers | _task_stack(session, described),
                crashed=number == 0,
            )


def _task_stack(session: _Session, described: TargetRegisters) -> dict[str, int]:
    """An Arm's stack pointer of tasks, which is in no packet of all registers."""
    number = described.numbers.get(TASK_STACK)
    if session.machine != ARM or number is None:
        return {}
    answer = session.packets.ask(b"p%x" % number)
    try:
        data = bytes.fromhex(answer.decode("ascii"))
    except ValueError:  # unknown, as an x for each digit
        return {}
    return {TASK_STACK: int.from_bytes(data, "little")} if len(data) == _REGISTER else {}
