"""Lack of memory, however it shows itself: it says nothing of the input."""

from __future__ import annotations

import errno

#: The remedy.
ENOUGH = "close other programs, raise the limit (ulimit -v, a container's), or use a larger host"
_PROBE = 64 << 20  # bytes; a host that has not so much at once is short of memory
_MESSAGES = (
    "cannot allocate memory",
    "not enough memory",
    "failed to map segment",
    "out of memory",
)
#: Libraries make these of a failed allocation: modules that are not mapped, threads that do not
#: start, calls that fail without a word.
_MAYBE = (ImportError, OSError, RuntimeError, SystemError)


def is_shortage(error: BaseException) -> bool:
    """Whether the host has too little memory, as the error or one behind it tells, or as the host
    itself does where an error can be the sign of it."""
    seen: BaseException | None = error
    for _ in range(20):
        if seen is None:
            break
        if isinstance(seen, MemoryError) or getattr(seen, "errno", None) == errno.ENOMEM:
            return True
        if isinstance(seen, _MAYBE) and any(stated in str(seen).lower() for stated in _MESSAGES):
            return True
        seen = seen.__cause__ or seen.__context__
    return isinstance(error, _MAYBE) and not _has_room()


def _has_room() -> bool:
    try:
        return len(bytearray(_PROBE)) == _PROBE
    except MemoryError:
        return False
