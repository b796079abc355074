"""C++ names as they were written, by the C++ library of this machine; as they are without one."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

_LIBRARIES = ("libstdc++.so.6", "libc++abi.so.1")


def demangle(symbol: str) -> str:
    if not symbol.startswith("_Z"):
        return symbol
    library = _library()
    if library is None:
        return symbol
    status = ctypes.c_int(1)
    found = library.__cxa_demangle(symbol.encode(), None, None, ctypes.byref(status))
    if not found:
        return symbol
    try:
        text = ctypes.string_at(found).decode("utf-8", "replace")
    finally:
        ctypes.CDLL(None).free(ctypes.c_void_p(found))
    return text if status.value == 0 else symbol


@cache
def _library() -> Any:
    for name in _LIBRARIES:
        try:
            library = ctypes.CDLL(name)
            library.__cxa_demangle.restype = ctypes.c_void_p
            return library
        except (OSError, AttributeError):
            continue
    return None
