"""The meaning of a 32-bit word found where an allocator keeps one of its own."""

from __future__ import annotations

#: Words that allocators, and programs, fill memory with (components/heap/multi_heap_poisoning.c,
#: FreeRTOS/tasks.c).
_FILLS = {
    0xFEFEFEFE: "the fill of freed memory: something uses a block that was freed",
    0xCECECECE: "the fill of memory that was allocated and never written",
    0xA5A5A5A5: "the fill of an unused stack: a stack, or a copy of one, is there",
    0xBAAD5678: "the mark behind a block: two blocks were mixed up",
    0xABBA1234: "the mark before a block: two blocks were mixed up",
    0xFFFFFFFF: "-1, or what erased flash reads as",
    0xAAAAAAAA: "what PSRAM reads as that does not answer",
    0xDEADBEEF: "the word with which programs mark memory that is no longer valid",
}
#: How files begin, as bytes.
_MAGIC = (
    (b"\xff\xd8\xff", "the head of a JPEG file"),
    (b"\x89PNG", "the head of a PNG file"),
    (b"GIF8", "the head of a GIF file"),
    (b"%PDF", "the head of a PDF file"),
    (b"PK\x03\x04", "the head of a ZIP file"),
    (b"\x1f\x8b\x08", "the head of a gzip file"),
    (b"RIFF", "the head of a WAV or AVI file"),
    (b"ID3", "the head of an MP3 file"),
    (b"OggS", "the head of an Ogg file"),
    (b"fLaC", "the head of a FLAC file"),
    (b"\x7fELF", "the head of an ELF file"),
    (b"<?xm", "the head of an XML document"),
    (b"HTTP", "the head of an HTTP answer"),
    (b"GET ", "the head of an HTTP request"),
    (b"POST", "the head of an HTTP request"),
)
_DATA = ((0x3C00_0000, 0x4000_0000), (0x4080_0000, 0x4088_0000), (0x4FF0_0000, 0x5000_0000))
_CODE = ((0x4000_0000, 0x4080_0000), (0x4200_0000, 0x4400_0000))
_MEMBER = 64  # bytes: how far from a pointer a member of the allocator's block is
_MARKS = (0xBAAD5678, 0xABBA1234)


def is_data(word: int) -> bool:
    """An address of memory, as of a chip of Espressif."""
    return any(start <= word < end for start, end in _DATA) and word % 4 == 0


def meaning(word: int, expected: int | None = None) -> str:
    """Explains the word in a clause; empty: it tells nothing by itself. `expected`: what stood
    there before."""
    if expected in _MARKS:
        changed = _changed(word, expected)
        if changed:
            return changed
    return _whole(word)


def near(word: int) -> str:
    """The same of an address that was read: the word found, and up to some bytes more."""
    return _whole(word) or next((text for text in map(_file, _before(word)) if text), "")


def _before(word: int) -> range:
    return range(word, max(word - _MEMBER, 0), -4)


def _whole(word: int) -> str:
    if word in _FILLS:
        return _FILLS[word]
    if word == 0:
        return "zero: memory that something cleared"
    file = _file(word)
    if file:
        return file
    text = _text(word)
    if text:
        return f'text, "{text}"'
    if is_data(word):
        return "an address of memory: a pointer, such as the allocator keeps in free blocks"
    if any(start <= word < end for start, end in _CODE):
        return "an address of code"
    return f"a small number, {word:,}" if word < 1 << 16 else ""


def _file(word: int) -> str:
    data = word.to_bytes(4, "little")
    for head, text in _MAGIC:
        if data.startswith(head):
            return f"{text} ({data.hex(' ')})"
    return ""


def _text(word: int) -> str:
    data = word.to_bytes(4, "little").rstrip(b"\0")
    plain = all(0x20 <= byte < 0x7F or byte in (0x0A, 0x0D) for byte in data)
    letters = sum(chr(byte).isalnum() or byte == 0x20 for byte in data)
    if not plain or letters < 3:
        return ""
    return data.decode("ascii").replace("\r", "\\r").replace("\n", "\\n")


def _changed(word: int, expected: int) -> str:
    """The bytes of a mark that were written over, if not all of them were."""
    had, has = expected.to_bytes(4, "little"), word.to_bytes(4, "little")
    places = [at for at in range(4) if had[at] != has[at]]
    if not places or len(places) == 4:
        return ""
    last = places[-1] + 1
    if has[:last] == b"\0":
        return "one zero byte was written over it: the end of a string, off by one"
    if not any(has[:last]):
        return f"{last} zero bytes were written over it"
    noun = "byte was" if last == 1 else "bytes were"
    return f"{last} {noun} written over it ({has[:last].hex(' ')}): a write that is {last} too long"
