"""Recording on other processors: their code in emulation, the recorder beside it on this one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from needs import need_path, need_program
from recording.overlaps import overlaps
from recording.programs import FLAGS, PROGRAMS, ROOT, Recorded, events_of
from recording.requests import REQUESTED, requests_by, requests_of

from heapscope.capture.record import session
from heapscope.capture.record.program import Program

pytestmark = pytest.mark.slow

PRELOAD = ROOT / "lab" / "native" / "record" / "preload"
#: By the processor's name: Debian's package of its C library. The tests' programs take that of
#: their own build, so that any later one runs them.
LIBRARIES = {"aarch64": "libc6-arm64-cross", "riscv64": "libc6-riscv64-cross"}
#: The options that gcc has on by itself.
AS_GCC = {"aarch64": ["-moutline-atomics"], "riscv64": []}


def compile_for(processor: str, *arguments: object) -> None:
    command = [sys.executable, "-m", "ziglang", "cc", "-target", f"{processor}-linux-gnu.2.31"]
    subprocess.run([*command, *map(str, arguments)], check=True)


@pytest.fixture(scope="module", params=LIBRARIES)
def processor(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def preload(processor: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The object that goes into programs of the processor."""
    built = tmp_path_factory.mktemp(processor) / "record.so"
    flags = list(AS_GCC[processor])
    for file in (PRELOAD / "flags.txt", PRELOAD / f"flags.{processor}.txt"):
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        flags += [line for line in lines if line.startswith("-")]
    include = f"-I{ROOT / 'lab/native/record/include'}"
    sources = sorted(PRELOAD.glob("*.c"))
    compile_for(processor, *flags, "-shared", "-nostdlib", include, *sources, "-o", built)
    return built


@pytest.fixture
def emulated(
    processor: str, preload: Path, recorded: Recorded, monkeypatch: pytest.MonkeyPatch
) -> Recorded:
    """The fixture `recorded` for another processor; it records a test's program by its name."""
    emulator = need_program(f"qemu-{processor}", package="qemu-user")
    library = need_path(Path(f"/usr/{processor}-linux-gnu"), package=LIBRARIES[processor])

    def environment(variable: str, _: str) -> Mapping[str, str]:
        return os.environ | {session.VARIABLE: variable}  # the emulator itself is not recorded

    monkeypatch.setattr(
        session, "find_program", lambda *_: Program(path=Path(emulator), word_size=8)
    )
    monkeypatch.setattr(session, "_environment", environment)
    under = [emulator, "-L", library, "-E", f"LD_PRELOAD={preload}"]

    def run(name: str, *arguments: object, flags: tuple[str, ...] = (), **settings: object):  # type: ignore[no-untyped-def]
        program = preload.parent / (name + "".join(flags))
        if not program.exists():
            compile_for(
                processor, *FLAGS, *flags, PROGRAMS / f"{name}.c", "-o", program, "-pthread"
            )
        return recorded(*under, program, *arguments, **settings)

    return run


def test_the_object_asks_only_the_c_library(preload: Path) -> None:
    with preload.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".dynsym")
        symbols = [s for s in table.iter_symbols() if s.name and s["st_shndx"] == "SHN_UNDEF"]
    assert symbols
    assert [s.name for s in symbols if s.name.startswith("__aarch64_")] == []
    weak = {s.name for s in symbols if s["st_info"]["bind"] == "STB_WEAK"}
    assert {s.name for s in symbols} - weak <= {
        *("__errno_location", "environ", "getpagesize", "syscall"),
        *("memcpy", "memmove", "memset", "strchr", "strlen", "strncmp"),
    }


def test_every_call_is_recorded_once_as_it_was_queried(emulated: Recorded) -> None:
    result = emulated("calls")
    assert (result.exit_code, result.messages) == (0, ())
    (image,) = result.images
    assert requests_of(image) == REQUESTED
    assert image.live_blocks_end == image.live_end == image.unknown == 0


def test_no_two_live_blocks_overlap_when_threads_pass_blocks_around(emulated: Recorded) -> None:
    (image,) = emulated("threads", 4, 1000, addresses=True).images
    events = events_of(image)
    assert len(events) > 4000
    assert overlaps(events) == []
    assert (image.unknown, image.lost) == (0, 0)


def test_a_site_is_the_stack_that_requested(emulated: Recorded) -> None:
    image, _ = emulated("stacks", flags=("-O2", "-g"), frames=16).images
    result = requests_by(image, range(1001, 1004))
    assert [frames[frames.index("main") :] for frames in result.values()] == [
        ["main", "outer", "middle", "inlined"],
        ["main", "middle", "inlined"],
        ["main", "recursive", "recursive", "recursive", "middle", "inlined"],
    ]
