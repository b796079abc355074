"""Whether a program of Rust has an allocator of its own, by `#[global_allocator]`. It is bound at
compile time, and in recent releases without a call that a linker could wrap."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

#: The function that each request of Rust goes through, also as the name of the crate's wrapper.
ENTRY = "__rust_alloc"
#: How a program gets its own allocator recorded.
REMEDY = "put heapscope::Recorded of the crate heapscope in front of it (docs/guide/rust.md)"
OWN, UNSURE = "own", "unsure"

#: Its symbol, plain in older releases and mangled in 1.95: `__rustc::__rust_alloc`.
_ENTRY = re.compile(r"(?:_RNv\w*7___rustc12_)?(?:__rust_alloc|__rg_alloc)", re.ASCII)
_OWN_ENTRY = b"\0__rg_alloc\0"  #: a function apart in older releases
_DEFAULT = b"__rdl_alloc\0"  #: of System, which is Rust's allocator where a program names no other
_HANDS_ON = "GlobalAlloc"  #: in the names of the functions that an allocator consists of
_ALIGNED = re.compile(rb"\0posix_memalign(?:@[^\0]*)?\0")  # what System asks for aligned blocks
#: The text position in a panic of Rust's own library, which stripping leaves.
_SOURCE = re.compile(rb"/rustc[-/][0-9a-f.]+/library/(?:alloc|std)/")
#: x86-64: a call within the program, and a call or jump through a slot that the loader fills.
_CALL = re.compile(rb"\xe8(?=(....))", re.DOTALL)
_INDIRECT = re.compile(rb"\xff[\x15\x25](?=(....))", re.DOTALL)
_STUB, _STUB_MIN = 16, 8  # bytes of a stub that jumps through a slot
_FOLLOWED = 64  # functions at most
_FUNCTION = "STT_FUNC"

#: Names and sizes of functions by their addresses.
_Functions = dict[int, tuple[str, int]]


def rust_allocator(elf: Any) -> str:
    """OWN: the program has an allocator of its own, which does not ask malloc as its first step.
    UNSURE: it may have one, beside System or in front of it. Empty: it has none, or no Rust."""
    table = elf.get_section_by_name(".symtab")
    imports = _system_is_there(elf)
    if table is None:
        found = _SOURCE.search(_bytes(elf, ".rodata"))
        return "" if found is None else UNSURE if imports else OWN
    strings = elf.get_section(table["sh_link"]).data()
    if b"__rust_alloc\0" not in strings and _OWN_ENTRY not in strings:
        return ""
    if _DEFAULT in strings and _OWN_ENTRY not in strings:
        return ""
    functions = _functions(table)
    entries = [at for at, (name, _) in functions.items() if _ENTRY.fullmatch(name)]
    if not entries:
        return ""
    if elf["e_machine"] != "EM_X86_64":
        return UNSURE if imports else OWN
    return UNSURE if _asks_malloc(elf, functions, entries) else OWN


def _system_is_there(elf: Any) -> bool:
    section = elf.get_section_by_name(".dynsym") or elf.get_section_by_name(".symtab")
    strings = b"" if section is None else elf.get_section(section["sh_link"]).data()
    return _ALIGNED.search(strings) is not None


def _functions(table: Any) -> _Functions:
    return {
        one["st_value"]: (one.name, one["st_size"])
        for one in table.iter_symbols()
        if one["st_info"]["type"] == _FUNCTION and one["st_size"]
    }


def _asks_malloc(elf: Any, functions: _Functions, entries: list[int]) -> bool:
    """Whether malloc is called by one of these functions, or by the allocator's that they call."""
    slots, text = _slots_of_malloc(elf), elf.get_section_by_name(".text")
    if not slots or text is None:
        return False
    code, base = text.data(), text["sh_addr"]
    stubs = set(_stubs(elf, slots))
    waiting, seen = list(entries), set(entries)
    while waiting and len(seen) <= _FOLLOWED:
        start = waiting.pop()
        body = code[start - base : start - base + functions[start][1]]
        if slots.intersection(_targets(_INDIRECT, body, start)):
            return True
        for target in _targets(_CALL, body, start):
            if target in stubs:
                return True
            if target not in seen and _HANDS_ON in functions.get(target, ("", 0))[0]:
                seen.add(target)
                waiting.append(target)
    return False


def _targets(pattern: re.Pattern[bytes], body: bytes, start: int) -> Iterator[int]:
    for match in pattern.finditer(body):
        offset = int.from_bytes(match[1], "little", signed=True)
        yield start + match.end() + 4 + offset


def _stubs(elf: Any, slots: set[int]) -> Iterator[int]:
    """The addresses at which a call of malloc reaches the jump through its slot."""
    for name in (".plt", ".plt.got", ".plt.sec"):
        section = elf.get_section_by_name(name)
        if section is None:
            continue
        code, base = section.data(), section["sh_addr"]
        for at in range(0, len(code), _STUB_MIN):
            if slots.intersection(_targets(_INDIRECT, code[at : at + _STUB], base + at)):
                yield base + at


def _slots_of_malloc(elf: Any) -> set[int]:
    """The addresses of the words that the loader fills with malloc's."""
    slots = set()
    for name in (".rela.dyn", ".rela.plt"):
        section = elf.get_section_by_name(name)
        if section is None:
            continue
        symbols = elf.get_section(section["sh_link"])
        for one in section.iter_relocations():
            index = one["r_info_sym"]
            if index and symbols.get_symbol(index).name.partition("@")[0] == "malloc":
                slots.add(one["r_offset"])
    return slots


def _bytes(elf: Any, name: str) -> bytes:
    section = elf.get_section_by_name(name)
    return b"" if section is None else bytes(section.data())
