"""SystemView's packets: an id, a payload, the time since the packet before.

The format is public: SEGGER describes it in the SystemView manual (UM08027), and ESP-IDF's own
tools read it (tools/esp_app_trace). Numbers are unsigned LEB128. An id below 24 has a payload of a
fixed form, any other one is followed by the payload's length. The header is text; ten zero bytes
begin a core's packets. With two cores, the header says where each one's packets begin ("Offset
Core1 12262"), or a bit of each id says the core ("ESP_Extension").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

SYNC = bytes(10)
HEADER_MAX = 4096  #: bytes in which the header has to end

OVERFLOW, ISR_ENTER, ISR_EXIT, TASK_START, TASK_STOP = 1, 2, 3, 4, 5
TASK_INFO, TRACE_START, SYSTEM_DESCRIPTION, IDLE, ISR_TO_SCHEDULER = 9, 10, 14, 17, 18
MODULE_DESCRIPTION, INIT = 22, 24

#: Payload of the ids below 24: n a number, s a text. 23 has none that is known.
_FORMS = {
    0: "", 1: "n", 2: "n", 3: "", 4: "n", 5: "", 6: "n", 7: "nn", 8: "n", 9: "nns", 10: "", 11: "",
    12: "n", 13: "nn", 14: "s", 15: "n", 16: "n", 17: "", 18: "", 19: "n", 20: "", 21: "nnnn",
    22: "nns",
}  # fmt: skip
_LENGTH_FROM = 24
_WORD = 0xFFFF_FFFF
_TIME_MAX = (1 << 63) - 1  # ticks
_CORE_BIT = 1 << 6  # of an id's last byte, with the extension
_OFFSET = re.compile(rb"; Offset Core([01]) +(\d{1,18})\n")
_EXTENSION = b"; ESP_Extension\n"


def numbers_of(payload: bytes) -> tuple[int, ...]:
    """The numbers that a payload has; one that is cut at its end is left out."""
    result, value, shift = [], 0, 0
    for byte in payload:
        if shift < 32:  # no bit beyond these counts, however many a payload has
            value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            result.append(value & _WORD)
            value = shift = 0
    return tuple(result)


class CutError(Exception):
    """The bytes end within a packet, or are not packets."""


@dataclass(frozen=True, kw_only=True)
class Stream:
    """The packets of a core; `mixed`: of both, told apart by their ids."""

    data: bytes
    at: int  # of the first packet
    core: int
    mixed: bool


@dataclass(frozen=True, kw_only=True)
class Packet:
    """`numbers` and `text` of its payload; of an id with a length, `text` is the whole payload.
    `time`: ticks since the start."""

    core: int
    id: int
    time: int
    numbers: tuple[int, ...]
    text: bytes = b""


def streams(data: bytes) -> list[Stream]:
    """One for each core. None: SystemView did not write this."""
    head = data.find(SYNC, 0, HEADER_MAX)
    header = data[: max(head, 0)]
    if head < 0 or not header.startswith(b";") or b"SystemView" not in header:
        return []
    offsets = {int(core): int(offset) for core, offset in _OFFSET.findall(header)}
    starts = sorted(offsets.items(), key=lambda one: one[1]) or [(0, 0)]
    ends = [head + offset for _, offset in starts[1:]] + [len(data)]
    return [
        Stream(
            data=data[head + offset : end],
            at=head + offset,
            core=core,
            mixed=_EXTENSION in header,
        )
        for (core, offset), end in zip(starts, ends, strict=True)
    ]


class PacketReader:
    """Iterate it once. `fault`: what ended it early, empty: nothing did. `at`: where, in the
    file."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._data = stream.data
        self._at = len(SYNC) if stream.data.startswith(SYNC) else 0
        self.fault = "" if self._at else "there is no sync at its begin"

    @property
    def at(self) -> int:
        return self._stream.at + self._at

    def __iter__(self) -> Iterator[Packet]:
        time = 0
        while not self.fault and self._at < len(self._data):
            begin = self._at
            try:
                core, number = self._id()
                numbers, text = self._payload(number)
                passed = self._number()
                time = 0 if number == TRACE_START else time + passed
                if time > _TIME_MAX:
                    raise CutError("its time is later than any clock goes")
            except CutError as cut:
                self._at, self.fault = begin, str(cut)
                return
            yield Packet(core=core, id=number, time=time, numbers=numbers, text=text)

    def _byte(self) -> int:
        if self._at >= len(self._data):
            raise CutError("it ends within a packet")
        self._at += 1
        return self._data[self._at - 1]

    def _number(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
            if shift > 63:
                raise CutError("a number in it has too many bytes")

    def _id(self) -> tuple[int, int]:
        first = self._byte()
        last = self._byte() if first & 0x80 else first
        core = self._stream.core
        if self._stream.mixed:
            core, last = int(bool(last & _CORE_BIT)), last & ~_CORE_BIT
        return core, (last << 7 | first & 0x7F) if first & 0x80 else last

    def _payload(self, number: int) -> tuple[tuple[int, ...], bytes]:
        if number >= _LENGTH_FROM:
            low = self._byte()
            size = low & 0x7F | self._byte() << 7 if low & 0x80 else low
            end = self._at + size
            if end > len(self._data):
                raise CutError("it ends within a packet")
            begin, self._at = self._at, end
            return (), self._data[begin:end]
        if number not in _FORMS:
            raise CutError(f"it has the event {number}, whose form is not known")
        numbers, text = [], b""
        for kind in _FORMS[number]:
            if kind == "n":
                numbers.append(self._number())
            else:
                text = self._text()
        return tuple(numbers), text

    def _text(self) -> bytes:
        size = self._byte()
        if size == 0xFF:
            size = self._byte() | self._byte() << 8
        if self._at + size > len(self._data):
            raise CutError("it ends within a packet")
        self._at += size
        return self._data[self._at - size : self._at]
