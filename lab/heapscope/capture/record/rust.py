"""Whether a program of Rust has an allocator of its own, by `#[global_allocator]`. It is bound at
compile time, and in recent releases without a call that a linker could wrap."""

from __future__ import annotations

import re
from typing import Any

#: The function that each request of Rust goes through, also as the name of the crate's wrapper.
ENTRY = "__rust_alloc"
#: How a program gets its own allocator recorded.
REMEDY = "put heapscope::Recorded of the crate heapscope in front of it (docs/guide/rust.md)"

#: Its symbol, plain until 1.86 and mangled since then: `__rustc::__rust_alloc`.
_ENTRY = re.compile(rb"\0(?:_RNv[0-9A-Za-z_]*7___rustc12_)?(?:__rust_alloc|__rg_alloc)\0")
_OWN_ENTRY = re.compile(rb"\0__rg_alloc\0")  #: a function apart until 1.86
#: System, which is Rust's allocator where a program names no other: it asks malloc, and is compiled
#: in where it is used.
_DEFAULT = re.compile(rb"\0(?:_RNv[0-9A-Za-z_]*7___rustc11_)?__rdl_alloc\0")
#: The function of the C library that System asks for aligned blocks.
_ALIGNED = re.compile(rb"\0posix_memalign(?:@[^\0]*)?\0")
#: The text position in a panic of Rust's own library, which stripping leaves.
_SOURCE = re.compile(rb"/rustc[-/][0-9a-f.]+/library/(?:alloc|std)/")

OWN, UNSURE = "own", "unsure"


def rust_allocator(elf: Any) -> str:
    """OWN: the program has an allocator of its own, which asks malloc for nothing through System.
    UNSURE: it may have one, beside System or in front of it. Empty: it has none, or no Rust."""
    names = _strings(elf, ".symtab")
    imported = _strings(elf, ".dynsym")
    if not (_ENTRY.search(names) if names else _SOURCE.search(_section(elf, ".rodata"))):
        return ""
    if _DEFAULT.search(names) and not _OWN_ENTRY.search(names):
        return ""
    system = _ALIGNED.search(imported) or (not imported and _ALIGNED.search(names))
    return UNSURE if system else OWN


def _strings(elf: Any, table: str) -> bytes:
    """The strings of a table of symbols; empty without that table."""
    section = elf.get_section_by_name(table)
    strings = None if section is None else elf.get_section(section["sh_link"])
    return b"" if strings is None else bytes(strings.data())


def _section(elf: Any, name: str) -> bytes:
    section = elf.get_section_by_name(name)
    return b"" if section is None else bytes(section.data())
