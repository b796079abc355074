"""Each sink that runs here, with a real reader at its other end: a file, a socket of the loopback,
a console with log text, a debugger's ring, and semihosting under QEMU."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from emulation.targets import TARGETS, compiler, need_compiler
from needs import c_compiler, need_program

import heapscope

ROOT = Path(__file__).parents[2]
GLUE = ROOT / "device" / "compat" / "recorder"
HERE = ROOT / "tests" / "device" / "recorder_sinks"
RECORDER = [
    *sorted((ROOT / "device/src/recorder").glob("*.c")),
    *sorted((ROOT / "device/src/trace").glob("*.c")),
]
FOLDERS = [f"-I{path}" for path in (ROOT / "device/include", GLUE)]
EVENTS = 3000  #: of sinks.c


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("sinks") / "sinks"
    flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", *FOLDERS]
    sources = [HERE / "sinks.c", *RECORDER]
    subprocess.run([*c_compiler(), *flags, *map(str, sources), "-o", str(built)], check=True)
    return built


def heard(trace: Path, *, events: int = EVENTS) -> None:
    document = heapscope.replay(trace).to_json()
    assert document["events"]["mallocs"] == document["events"]["frees"] == events // 2
    assert document["health"]["lost_events"] == document["health"]["lost_chunks"] == 0


@pytest.mark.parametrize("sink", ["file", "console", "rtt"])
def test_all_arrives_in_a_file(program: Path, tmp_path: Path, sink: str) -> None:
    trace = tmp_path / "recorded.hst"
    subprocess.run([program, sink, trace], check=True, timeout=60)
    if sink == "console":
        assert b"wifi: state HS" in trace.read_bytes()
    heard(trace)


def test_all_arrives_by_datagrams(program: Path, tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        subprocess.run([program, "udp", str(port)], check=True, timeout=60)
        listener.setblocking(False)
        chunks = []
        while True:
            try:
                chunks.append(listener.recv(1 << 16))
            except BlockingIOError:
                break
    assert all(chunk.startswith(b"HS\xc7\x9a") for chunk in chunks)  # one chunk in each
    (tmp_path / "recorded.hst").write_bytes(b"".join(chunks))
    heard(tmp_path / "recorded.hst")


def test_a_stream_that_broke_goes_on_with_what_a_new_listener_needs(
    program: Path, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        port = server.getsockname()[1]
        with subprocess.Popen([program, "tcp", str(port)]) as running:
            try:
                first, _ = server.accept()
                first.settimeout(60)
                begun = first.recv(700)
                first.close()  # the line is cut
                second, _ = server.accept()
                second.settimeout(60)
                rest = bytearray()
                while part := second.recv(1 << 16):
                    rest += part
                second.close()
                assert running.wait(60) == 0
            finally:
                running.kill()
    (tmp_path / "first.hst").write_bytes(begun)
    (tmp_path / "second.hst").write_bytes(rest)
    for name in ("first", "second"):
        document = heapscope.replay(tmp_path / f"{name}.hst").to_json()
        assert document["metadata"]["chip"] == "host"
    assert rest.startswith(b"HS\xc7\x9a")
    assert document["site_count"] >= 1


MACHINES = {
    "rv32imc": ("qemu-system-riscv32", ["-M", "virt", "-bios", "none"], "0x80000000"),
    "cortex-m4": ("qemu-system-arm", ["-M", "mps2-an386"], "0x0"),
}


#: All in memory that can be written, which these machines have there.
SCRIPT = """
ENTRY(start)
PHDRS { all PT_LOAD FLAGS(7); }
SECTIONS {
    . = START;
    .all : {
        KEEP(*(.vectors)) KEEP(*(.text.start))
        *(.text*) *(.rodata*) *(.srodata*) *(.data*) *(.sdata*) *(.bss*) *(.sbss*) *(COMMON)
    } :all
}
"""


@pytest.mark.parametrize("target", MACHINES)
def test_all_arrives_by_semihosting(target: str, tmp_path: Path) -> None:
    emulator, machine, start = MACHINES[target]
    package = {"qemu-system-riscv32": "qemu-system-misc"}.get(emulator, emulator)
    need_program(emulator, package=package)
    chosen = TARGETS[target]
    need_compiler(chosen)
    image = tmp_path / "image.elf"
    script = tmp_path / "image.ld"
    script.write_text(SCRIPT.replace("START", start), encoding="utf-8")
    flags: Sequence[str] = ["-Os", "-std=gnu11", "-ffreestanding", "-nostdlib", "-static"]
    flags = [
        *flags,
        "-fno-pic",
        "-fno-builtin",
        "-fno-sanitize=undefined",
        f"-Wl,-T,{script},-e,start",
    ]
    build = [*compiler(chosen), *flags, *FOLDERS, str(HERE / "semihosting.c")]
    build += [*map(str, RECORDER), "-rtlib=compiler-rt", "-o", str(image)]
    subprocess.run(build, check=True)
    run = [emulator, *machine, "-kernel", str(image), "-nographic", "-monitor", "none"]
    run += ["-serial", "none", "-semihosting-config", "enable=on,target=native"]
    subprocess.run(run, cwd=tmp_path, check=True, timeout=60, stdin=subprocess.DEVNULL)
    heard(tmp_path / "recorded.hst", events=600)
