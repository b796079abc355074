"""Which frames of a call site are shown. A table names the function that asked the allocator first,
not the allocator's own wrappers, and leaves out the frames that `--fold` names. A result and its
JSON keep the whole stack."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from contextvars import ContextVar

#: Between a frame's function and the library that it is of; the program's own frames have none.
IN_LIBRARY = " in "

#: Functions that only hand a request on. The C++ ones are those of libstdc++ and libc++; Rust's are
#: its library's and those of the crate heapscope.
_ALLOCATOR = re.compile(
    r"(?:(?:__libc_|__GI___libc_|__interceptor_|rtld_|dl_)?"
    r"(?:malloc|calloc|realloc|reallocarray|aligned_alloc|memalign|posix_memalign|valloc|pvalloc)"
    r"|_(?:malloc|calloc|realloc|memalign)_r|__wrap_\w+|pvPortMalloc|pvPortCalloc|heap_caps_\w*alloc\w*"
    r"|_Zn[wa][mj]\w*)(?=[ (+@]|$)"
    r"|operator new(?!\w)"
    r"|(?:std::(?:__\w+::)?|__gnu_cxx::)"
    r"(?:allocator<|allocator_traits<|__new_allocator<|new_allocator<|__allocat|__libcpp_alloc"
    r"|__libcpp_operator_new)"
    r"|std::[^(]*>::_M_allocate\w*\("
    r"|(?:__rustc::)?__(?:rust|rdl|rg)_(?:alloc|realloc)|hs_rust_\w+ |critical_section::with(?!\w)"
    r"|<?(?:alloc::(?:alloc|raw_vec)|std::(?:sys::)?alloc)::|<heapscope::(?:recorded|heap)::"
    r"|alloc::boxed::(?:box_|Box<)"
)

_folded: ContextVar[tuple[str, ...]] = ContextVar("folded", default=())


def fold(patterns: Sequence[str] | None) -> None:
    """What the user wants folded from now on: names with * and ?, or beginnings of names, of
    functions or libraries. None: as before."""
    if patterns is not None:
        _folded.set(tuple(patterns))


def own_frames(frames: Sequence[str]) -> Sequence[str]:
    """Without those that the user folds; all of them where none would stay."""
    patterns = _folded.get()
    if not patterns:
        return frames
    kept = [frame for frame in frames if not any(_matches(frame, one) for one in patterns)]
    return kept if any(not frame.startswith("…") for frame in kept) else frames


def inner_frames(frames: Sequence[str]) -> Sequence[str]:
    """From the function that asked the allocator outwards."""
    own = own_frames(frames)
    rest = without_allocators(own)
    return rest if rest and not rest[0].startswith("…") else own


def without_allocators(frames: Sequence[str]) -> Sequence[str]:
    """From the first function outwards that is more than a wrapper of an allocator."""
    first = next((n for n, frame in enumerate(frames) if not _ALLOCATOR.match(frame)), len(frames))
    return frames[first:]


def without_library(frame: str) -> str:
    return frame.partition(IN_LIBRARY)[0]


def _matches(frame: str, pattern: str) -> bool:
    function, _, library = frame.partition(IN_LIBRARY)
    if "*" in pattern or "?" in pattern:
        glob = pattern.replace("[", "[[]")
        return fnmatch.fnmatchcase(function, glob) or fnmatch.fnmatchcase(library, glob)
    return function.startswith(pattern) or library.startswith(pattern)
