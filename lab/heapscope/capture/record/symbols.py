"""Return addresses of a recorded program to names, after it has run: functions, lines and inlines
out of the files that lay there, or the debug files of the same build."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from symbolic.debuginfo import Archive
from symbolic.exceptions import SymbolicError

from heapscope.base.readable_name import cpp_name, is_rust, readable_name
from heapscope.native.recorder import ModuleRow
from heapscope.trace import call_sites
from heapscope.trace.fold_sites import IN_LIBRARY

_CUT = 0  # HS_REC_FRAME_CUT
#: Where distributions put what they strip off, by build id.
DEBUG_FILES = Path("/usr/lib/debug/.build-id")


class Symbols:
    """The modules of one image, in the order in which they were reported. A file that cannot be
    read gives addresses in it instead of names."""

    def __init__(self, modules: Sequence[ModuleRow], program: str) -> None:
        self._modules = modules
        self._program = program
        self._caches: dict[str, Any] = {}
        self._frames: dict[tuple[int, int], tuple[str, ...]] = {}  # by address and `known`
        self._named: dict[tuple[int, str], tuple[str, ...]] = {}  # by offset in a file, and it

    def frames(self, address: int, known: int) -> tuple[str, ...]:
        """The functions that a return address is in, innermost first: more than one where some
        were inlined. `known`: modules that had been told then."""
        key = address, known
        if key not in self._frames:
            self._frames[key] = self._looked_up(address - 1, known)
        return self._frames[key]

    def _module(self, address: int, known: int) -> ModuleRow | None:
        """The last one recorded before, as code is unloaded and other code lies there; or the
        first after, which another thread was about to tell."""
        before, after = reversed(self._modules[:known]), self._modules[known:]
        for module in (*before, *after):
            if module.start <= address < module.start + module.size:
                return module
        return None

    def _looked_up(self, address: int, known: int) -> tuple[str, ...]:
        module = self._module(address, known)
        if module is None:
            return (f"{address:#x}",)
        path = module.path or self._program
        place = address - module.start, path
        if place not in self._named:
            self._named[place] = self._in_file(*place)
        return self._named[place]

    def _in_file(self, offset: int, path: str) -> tuple[str, ...]:
        cache = self._cache(path)
        result = [] if cache is None else cache.lookup(offset)
        if not result:
            return (f"{Path(path).name}+{offset:#x}",)
        library = "" if path == self._program else f"{IN_LIBRARY}{Path(path).name}"
        return tuple(_frame(place) + library for place in result)

    def _cache(self, path: str) -> Any:
        if path not in self._caches:
            self._caches[path] = _best(path)
        return self._caches[path]


def site_name(stack: Sequence[int], symbols: Symbols, known: int) -> bytes:
    """The name in a trace of a stack that was made when `known` modules had been told."""
    inner = stack[:-1] if stack and stack[-1] == _CUT else stack
    return call_sites.site_name(
        [name.encode() for address in inner for name in symbols.frames(address, known)],
        cut=len(inner) < len(stack),
    )


def _frame(place: Any) -> str:
    symbol = place.symbol or "?"
    symbol = readable_name(symbol) if is_rust(symbol) else cpp_name(symbol)
    line = f" ({Path(place.full_path).name}:{place.line})" if place.full_path and place.line else ""
    return symbol + line


def _best(path: str) -> Any:
    """The symbols of a file, and where it was stripped, of its debug file."""
    own = _object(Path(path))
    if own is None:
        return None
    if "debug" not in own.features and own.code_id:
        build = own.code_id
        other = _object(DEBUG_FILES / build[:2] / f"{build[2:]}.debug")
        if other is not None and other.code_id == build:
            own = other
    try:
        return own.make_symcache()
    except SymbolicError:
        return None


def _object(path: Path) -> Any:
    try:
        return next(iter(Archive.open(str(path)).iter_objects()), None)
    except (SymbolicError, OSError, ValueError):
        return None
