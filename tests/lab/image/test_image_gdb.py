"""Memory of a running target by gdb's remote protocol: what is read, that it goes on, and servers
that stall or lie."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from heapscope.answers.image.answer import answer_of
from heapscope.base.errors import InputError
from heapscope.memory.image.gdb_target import parse_target, read_target
from heapscope.memory.image.memory_image import MemoryImage

from .dumps import captured
from .gdb_server import SILENT, GdbServer, framed, served

START = 0x3FC8_0000
READ_ONLY = ("qSupported", "QStartNoAckMode", "vCont", "?", "m", "x", "q", "Hg", "g", "c")


def memory(seed: int, size: int = 5000) -> bytes:
    return random.Random(seed).randbytes(size)


def read(
    server: GdbServer, ranges: str = "@0x3fc80000+5000", *, chip: str = "", patience: float = 60
) -> MemoryImage:
    with served(server) as place:
        return read_target(place + ranges, chip=chip, patience=patience)


@pytest.mark.parametrize(
    "features",
    [
        "PacketSize=400;QStartNoAckMode+",
        "PacketSize=3fff;binary-upload+;QStartNoAckMode+",
        "PacketSize=1000",
        "",
        "PacketSize=0",
        "PacketSize=ffffffff;binary-upload+",
    ],
)
@pytest.mark.parametrize("tells_stop", [False, True])
def test_memory_is_read_whole_and_the_target_goes_on(
    features: str, tells_stop: bool, seed: int
) -> None:
    data = memory(seed)
    server = GdbServer(memory={START: data}, features=features, tells_stop=tells_stop)
    image = read(server)
    assert image.bytes_at(START, 5000) == data
    assert not image.missing
    assert "halted for" in image.notes[0]
    assert server.running
    assert server.asked[-1] == b"vCont;c"
    assert all(question.decode().startswith(READ_ONLY) for question in server.asked)
    limit = 64 if features.endswith("=0") else 400
    assert features or max(len(question) for question in server.asked) <= limit


def test_registers_of_each_processor_are_read() -> None:
    server = GdbServer(memory={START: b"x" * 5000})
    threads = read(server, chip="esp32c3").threads
    assert len(threads) == 2
    assert (threads[0].stack_pointer, threads[0].program_counter) == (2, 32)
    assert threads[0].registers["t6"] == 31


def test_the_processor_is_told_by_the_target(seed: int) -> None:
    text = b"<target><architecture>riscv:rv32</architecture></target>" + b" " * 2000
    server = GdbServer(
        memory={START: memory(seed)},
        features="PacketSize=400;qXfer:features:read+",
        documents={b"features": text},
    )
    assert read(server).machine == "RISC-V"


def test_ranges_come_from_the_name_the_chip_or_the_servers_map(seed: int) -> None:
    table = (
        b'<memory-map><memory type="flash" start="0x0" length="0x1000"/>'
        b"<memory type='ram' start='0x3fc80000' length='0x100'/></memory-map>"
    )
    features = "PacketSize=400;qXfer:memory-map:read+"
    documents = {b"memory-map": table}
    server = GdbServer(memory={START: memory(seed)}, features=features, documents=documents)
    assert read(server, "").size == 0x100
    assert read(server, "@0x3fc80000+16,0x3fc80100+1KB").size == 16 + 1024
    whole = GdbServer(memory={START: bytes(0x6_0000)}, features="PacketSize=4000")
    image = read(whole, "", chip="esp32c3")
    assert image.known(START, 0x6_0000)
    assert any("0x50000000 could not be read" in line for line in image.missing)
    with pytest.raises(InputError, match="not known which memory to read"):
        read(GdbServer(memory={}), "")
    with pytest.raises(InputError, match="not a byte of 16 B could be read"):
        read(GdbServer(memory={}), "@0+16")


def test_a_hole_in_memory_is_told(seed: int) -> None:
    data = memory(seed, 8192)
    server = GdbServer(memory={START: data, START + 16384: data})
    image = read(server, "@0x3fc80000+24KB")
    assert image.bytes_at(START + 16384, 8192) == data
    assert image.bytes_at(START, 8192) == data
    assert image.missing == ("8,192 B at 0x3fc82000 could not be read.",)


@pytest.mark.parametrize(
    "name", ["gdb:", "gdb:host", "gdb:host:0", "gdb:host:99999", "gdb:h:1@", "gdb:h:1@0x10"]
)
def test_a_place_without_a_port_or_with_a_wrong_range_is_refused(name: str) -> None:
    if name == "gdb:h:1@":
        assert parse_target(name).ranges == ()
        return
    with pytest.raises(InputError):
        parse_target(name)


def test_nobody_listens() -> None:
    with pytest.raises(InputError, match="no debugger's server"):
        read_target("gdb:127.0.0.1:1@0+4", patience=0.2)


def _for(start: bytes, answer: bytes) -> Callable[[bytes], bytes | None]:
    return lambda question: answer if question.startswith(start) else None


@pytest.mark.parametrize(
    ("faults", "words"),
    [
        ({"fault": _for(b"qSupported", SILENT)}, "does not answer 'qSupported"),
        ({"fault": _for(b"m", SILENT)}, "does not answer 'm3fc80000"),
        ({"fault": _for(b"m", b"zz")}, "answers 0 B"),
        ({"fault": _for(b"m", b"00" * 9999)}, "answers 9,999 B"),
        ({"fault": _for(b"m", b"123")}, "answers 0 B"),
        ({"fault": _for(b"?", b"W00")}, "does not stand still"),
        ({"fault": _for(b"?", b"")}, "does not stand still"),
        ({"fault": _for(b"qSupported", b"PacketSize=fat")}, "'fat' as a number"),
        ({"raw": _for(b"m", b"$00#zz")}, "wrong checksum"),
        ({"raw": _for(b"m", b"$00")}, "does not answer"),
        ({"raw": _for(b"m", b"noise " * 400_000)}, "more than 1,048,576 B"),
        ({"raw": _for(b"m", framed(b"O41") * 2000)}, "does not answer"),
        ({"raw": _for(b"m", b"%Stop:T05#62" * 2000)}, "does not answer"),
    ],
)
def test_a_server_that_stalls_or_lies_is_refused(
    faults: dict[str, Callable[[bytes], bytes | None]], words: str
) -> None:
    server = GdbServer(memory={START: bytes(5000)}, **faults)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=words):
        read(server, patience=0.3)
    assert server.asked[-1] in (b"c", b"vCont;c")


def test_a_packet_that_was_damaged_on_its_way_is_asked_for_again(seed: int) -> None:
    server = GdbServer(memory={START: memory(seed)}, features="PacketSize=400", damages=3)
    assert read(server).bytes_at(START, 5000) == memory(seed)


def test_answers_may_be_packed() -> None:
    server = GdbServer(memory={START: bytes(64)}, fault=_for(b"m", b"0* "))
    assert read(server, "@0x3fc80000+2").bytes_at(START, 2) == b"\0\0"


def test_random_answers_never_crash(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(25):
        server = GdbServer(memory={START: bytes(600)})
        noise = chance.randbytes(chance.randrange(40)).replace(b"#", b"")

        def fault(question: bytes, noise: bytes = noise) -> bytes | None:
            return noise if chance.random() < 0.2 else None

        server.fault = fault
        with served(server) as place:
            try:
                read_target(f"{place}@0x3fc80000+600", patience=0.05)
            except InputError:
                continue


def described(registers: bytes) -> dict[bytes, bytes]:
    """A description of an Arm in two files, the core's and another one's."""
    core = b"".join(b'<reg name="r%d" bitsize="32"/>' % number for number in range(16))
    return {
        b"target.xml": b"<architecture>armv7e-m</architecture><xi:include href='core.xml'/>"
        b"<feature name='org.gnu.gdb.arm.m-system'>%b</feature>" % registers,
        b"core.xml": core + b'<reg name="xpsr" bitsize="32" regnum="25"/>',
        b"features": b"",
    }


@pytest.mark.parametrize(
    ("registers", "answer", "psp"),
    [
        (b'<reg name="msp"/><reg name="psp"/>', b"34120020", 0x20001234),  # the number is 27
        (b'<reg name="psp" regnum="27"/>', b"34120020", 0x20001234),
        (b'<reg name="psp" regnum="27"/>', b"xxxxxxxx", None),
        (b'<reg name="psp" regnum="27"/>', b"E01", None),
        (b'<reg name="msp"/>', b"34120020", None),
        (b'<reg name="psp" regnum="-7"/><xi:include href="target.xml"/>', b"34", None),
    ],
)
def test_an_arm_s_stack_of_tasks_is_requested(
    seed: int, registers: bytes, answer: bytes, psp: int | None
) -> None:
    server = GdbServer(
        memory={START: memory(seed)},
        features="PacketSize=400;qXfer:features:read+",
        documents=described(registers),
        fault=lambda question: answer if question[:1] == b"p" else None,
    )
    with served(server) as name:
        image = read_target(f"{name}@{START:#x}+5000")
    assert image.machine == "Arm"
    assert {thread.registers.get("psp") for thread in image.threads} == {psp}
    assert {one for one in server.asked if one[:1] == b"p"} <= {b"p1b", b"p1a"}


def test_a_heap_outside_of_what_was_read_is_no_heap_of_used_blocks() -> None:
    memory_ = captured("c3_none.3fc8c400")
    server = GdbServer(memory={0x3FC8C400: memory_})
    with served(server) as name:
        result = answer_of(read_target(f"{name}@0x3fc8c400+300KB", chip="esp32c3"))
    assert [heap.free for heap in result.heaps] == [136968, 115624]
    assert not any("core dump" in line for line in result.missing)


def test_memory_without_a_heap_is_not_called_a_core_dump(seed: int) -> None:
    server = GdbServer(memory={START: memory(seed)})
    with served(server) as name:
        result = answer_of(read_target(f"{name}@{START:#x}+5000", chip="esp32c3"))
    assert result.verdict == ("No heap was found in the 5,000 B and the registers of 2 tasks.",)
