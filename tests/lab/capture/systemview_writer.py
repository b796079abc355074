"""A writer of SystemView recordings, from the description of the format alone."""

from __future__ import annotations

from dataclasses import dataclass, field

HEAP = 520  #: id of the first heap event in these recordings


def number(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def text(words: bytes) -> bytes:
    if len(words) < 0xFF:
        return bytes([len(words)]) + words
    return b"\xff" + len(words).to_bytes(2, "little") + words


@dataclass
class Core:
    """The packets of one core; `time`: ticks since its start."""

    data: bytearray = field(default_factory=lambda: bytearray(10))
    time: int = 0
    bit: int = 0  # of the ids, with the extension

    def packet(self, event: int, payload: bytes = b"", *, at: int | None = None) -> None:
        at = self.time if at is None else at
        passed, self.time = at - self.time, at
        if event < 24:
            head = bytes([event | self.bit])
        else:
            low = event & 0x7F | 0x80, event >> 7 | self.bit
            head = bytes(low) if event > 0x3F else bytes([event | self.bit])
            head += number(len(payload))
        self.data += head + payload + number(passed)

    def begin(self, hertz: int = 1_000_000) -> None:
        self.packet(10)
        self.packet(24, number(hertz) + number(160_000_000) + number(0x3F400000) + number(2))
        self.packet(14, text(b"N=App,D=esp32"))
        self.packet(14, text(b"I#5=SysTick"))
        self.packet(22, number(1) + number(HEAP) + text(b"M=ESP32 SystemView Heap Tracing Module"))

    def task(self, task: int, name: bytes, *, at: int | None = None) -> None:
        self.packet(9, number(task) + number(5) + text(name), at=at)

    def run(self, task: int, *, at: int | None = None) -> None:
        self.packet(4, number(task), at=at)

    def alloc(self, address: int, size: int, *callers: int, at: int | None = None) -> None:
        self.packet(HEAP, b"".join(map(number, (address, size, *callers))), at=at)

    def free(self, address: int, *callers: int, at: int | None = None) -> None:
        self.packet(HEAP + 1, b"".join(map(number, (address, *callers))), at=at)


def recording(*cores: Core, extension: bool = False) -> bytes:
    lines = [b";", b"; Version     SEGGER SystemViewer V3.60", b"; Author      Nobody"]
    if extension:
        lines.append(b"; ESP_Extension")
    elif len(cores) > 1:
        lines += [
            b"; Offset Core0 0",
            b"; Offset Core1 %d" % len(cores[0].data),
        ]
    header = b"".join(line + b"\n" for line in [*lines, b";"])
    return header + b"".join(bytes(core.data) for core in cores)
