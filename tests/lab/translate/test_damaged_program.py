"""A program whose debug information is damaged is reported as that, however pyelftools fails on
it."""

from __future__ import annotations

import struct
import subprocess
import zlib
from pathlib import Path

import pytest
from elftools.common.exceptions import DWARFError, ELFError, ELFParseError
from elftools.construct import ConstructError
from elftools.elf.elffile import ELFFile

from heapscope.base.elf import bound_entries, reading
from heapscope.base.errors import HeapscopeError, InputError
from heapscope.capture.translate.program import ProgramFile

SOURCE = "struct pair { long one; void *two; } kept; int main(void) { return kept.one != 0; }\n"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("program")
    (folder / "p.c").write_text(SOURCE)
    subprocess.run(["cc", "-g", "-o", folder / "p", folder / "p.c"], check=True)
    return folder / "p"


@pytest.mark.parametrize(
    "error",
    [
        *(ELFError("x"), ELFParseError("x"), DWARFError("x"), ConstructError("x")),
        *(KeyError(6), IndexError("x"), OverflowError("x"), AssertionError(), RecursionError("x")),
        *(ValueError("x"), UnicodeDecodeError("utf-8", b"x", 0, 1, "x"), AttributeError("x")),
        *(TypeError("x"), NotImplementedError("x"), struct.error("x"), zlib.error("x")),
        OSError(22, "Invalid argument"),
    ],
)
def test_each_error_is_damage(error: Exception) -> None:
    result = pytest.raises(InputError, match="p: ELF: its lines are damaged: ")
    with result as caught, reading("p", "its lines are damaged", remedy="build it again"):
        raise error
    assert caught.value.remedy == "build it again"


@pytest.mark.parametrize(
    "error", [MemoryError(), OSError(5, "I/O"), HeapscopeError("x"), KeyboardInterrupt()]
)
def test_what_is_no_damage_stays_what_it_is(error: BaseException) -> None:
    with pytest.raises(type(error)), reading("p", "x", remedy=""):
        raise error


def test_entries_in_a_circle_end(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("heapscope.base.elf._VISITS_LEAST", 1000)
    monkeypatch.setattr("heapscope.base.elf._VISITS", 0)
    with program.open("rb") as file:
        dwarf = ELFFile(file).get_dwarf_info()
        bound_entries(dwarf)
        unit = next(iter(dwarf.iter_CUs()))
        walk = (one for _ in range(1000) for one in unit.get_top_DIE().iter_children())
        with pytest.raises(DWARFError, match="circle"):
            list(walk)  # it comes by again and again


def test_sections_that_are_not_in_the_file_are_damage(program: Path, tmp_path: Path) -> None:
    with program.open("rb") as file:
        elf = ELFFile(file)
        at = elf["e_shoff"] + elf["e_shentsize"] * elf.get_section_index(".debug_info") + 32
    data = bytearray(program.read_bytes())
    data[at : at + 8] = (1 << 60).to_bytes(8, "little")  # sh_size
    damaged = tmp_path / "p"
    damaged.write_bytes(data)
    with pytest.raises(InputError, match="its debug information is damaged"):
        ProgramFile(damaged)
    with ProgramFile(program) as sound:
        assert "main" in sound.functions.values()
