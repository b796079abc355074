"""Whether a function hands the size that it was given to an allocator as it is."""

from __future__ import annotations

from heapscope.capture.translate.instructions import RBP, decode
from heapscope.capture.translate.layouts import Entry
from heapscope.capture.translate.program import CodeScope, ProgramFile

_SITES = ("DW_TAG_call_site", "DW_TAG_GNU_call_site")
_PARAMETERS = ("DW_TAG_call_site_parameter", "DW_TAG_GNU_call_site_parameter")
_ENTRY_VALUES = (0xA3, 0xF3)
_OP_REG0 = 0x50
#: Registers of arguments in their order, as instructions and as debug information number them.
_ARGUMENTS = (7, 6, 2, 1, 8, 9)
_REPORTED_ARGUMENTS = (5, 4, 1, 2, 8, 9)


def handed_on(
    program: ProgramFile, address: int, scopes: list[CodeScope], argument: int
) -> int | None:
    """An argument of the call that returns to an address is a parameter of its function, which was
    not changed: the number of the parameter, both from 0. None: not an argument, or one
    that may have been changed. The debug information of optimised code says it; otherwise the
    code has to show it."""
    if not 0 <= argument < len(_ARGUMENTS):
        return None
    site = _site(address, scopes)
    if site is None:
        return _seen(program, address, scopes[0], _ARGUMENTS[argument])
    register = [_OP_REG0 + _REPORTED_ARGUMENTS[argument]]
    for each in site.iter_children():
        if each.tag in _PARAMETERS and _value(each, "DW_AT_location") == register:
            return _parameter(_value(each, "DW_AT_call_value", "DW_AT_GNU_call_site_value"))
    return None


def _site(address: int, scopes: list[CodeScope]) -> Entry | None:
    for scope in scopes:
        for site in scope.entry.iter_children():
            if site.tag in _SITES and _returns_to(site) == address:
                return site
    return None


def _returns_to(site: Entry) -> int | None:
    result = site.attributes.get("DW_AT_call_return_pc") or site.attributes.get("DW_AT_low_pc")
    return None if result is None else int(result.value)


def _value(entry: Entry, *names: str) -> list[int]:
    for name in names:
        result = entry.attributes.get(name)
        if result is not None and isinstance(result.value, list):
            return list(result.value)
    return []


def _parameter(expression: list[int]) -> int | None:
    """An argument's own value at the function's beginning, and nothing more."""
    if len(expression) != 3 or expression[0] not in _ENTRY_VALUES or expression[1] != 1:
        return None
    register = expression[2] - _OP_REG0
    return _REPORTED_ARGUMENTS.index(register) if register in _REPORTED_ARGUMENTS else None


def _seen(program: ProgramFile, address: int, function: CodeScope, register: int) -> int | None:
    """The code up to the call stores the parameter once, as it comes, and loads it for the call."""
    begin = next((start for start, end in function.pieces if start < address <= end), None)
    if begin is None:
        return None
    loads: dict[int, int] = {}  # registers that have a slot of the stack, untouched
    stores: dict[int, list[int]] = {}
    looked_at: set[int] = set()
    at = begin
    while at < address:
        one = decode(program.code(at, 16), at)
        if one is None:
            return None
        if one.kind == "call" and at + one.size == address:
            slot = loads.get(register)
            kept = stores.get(slot, []) if slot is not None else []
            if len(kept) != 1 or kept[0] not in _ARGUMENTS or slot in looked_at:
                return None
            return _ARGUMENTS.index(kept[0])
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
    return None
