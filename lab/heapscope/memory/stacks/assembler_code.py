"""Functions of libraries whose code cannot be read whole, and what their sources say."""

from __future__ import annotations

import re
from typing import NamedTuple

from heapscope.memory.stacks.code_elf import CodeElf


class AssemblerFunction(NamedTuple):
    """It calls no more than its direct calls: `body`, "": none, is more of its own code, and other
    jumps lead into itself."""

    name: str
    body: str = ""


#: newlib's libc/machine/xtensa memcpy.S, memset.S and strncpy.S; libgcc's config/xtensa
#: ieee754-df.S and ieee754-sf.S. They jump back to a body before their first instruction.
_XTENSA = tuple(
    AssemblerFunction(name, f"{'' if name.startswith('__') else '__'}{name}_aux")
    for name in (
        *("memcpy", "memset", "strncpy"),
        *("__adddf3", "__subdf3", "__muldf3", "__divdf3"),
        *("__addsf3", "__subsf3", "__mulsf3", "__divsf3"),
    )
)
#: newlib's libc/machine/riscv/memset.S: it jumps into a row of its own stores.
_RISCV = (AssemblerFunction("memset"),)


def assembler_functions(code: CodeElf) -> dict[int, int | None]:
    """The numbers of those that are in the program, with that of their body."""
    rows = {"xtensa": _XTENSA, "thumb": ()}.get(code.machine, _RISCV)
    return {
        code.aliases[row.name]: code.aliases.get(row.body)
        for row in rows
        if row.name in code.aliases
    }


#: newlib's libc/stdio/vfprintf.c: plain C without a variable array. A compiler hides the base of
#: its jump table, so that constants between its code are read as instructions too.
_PLAIN = re.compile(r"get_arg(?:[$.]\w+)*")


def is_plain(name: str) -> bool:
    """Whether the function moves the stack pointer in its first instructions alone."""
    return _PLAIN.fullmatch(name) is not None
