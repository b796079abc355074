"""Lack of memory is reported as lack of memory, and the input is not blamed for it."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from heapscope.base import shortage
from heapscope.base.errors import HeapscopeError, InputError
from heapscope.base.shortage import is_shortage
from heapscope.base.zstd import ZstdCompressor, ZstdError
from heapscope.native.status import Status, StatusError
from heapscope.trace import zstd
from heapscope.trace.info import read_info


def caused(error: BaseException, cause: BaseException) -> BaseException:
    error.__context__ = cause
    return error


SHORT = [
    MemoryError(),
    OSError(errno.ENOMEM, "Cannot allocate memory"),
    ImportError("libx.so: failed to map segment from shared object"),
    ImportError("libx.so: cannot allocate memory in static TLS block"),
    caused(HeapscopeError("the library cannot be loaded"), OSError(errno.ENOMEM, "no")),
    caused(InputError("polars is not installed"), ImportError("failed to map segment")),
]
OTHER = [
    InputError("no such file"),
    OSError(errno.ENOENT, "No such file or directory"),
    ImportError("No module named 'x'"),
    SystemError("error return without exception set"),
    ValueError("x"),
]


@pytest.mark.parametrize("error", SHORT)
def test_lack_of_memory_is_seen_behind_other_errors(error: BaseException) -> None:
    assert is_shortage(error)


@pytest.mark.parametrize("error", OTHER)
def test_another_error_is_no_lack_of_memory(error: BaseException) -> None:
    assert not is_shortage(error)


def test_a_host_without_memory_explains_what_libraries_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shortage, "_has_room", lambda: False)
    assert is_shortage(SystemError("error return without exception set"))
    assert not is_shortage(InputError("no such file"))


class Short:
    """The decompressor of a host that has no memory for it."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def decompress(self, piece: bytes) -> bytes:
        raise self._error


@pytest.mark.parametrize(
    "error",
    [MemoryError(), ZstdError("Unable to decompress: Allocation error : not enough memory")],
)
def test_a_sound_file_is_not_damaged_where_memory_lacks(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packer = ZstdCompressor()
    file = tmp_path / "T.hst.zst"
    file.write_bytes(packer.compress(b"x" * 1000) + packer.flush())
    monkeypatch.setattr(zstd, "ZstdDecompressor", lambda **_: Short(error))
    with pytest.raises(MemoryError):
        read_info(file)


def test_the_library_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "ulimit" in StatusError("reading the trace", status=Status.MEMORY).remedy
    assert StatusError("reading the trace", status=Status.FORMAT).remedy == ""
