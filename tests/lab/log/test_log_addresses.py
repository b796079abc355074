"""`log --elf`: the functions behind the addresses in the lines that an answer rests on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from tests.needs import c_compiler

import heapscope as hs

SOURCE = """
__attribute__((noinline)) int work(int n) { return n + 1; }
int main(int n, char **v) { (void)v; return work(n); }
"""


@pytest.fixture
def elf(tmp_path: Path) -> tuple[Path, int]:
    """A program, and an address in work()."""
    (tmp_path / "a.c").write_text(SOURCE)
    built = tmp_path / "a.elf"
    options = ("-g", "-O0", "-fno-pie", "-no-pie", "-o", str(built), "a.c")
    subprocess.run([*c_compiler(), *options], cwd=tmp_path, check=True)
    with built.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        symbols = table.get_symbol_by_name("work")
        assert symbols is not None
        return built, symbols[0]["st_value"] + 4


def test_addresses_in_quoted_lines_have_names(elf: tuple[Path, int], tmp_path: Path) -> None:
    built, address = elf
    other = 0x3FFB1234  # of data: no function is there
    (tmp_path / "a.log").write_text(
        f"E (9) app: malloc(40000) failed, caller {address:#010x}, block {other:#010x}\n"
    )
    plain = hs.log(tmp_path / "a.log")
    named = hs.log(tmp_path / "a.log", elf=built)
    assert [one.quote for one in plain.rests_on] != [one.quote for one in named.rests_on]
    quotes = " ".join(one.quote for one in named.rests_on)
    assert f"{address:#010x} (work (a.c:2))" in quotes
    assert f"{other:#010x} (" not in quotes
    assert [one.size for one in named.answer.failed] == [40_000]
