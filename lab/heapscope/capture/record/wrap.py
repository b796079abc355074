"""The file by which a program's own allocators are recorded: a function in front of each of theirs,
where the linker puts it (--wrap)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.whole_file import write_whole
from heapscope.capture.record.allocators import RUST, Look, look_at, names_of
from heapscope.capture.record.functions import CPLUSPLUS, FUNCTIONS, KINDS, LIBRARY
from heapscope.capture.record.rust import REMEDY
from heapscope.capture.record.wrap_source import EXPORT, wrap_cmake, wrap_source

SOURCE, OPTIONS, CMAKE = "heapscope_wrap.c", "heapscope_wrap.txt", "heapscope_wrap.cmake"
#: A function that each ESP-IDF has whose heap is its own. That for Linux asks the C library's.
_OWN_HEAP_OF_IDF = "multi_heap_register"

#: The functions of a program that brings a C library's malloc along.
_MALLOC_FAMILY = ("malloc", "calloc", "realloc", "aligned_alloc", "memalign", "free")

_HOOK = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:=(\w+))?", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Wrap:
    """The written files. `functions`: those that are recorded. `beyond`: those that are static or
    hidden, and that no hook names."""

    source: Path
    options: Path
    cmake: Path
    functions: tuple[str, ...]
    beyond: tuple[str, ...]
    allocators: str


def write_wrap(
    folder: str | Path, program: Path, hooks: Iterable[str] = (), only: Sequence[str] = ()
) -> Wrap:
    """Writes the file and the linker's options for a program that was built without them. `only`:
    patterns of the functions to take; none: all. InputError where the program has none of the
    functions, or the folder cannot be written."""
    named = dict(_hook(one) for one in hooks)
    known = FUNCTIONS | named
    program, look = _hooked_file(program, {*known, *LIBRARY, _OWN_HEAP_OF_IDF})
    if "malloc" in look.functions:
        own = {name: LIBRARY[name] for name in _MALLOC_FAMILY if name in look.functions}
        known = own | known
    matches = [
        name for name in known if name in look.functions or name in look.taken & LIBRARY.keys()
    ]
    functions = [name for name in matches if name in named or look.functions[name] != "local"]
    beyond = [name for name in matches if name not in functions]
    _check(program, look, functions, beyond, [name for name in named if name not in matches])
    if "heap_caps_malloc" in functions and _OWN_HEAP_OF_IDF not in look.functions:
        known = known | LIBRARY
        calls = [one for one in LIBRARY if one in look.taken or not one.startswith(CPLUSPLUS)]
        functions += [one for one in calls if one not in functions]
    if only:
        functions = _only(functions, only)
    target = Path(folder)
    wraps = [f"-Wl,--wrap={name}" for name in functions]
    try:
        target.mkdir(parents=True, exist_ok=True)
        text = wrap_source(
            {name: known[name] for name in functions}, {one.name for one in look.allocators}
        )
        write_whole(target / SOURCE, text.encode("ascii"))
        write_whole(target / OPTIONS, ("\n".join([*wraps, EXPORT]) + "\n").encode("ascii"))
        write_whole(target / CMAKE, wrap_cmake(wraps).encode("ascii"))
    except OSError as error:
        shown = printable(str(folder), limit=400)
        raise InputError(
            f"{shown}: cannot be written: {error.strerror}", remedy="give --wrap another folder"
        ) from None
    return Wrap(
        source=target / SOURCE,
        options=target / OPTIONS,
        cmake=target / CMAKE,
        functions=tuple(functions),
        beyond=tuple(beyond),
        allocators=names_of(look.allocators),
    )


def _hooked_file(program: Path, names: Iterable[str]) -> tuple[Path, Look]:
    """The file whose functions a linker can wrap. Zephyr links twice for native_sim: zephyr.elf,
    and with it zephyr.exe, in which all its functions are local."""
    look, first = look_at(program, names), program.with_suffix(".elf")
    if first != program and set(look.functions.values()) == {"local"}:
        before = look_at(first, names)
        if before.half_linked and look.functions.keys() <= before.functions.keys():
            return first, before
    return program, look


def _only(functions: Sequence[str], patterns: Sequence[str]) -> list[str]:
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in functions):
            raise InputError(
                f"--only {printable(pattern)}: names none of the program's functions",
                remedy=f"there are {', '.join(functions)}",
            )
    return [name for name in functions if any(fnmatchcase(name, one) for one in patterns)]


def _hook(text: str) -> tuple[str, tuple[str, str]]:
    """The function, its kind and its parameters. Those of a known one may be left out."""
    match = _HOOK.fullmatch(text)
    if match is not None and match[2] in KINDS:
        return match[1], (match[2], "")
    known = FUNCTIONS | LIBRARY
    if match is not None and match[2] is None and match[1] in known:
        return match[1], known[match[1]]
    raise InputError(
        f"'{printable(text)}' names no function to hook",
        remedy=f"write NAME=KIND, for example my_alloc=malloc; kinds: {', '.join(KINDS)}",
    )


def _check(
    program: Path, look: Look, functions: list[str], beyond: list[str], missing: list[str]
) -> None:
    shown = printable(str(program), limit=400)
    if missing:
        raise InputError(
            f"{shown}: has no function {', '.join(missing)}",
            remedy="check the name; a program that is stripped tells none",
        )
    if functions:
        return
    if beyond:
        raise InputError(
            f"{shown}: {', '.join(beyond)}: static or hidden functions; a linker can put another "
            "function in front of a hidden one alone",
            remedy=f"name a hidden one with --hook {beyond[0]}; make a static one global",
        )
    if look.stripped:
        raise InputError(f"{shown}: is stripped", remedy="build it without -s, and do not strip it")
    if any(one.name == RUST for one in look.allocators):
        raise InputError(
            f"{shown}: {RUST} is bound before a linker can put another function in front of it",
            remedy=REMEDY,
        )
    raise InputError(
        f"{shown}: has no allocator that is known here",
        remedy="name its functions: --hook my_alloc=malloc --hook my_free=free",
    )
