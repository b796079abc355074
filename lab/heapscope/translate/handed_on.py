"""Whether a function hands the size that it was given to an allocator as it is."""

from __future__ import annotations

from heapscope.translate.instructions import RBP, decode
from heapscope.translate.layouts import Entry
from heapscope.translate.program import ProgramFile, Scope

_SITES = ("DW_TAG_call_site", "DW_TAG_GNU_call_site")
_PARAMETERS = ("DW_TAG_call_site_parameter", "DW_TAG_GNU_call_site_parameter")
_REG_RDI = 0x55
_ENTRY_VALUES = (0xA3, 0xF3)
_RDI, _RAX = 7, 0
#: Registers of arguments, as instructions number them.
_ARGUMENTS = frozenset({7, 6, 2, 1, 8, 9})


def hands_size_on(program: ProgramFile, address: int, scopes: list[Scope]) -> bool:
    """The first argument of the call that returns to an address is a parameter of its function,
    which was not changed. The debug information of optimised code says it; otherwise the code has
    to show it."""
    told = _told(address, scopes)
    return _seen(program, address, scopes[0]) if told is None else told


def _told(address: int, scopes: list[Scope]) -> bool | None:
    """None: it says nothing."""
    for scope in scopes:
        for site in scope.entry.iter_children():
            if site.tag in _SITES and _returns_to(site) == address:
                for each in site.iter_children():
                    if each.tag in _PARAMETERS and _value(each, "DW_AT_location") == [_REG_RDI]:
                        value = _value(each, "DW_AT_call_value", "DW_AT_GNU_call_site_value")
                        return _is_entry_value(value)
    return None


def _returns_to(site: Entry) -> int | None:
    found = site.attributes.get("DW_AT_call_return_pc") or site.attributes.get("DW_AT_low_pc")
    return None if found is None else int(found.value)


def _value(entry: Entry, *names: str) -> list[int]:
    for name in names:
        found = entry.attributes.get(name)
        if found is not None and isinstance(found.value, list):
            return list(found.value)
    return []


def _is_entry_value(expression: list[int]) -> bool:
    return (
        len(expression) == 3
        and expression[0] in _ENTRY_VALUES
        and expression[1] == 1
        and 0x50 <= expression[2] < 0x60
    )


def _seen(program: ProgramFile, address: int, function: Scope) -> bool:
    """The code up to the call stores the parameter once, as it comes, and loads it for the call."""
    begin = next((start for start, end in function.pieces if start < address <= end), None)
    if begin is None:
        return False
    loads: dict[int, int] = {}  # registers that have a slot of the stack, untouched
    stores: dict[int, list[int]] = {}
    looked_at: set[int] = set()
    at = begin
    while at < address:
        one = decode(program.code(at, 16), at)
        if one is None:
            return False
        if one.kind == "call" and at + one.size == address:
            slot = loads.get(_RDI)
            kept = stores.get(slot, []) if slot is not None else []
            return len(kept) == 1 and kept[0] in _ARGUMENTS and slot not in looked_at
        if one.kind == "store" and one.base == RBP:
            stores.setdefault(one.offset, []).append(one.source if one.wide else -1)
        elif one.kind in ("other", "change") and one.base == RBP:
            looked_at.add(one.offset)
        if one.kind == "load":
            loads.pop(one.target, None)
            if one.base == RBP and one.wide:
                loads[one.target] = one.offset
        elif one.kind == "move":
            if one.wide and one.source in loads:
                loads[one.target] = loads[one.source]
            else:
                loads.pop(one.target, None)
        elif one.kind == "change":
            loads.pop(one.target, None)
        elif one.kind == "call":
            loads.clear()
        at += one.size
    return False
