"""The native listener to a device: a stream in, its log, its recordings and their state out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heapscope.native.library import ffi, load
from heapscope.native.owner import NativeOwner
from heapscope.native.status import check
from heapscope.native.structs import Rows, Struct, field_names, read_array, struct_of, structs_of

TASKS, MARKS, SITES, REGIONS = 0, 1, 2, 5  #: tables of names
BEGIN, FAILED, LOST, MARK = range(4)  #: kinds of notices

_TAKE = 1 << 16
_NOTICES = 256


class NativeListener(NativeOwner):
    """Takes the bytes of a stream in pieces of any size. Use as a context manager. Text, names and
    metadata are untrusted bytes."""

    def __init__(self) -> None:
        lib = load()
        super().__init__(lib.hs_lab_listener_new(), lib.hs_lab_listener_delete, what="listener")
        self._buffer = ffi.new("uint8_t[]", _TAKE)

    def push(self, data: bytes) -> int:
        """Takes bytes until all are taken or another recording begins; how many it took."""
        taken = ffi.new("size_t *")
        pointer = ffi.from_buffer("uint8_t[]", data)
        call = self._lib.hs_lab_listener_push
        check(call(self.handle, pointer, len(data), taken), "listening to the device")
        return int(taken[0])

    def flush(self) -> None:
        """Nothing follows."""
        check(self._lib.hs_lab_listener_flush(self.handle), "listening to the device")

    def next(self) -> None:
        """Begins the next recording."""
        check(self._lib.hs_lab_listener_next(self.handle), "listening to the device")

    def text(self) -> bytes:
        """The device's log that was not taken yet."""
        return self._taken(self._lib.hs_lab_listener_text)

    def chunks(self) -> bytes:
        """Whole chunks of the recording that were not taken yet."""
        return self._taken(self._lib.hs_lab_listener_chunks)

    #: hs_lab_listened_t, hs_lab_health_t, hs_lab_listened_region_t.
    figures = struct_of("hs_lab_listener_figures")
    health = struct_of("hs_lab_listener_health")
    regions = structs_of("hs_lab_listener_regions")

    def end(self) -> bytes:
        """The chunk that would end the recording here."""
        size = self._lib.hs_lab_listener_end(self.handle, self._buffer, _TAKE)
        return bytes(ffi.buffer(self._buffer, size)[:])

    def notices(self) -> Iterator[Struct]:
        """Those hs_lab_notice_t that were not taken yet."""
        take = self._lib.hs_lab_listener_notices
        while len(rows := read_array(take, self.handle, most=_NOTICES)):
            names = field_names("hs_lab_notice_t")
            for row in rows[[*names]].tolist():
                yield Struct(**dict(zip(names, row, strict=True)))

    def blocks(self) -> Rows:
        """The live blocks by address; none while they are not known."""
        return read_array(self._lib.hs_lab_listener_blocks, self.handle)

    def name(self, table: int, index: int) -> bytes | None:
        value = ffi.new("const uint8_t **")
        size = self._lib.hs_lab_listener_name(self.handle, table, index, value)
        return None if value[0] == ffi.NULL else bytes(ffi.buffer(value[0], size)[:])

    def metadata(self) -> dict[str, bytes]:
        """Facts about the origin; of a repeated key the last one."""
        key, value = ffi.new("const char **"), ffi.new("const uint8_t **")
        facts: dict[str, bytes] = {}
        for index in range(self._lib.hs_lab_listener_metadata_count(self.handle)):
            size = self._lib.hs_lab_listener_metadata(self.handle, index, key, value)
            if key[0] != ffi.NULL:
                name = ffi.string(key[0]).decode("utf-8", "backslashreplace")
                facts[name] = bytes(ffi.buffer(value[0], size)[:]) if size else b""
        return facts

    def _taken(self, take: Any) -> bytes:
        pieces = []
        while count := take(self.handle, self._buffer, _TAKE):
            pieces.append(bytes(ffi.buffer(self._buffer, count)[:]))
        return b"".join(pieces)


def figures_of(listener: NativeListener) -> Struct:
    """Its figures, with the losses by kind as tuples."""
    result = listener.figures()
    result.lost, result.lost_bytes = tuple(result.lost), tuple(result.lost_bytes)
    return result
