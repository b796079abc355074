"""Loads the native library. The build makes `declarations.py` from lab.h and the headers of
lab/native/rows (cmake/declare.py), so that no command has to parse them."""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path
from typing import Any

from heapscope.base.errors import HeapscopeError

#: HS_LAB_ABI of the lab.h that this binding was written against.
ABI = 1

_OVERRIDE = "HEAPSCOPE_LIBRARY"
_HERE = Path(__file__).parent
_REMEDY = "reinstall Heapscope from its wheel, or in its source: make"

try:
    from heapscope.native import declarations
except ModuleNotFoundError as error:
    raise HeapscopeError(f"the native library is not built: {error}", remedy=_REMEDY) from None
#: One for the whole process.
ffi: Any = declarations.ffi


@functools.cache
def load() -> Any:
    """The library's functions as attributes. Loaded once; HeapscopeError when it cannot be."""
    path = library_path()
    if not path.is_file():
        raise HeapscopeError(f"the native library is missing: {path}", remedy=_REMEDY)
    try:
        library = ffi.dlopen(str(path))
        abi = library.hs_lab_abi()
    except (OSError, AttributeError) as error:
        raise HeapscopeError(f"{path}: cannot be loaded: {error}", remedy=_REMEDY) from None
    if abi != ABI:
        raise HeapscopeError(f"{path}: interface {abi}, this is {ABI}", remedy=_REMEDY)
    return library


@functools.cache
def allocator_names() -> tuple[str, ...]:
    """Every allocator that the library can replay, each once, flavours ("+light", "+full",
    "+track", "+guard1") included; `find_allocator` knows other spellings."""
    names: list[str] = []
    while (name := load().hs_lab_allocator_name(len(names))) != ffi.NULL:
        names.append(ffi.string(name).decode("ascii"))
    return tuple(names)


def find_allocator(name: str) -> str | None:
    """The one of `allocator_names` that a spelling means: "idf-5.5+track+light"; None: none."""
    if not name.isascii() or "\0" in name:
        return None
    result = load().hs_lab_allocator_find(name.encode("ascii"))
    return None if result == ffi.NULL else str(ffi.string(result).decode("ascii"))


def fixed_memory(count: int, block: int, alignment: int) -> int:
    """Bytes of a pool of fixed blocks on a 32-bit chip; 0: a value is out of its range."""
    return int(load().hs_lab_fixed_memory(count, block, alignment))


def library_path() -> Path:
    """Where the native library is; what else the build makes for use at run time is beside it."""
    override = os.environ.get(_OVERRIDE)
    return Path(override) if override else _HERE / _file_name()


def _file_name() -> str:
    names = {"win32": "heapscope_lab.dll", "darwin": "libheapscope_lab.dylib"}
    return names.get(sys.platform, "libheapscope_lab.so")
