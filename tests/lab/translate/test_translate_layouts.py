"""Sizes of random structures on a chip against a compiler for RISC-V of 32 bit."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from needs import c_compiler

from heapscope.capture.translate.layouts import TypeSize, name_of
from heapscope.capture.translate.program import ProgramFile
from heapscope.capture.translate.site_types import SiteTypes

STRUCTURES = 60
SCALARS = (
    *("char", "short", "int", "long", "unsigned long", "long long", "float", "double", "void *"),
    *("size_t", "uint64_t", "int8_t", "uintptr_t", "uint_least32_t", "_Bool", "enum kind"),
    *("intmax_t", "char **", "int (*)(void)"),
)
BIT_FIELDS = {"unsigned": 32, "int": 32, "unsigned char": 8, "unsigned short": 16}
HEAD = "#include <stddef.h>\n#include <stdint.h>\nenum kind { FIRST, SECOND };\n#define LENGTH 5\n"


def members(chance: random.Random, built: int) -> Iterator[str]:
    for number in range(chance.randint(1, 8)):
        name = f"m{number}"
        kind = chance.choice(SCALARS)
        if kind.endswith("(void)"):
            yield f"int (*{name})(void);"
            continue
        what = chance.random()
        if built and what < 0.2:
            kind = f"struct s{chance.randrange(built)}"
        if what > 0.85:
            unit, bits = chance.choice(list(BIT_FIELDS.items()))
            yield f"{unit} {name} : {chance.randint(1, bits)};"
        elif what > 0.75:
            yield f"union {{ {kind} a; long b; char c[{chance.randint(1, 9)}]; }} {name};"
        elif what > 0.65:
            yield f"{kind} {name}[{chance.choice(('LENGTH', '2', '3'))}];"
        else:
            yield f"{kind} {name};"


def source(chance: random.Random) -> str:
    text = HEAD
    for number in range(STRUCTURES):
        inside = "\n    ".join(members(chance, number))
        text += f"struct s{number} {{\n    {inside}\n}};\n"
    return text


def layouts(program: Path) -> dict[str, TypeSize]:
    """The structures of a program, by their names."""
    result = {}
    with ProgramFile(program) as read:
        module = SiteTypes({"": read}).module("")
        for unit in read.dwarf.iter_CUs():
            for entry in unit.iter_DIEs():
                if entry.tag == "DW_TAG_structure_type":
                    result[name_of(entry)] = module.layouts.layout(entry)
    return result


def test_random_structures_have_the_sizes_of_a_compiler_for_a_chip(
    tmp_path: Path, seed: int
) -> None:
    print(f"seed {seed}")
    text = source(random.Random(seed))
    numbers = range(STRUCTURES)
    file = tmp_path / "structures.c"
    file.write_text(
        text + "".join(f"struct s{n} v{n};\n" for n in numbers) + "int main(void) { return 0; }\n"
    )
    wide = tmp_path / "wide"
    subprocess.run([*c_compiler(), "-g", "-o", wide, file], check=True)
    sized = tmp_path / "sized.c"
    sized.write_text(
        text
        + "".join(
            f"char size{n}[sizeof(struct s{n})], align{n}[_Alignof(struct s{n})];\n"
            for n in numbers
        )
    )
    narrow = tmp_path / "narrow.o"
    zig = (sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding-ilp32")
    subprocess.run([*zig, "-c", "-o", narrow, sized], check=True)
    with narrow.open("rb") as stream:
        symbols = ELFFile(stream).get_section_by_name(".symtab").iter_symbols()
        sizes = {symbol.name: symbol["st_size"] for symbol in symbols}
    result = layouts(wide)
    reported = {f"s{n}": (sizes[f"size{n}"], sizes[f"align{n}"], "") for n in numbers}
    built = {
        name: (one.narrow, one.narrow_align, one.doubt) for name, one in result.items() if name
    }
    assert built == reported


@pytest.mark.parametrize(
    "text",
    [
        "struct s { char a; void *b; } __attribute__((packed));",
        "struct s { void *a; int b; } __attribute__((aligned(16)));",
        "struct s { void *a; long double b; };",
        "struct s { void *a; wchar_t b; };",
        "struct s { void *a; time_t b; };",
        "struct s { void *a; int b : 3; int : 0; int c : 3; };",
        "struct s { void *a; enum { BIG = 0x100000000 } b; };",
        "#if __LP64__\nstruct s { void *a, *b; };\n#else\nstruct s { int a; };\n#endif",
        "struct s { void *a;\n#ifdef __LP64__\nint b;\n#endif\n};",
        "#define COUNT (16 / sizeof(long))\nstruct s { void *a[COUNT]; };",
        "#if __LP64__\n#define COUNT 3\n#else\n#define COUNT 5\n#endif\n"
        "struct s { int a[COUNT]; };",
        "#define BOTH void *a; void *b;\nstruct s { BOTH };",
        "#define PACKED __attribute__((packed))\nstruct s { void *a; long b; } PACKED;",
    ],
)
def test_a_structure_that_may_be_another_on_a_chip_is_doubted(tmp_path: Path, text: str) -> None:
    file = tmp_path / "one.c"
    file.write_text(
        f"#include <stddef.h>\n#include <time.h>\n{text}\nstruct s v;\n"
        "int main(void) { return 0; }\n"
    )
    subprocess.run([*c_compiler(), "-g", "-w", "-o", tmp_path / "one", file], check=True)
    assert layouts(tmp_path / "one")["s"].doubt


def test_a_source_newer_than_its_program_is_doubted(tmp_path: Path) -> None:
    file = tmp_path / "one.c"
    file.write_text("struct s {\n  void *a;\n};\nstruct s v;\nint main(void) { return 0; }\n")
    subprocess.run([*c_compiler(), "-g", "-o", tmp_path / "one", file], check=True)
    assert layouts(tmp_path / "one")["s"].doubt == ""
    later = (tmp_path / "one").stat().st_mtime + 10
    os.utime(file, (later, later))
    assert "newer" in layouts(tmp_path / "one")["s"].doubt
