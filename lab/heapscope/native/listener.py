"""The native listener to a device: a stream in, its log, its recordings and their state out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from heapscope.base.request import Request
from heapscope.native.config import NativeConfig, Prepared
from heapscope.native.library import ffi, load
from heapscope.native.owner import NativeOwner
from heapscope.native.status import check
from heapscope.native.structs import NEVER, Struct, read_array, struct_of, structs_of, values

TASKS, MARKS, SITES, REGIONS = 0, 1, 2, 5  #: tables of names
NO_TASK = -1  #: HS_LAB_NO_TASK: a snapshot alone told the block
BEGIN, FAILED, LOST, MARK, LATE_START, STOPPED = range(6)  #: kinds of notices

_TAKE = 1 << 17  # a chunk fits
_NOTICES = 256
_SENTENCE_MAX = 512


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

    def lines(self, text: bytes = b"") -> list[bytes]:
        """The whole lines of the log that this text, which was taken, makes; b"": it was quiet, so
        that a line without an end is over."""
        pointer = ffi.from_buffer("uint8_t[]", text)
        call = self._lib.hs_lab_listener_log
        check(call(self.handle, pointer, len(text)), "listening to the device")
        return self._taken(self._lib.hs_lab_listener_lines).split(b"\n")[:-1]

    def chunks(self) -> bytes:
        """Whole chunks of the recording that were not taken yet."""
        return self._taken(self._lib.hs_lab_listener_chunk)

    def watch(self, requests: Sequence[Request]) -> None:
        """Before the first push: asks about them after each piece."""
        needs = ffi.new("hs_lab_need_t[]", [(one.size, one.caps) for one in requests])
        call = self._lib.hs_lab_listener_watch
        check(call(self.handle, needs, len(requests)), "listening to the device")

    def replay(self, config: NativeConfig) -> None:
        """Before the first push: replays the recording on this memory."""
        self._prepared = Prepared(config)
        where = ffi.new("uint32_t *")
        status = self._lib.hs_lab_listener_replay(self.handle, self._prepared.pointer, where)
        check(status, "setting up the replay")

    #: hs_lab_listened_t, hs_lab_health_t, hs_lab_memory_t, hs_lab_watched_t.
    figures = struct_of("hs_lab_listener_figures")
    health = struct_of("hs_lab_listener_health")
    memories = structs_of("hs_lab_listener_memories")
    watched = structs_of("hs_lab_listener_watched")

    def lately(self, seconds: float, silent: float) -> Struct:
        """Growth and rates, by our clock where the recording has none; `silent`: seconds without
        a chunk."""
        out = ffi.new("hs_lab_lately_t *")
        call = self._lib.hs_lab_listener_lately
        check(call(self.handle, seconds, silent, out), "listening to the device")
        return values(out)

    def owners(self, most: int) -> Iterator[Struct]:
        """Those that hold most, as of the last call of lately()."""
        return _structs(self._lib.hs_lab_listener_owners, self.handle, most=most)

    def in_the_way(self, watched: int, most: int) -> Iterator[Struct]:
        """While the request does not fit: those that hold most of what is in its way."""
        return _structs(self._lib.hs_lab_listener_in_the_way, self.handle, watched, most=most)

    def end(self) -> bytes:
        """The chunk that would end the recording here."""
        size = self._lib.hs_lab_listener_end(self.handle, self._buffer, _TAKE)
        return bytes(ffi.buffer(self._buffer, size)[:])

    def notices(self) -> Iterator[Struct]:
        """Those hs_lab_notice_t that were not taken yet."""
        take = self._lib.hs_lab_listener_notices
        while rows := list(_structs(take, self.handle, most=_NOTICES)):
            yield from rows

    def sentence(self, notice: Struct) -> bytes:
        """A notice in words, up to its owner, or to the name of a mark; of a request that stopped
        fitting what belongs behind the request."""
        row = ffi.new("hs_lab_notice_t *", vars(notice))
        out = ffi.new("char[]", _SENTENCE_MAX)
        self._lib.hs_lab_listener_sentence(self.handle, row, out, _SENTENCE_MAX)
        return bytes(ffi.string(out))

    def label(self) -> str:
        """The name of the recording's file without its prefix."""
        out = ffi.new("char[]", _SENTENCE_MAX)
        self._lib.hs_lab_listener_label(self.handle, out, _SENTENCE_MAX)
        return bytes(ffi.string(out)).decode("ascii")

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


def _structs(call: Callable[..., int], *given: Any, most: int) -> Iterator[Struct]:
    rows = read_array(call, *given, most=most)
    names = rows.dtype.names or ()
    for row in rows[[*names]].tolist():
        yield Struct(**dict(zip(names, row, strict=True)))


def reported(figure: int) -> int | None:
    """None: HS_LAB_NEVER, it is not known."""
    return None if figure == NEVER else figure


def source_name(by: int) -> str:
    """The name of a HS_LAB_BY_*."""
    return str(ffi.string(load().hs_lab_source_name(by)).decode("ascii"))


def notice_name(kind: int) -> str:
    return str(ffi.string(load().hs_lab_notice_name(kind)).decode("ascii"))


def lost_name(kind: int) -> str:
    """The kind of events behind an index of `lost`."""
    return str(ffi.string(load().hs_lab_lost_name(kind)).decode("ascii"))


def late_start_text() -> str:
    """The limit of a recording that began when the heap had blocks."""
    return str(ffi.string(load().hs_lab_late_start_text()).decode("ascii"))


def figures_of(listener: NativeListener) -> Struct:
    """Its figures, with the losses by kind as tuples."""
    result = listener.figures()
    result.lost, result.lost_bytes = tuple(result.lost), tuple(result.lost_bytes)
    return result
