"""Native memory with an owner in Python."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from heapscope.errors import HeapscopeError
from heapscope.native.library import ffi, load


class NativeOwner:
    """Base of what holds a native object: a context manager that gives it back at the end."""

    def __init__(self, pointer: Any, delete: Callable[[Any], None], *, what: str) -> None:
        self._lib = load()
        self._handle = ffi.gc(pointer, delete)
        self._what = what

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
