"""Symbol names of C++ and Rust as a program's source has them, without the arguments of functions
where the name alone says who it is."""

from __future__ import annotations

import ctypes
import functools
import re
from typing import Any

from heapscope.base.rust_names import rust_name

_LIBRARIES = ("libstdc++.so.6", "libc++abi.so.1", "/usr/lib/libc++abi.dylib")
_HASH = re.compile(r"(.*)::h[0-9a-f]{16}", re.DOTALL)
_RUST = re.compile(r"_ZN.*17h[0-9a-f]{16}E(?:\.llvm\.\d+)?", re.DOTALL)
_PART = re.compile(r"(\d+)(?=[A-Za-z_$.])")
#: Before a name: nested; of this file alone. After it: nothing more of it.
_BEGIN = re.compile(r"_Z(N[VKr]*|L)?")
_ESCAPED = {
    "$SP$": "@", "$BP$": "*", "$RF$": "&", "$LT$": "<", "$GT$": ">", "$LP$": "(", "$RP$": ")",
    "$C$": ",", "..": "::",
}  # fmt: skip
_CODE = re.compile(r"\$u([0-9a-f]{1,6})\$")
_IN_TEXT = re.compile(r"\b_[ZR]\w+")


def is_rust(symbol: str) -> bool:
    """By either way in which Rust's compiler writes a symbol."""
    return symbol.startswith("_R") or _RUST.fullmatch(symbol) is not None


@functools.lru_cache(maxsize=65536)
def readable_name(symbol: str) -> str:
    """The symbol itself where it is of C, or of a form that nothing here reads."""
    if symbol.startswith("_R"):
        return rust_name(symbol) or symbol
    if not symbol.startswith("_Z"):
        return symbol
    plain = _plain(symbol) or cpp_name(symbol)
    match = _HASH.fullmatch(plain)
    return plain if match is None else _unescaped(match[1])


def readable_text(text: str) -> str:
    """A sentence, with the names in it readable."""
    return _IN_TEXT.sub(lambda match: readable_name(match[0]), text)


def cpp_name(symbol: str) -> str:
    """The name with arguments, as this machine's C++ library reads it; without one, the symbol."""
    library = _library()
    if library is None or not symbol.startswith("_Z"):
        return symbol
    status = ctypes.c_int(1)
    result = library.__cxa_demangle(symbol.encode(), None, None, ctypes.byref(status))
    if not result:
        return symbol
    try:
        text = ctypes.string_at(result).decode("utf-8", "replace")
    finally:
        ctypes.CDLL(None).free(ctypes.c_void_p(result))
    return text if status.value == 0 else symbol


@functools.cache
def _library() -> Any:
    for name in _LIBRARIES:
        try:
            library = ctypes.CDLL(name)
            library.__cxa_demangle.restype = ctypes.c_void_p
            return library
        except (OSError, AttributeError):
            continue
    return None


def _plain(symbol: str) -> str:
    """A name of words alone, without templates, operators and constructors; "": it is another."""
    begin = _BEGIN.match(symbol)
    assert begin is not None
    at, words = begin.end(), []
    while part := _PART.match(symbol, at):
        at = part.end() + int(part[1])
        words.append(symbol[part.end() : at])
        if not (begin[1] or "").startswith("N"):
            break
    rest = symbol[at:]
    is_nested = (begin[1] or "").startswith("N")
    if not words or len(symbol) < at or (is_nested and not rest.startswith("E")) or "I" in rest[:1]:
        return ""
    if "_GLOBAL__N_1" in words:
        words = ["(anonymous namespace)" if w == "_GLOBAL__N_1" else w for w in words]
    return "::".join(words)


def _unescaped(name: str) -> str:
    """A name of Rust's older form."""
    for escape, text in _ESCAPED.items():
        name = name.replace(escape, text)
    name = _CODE.sub(lambda match: chr(int(match[1], 16)), name)
    return re.sub(r"(^|::)_(?=<)", r"\1", name)
