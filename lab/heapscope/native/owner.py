"""Native memory with an owner in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

from heapscope.base.errors import HeapscopeError
from heapscope.native.library import ffi, load
from heapscope.native.status import Status, StatusError, check


class NativeOwner:
    """Base of what holds a native object: a context manager that gives it back at the end."""

    def __init__(self, pointer: Any, delete: Callable[[Any], None], *, what: str) -> None:
        if pointer == ffi.NULL:
            raise StatusError(f"the {what} cannot be set up", status=Status.MEMORY)
        self._lib = load()
        self._handle = ffi.gc(pointer, delete)
        self._what = what

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the native memory back; every other call is an error from then on."""
        if self._handle is not None:
            ffi.release(self._handle)
            self._handle = None

    @property
    def handle(self) -> Any:
        """The native object, for the modules of this binding."""
        if self._handle is None:
            raise HeapscopeError(f"the {self._what} is closed")
        return self._handle


class NativeTrace(NativeOwner):
    """Base of what makes a trace: its bytes are taken by take()."""

    _TAKE = 1 << 18

    def __init__(self, prefix: str, *given: Any, what: str) -> None:
        """`prefix`: of the library's functions for it."""
        lib = load()
        self._prefix = prefix
        make, delete = getattr(lib, f"{prefix}_new"), getattr(lib, f"{prefix}_delete")
        super().__init__(make(*given), delete, what=what)
        self._buffer = ffi.new("uint8_t[]", self._TAKE)

    def _call(self, function: str, *given: Any) -> int:
        return int(getattr(self._lib, f"{self._prefix}_{function}")(self.handle, *given))

    def metadata(self, key: str, value: str) -> None:
        """A fact about the origin, before anything else."""
        raw = value.replace("\0", " ").encode("utf-8", "replace")
        check(self._call("metadata", key.encode("ascii"), raw), f"metadata {key}")

    def finish(self) -> None:
        check(self._call("finish"), "ending the trace")

    def take(self) -> Iterator[bytes]:
        """The finished bytes that were not taken yet."""
        while count := self._call("take", self._buffer, self._TAKE):
            yield bytes(ffi.buffer(self._buffer, count))
