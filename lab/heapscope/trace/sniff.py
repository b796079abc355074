"""Recognises a file that is not of the wanted kind, and says what to do about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from heapscope.base.errors import InputError

HEAD = 1 << 16  #: bytes of a file's beginning that looks_like() wants

#: First bytes of each chunk of a trace (format/SPEC.md).
TRACE_SYNC = b"\x48\x53\xc7\x9a"

_MAGICS = (
    (b"\x7fELF", "an ELF program", "record its run: heapscope record -o T.hst -- FILE"),
    (b"PK\x03\x04", "a zip archive", "unpack it first: unzip FILE"),
    (b"MZ", "a Windows program", "give a trace (.hst) instead"),
    (b"\xe9", "an ESP firmware image", "give a trace (.hst) instead"),
    (b"\xff\xfe", "UTF-16 text", "save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text", "save it as UTF-8"),
)
#: A line of the text form; what follows its first fields is the importer's to judge.
_ID = rb"[ \t]+(?:0[xX][0-9a-fA-F]+|\d+|NULL|\(nil\))"
_NUMBER = rb"[ \t]+(?:0[xX][0-9a-fA-F]+|\d+)"
_EVENT = re.compile(
    rb"(?:\[ *\w+ *\] *)?(?:"
    rb"f%(id)b|[acr]%(id)b%(n)b(?:[ \t].*)?|m%(id)b%(n)b%(n)b(?:[ \t].*)?|"
    rb"[t!%%o] .+|#.*)" % {b"id": _ID, b"n": _NUMBER}
)
_BOOT = re.compile(rb"heap_init: |rst:0x|cpu_start: |\bESP-ROM:|[IWED] \(\d+\) \w+:")

#: A line of GNU ld's map that stands before its addresses.
MAP_HEAD = re.compile(
    rb"^(?:Archive member included|Memory Configuration|Linker script and memory map"
    rb"|Discarded input sections|Allocating common symbols|There are no discarded input sections)",
    re.MULTILINE,
)

_TOOLS = (
    (re.compile(rb"v [0-9a-f]+( [0-9a-f]+)?\r?\n"), "heaptrack's data", "heaptrack"),
    (re.compile(rb"= Start\r?\n|@ .*:\[0x[0-9a-f]+\] [-+<>] 0x"), "a log of mtrace", "mtrace"),
)


def looks_like(head: bytes) -> tuple[str, str]:
    """(what the bytes look like, what the user can do), from a file's first bytes."""
    if not head:
        return "is empty", "record or import it again"
    if TRACE_SYNC in head:
        return "is a trace already", "use it as it is: heapscope replay FILE"
    for magic, what, remedy in _MAGICS:
        if head.startswith(magic):
            return f"looks like {what}", remedy
    return _looks_like_text(head)


def _looks_like_text(head: bytes) -> tuple[str, str]:
    for pattern, what, tool in _TOOLS:
        if pattern.match(head):
            return f"looks like {what}", f"import it first: heapscope import {tool} FILE -o T.hst"
    lines = [line.strip() for line in head.splitlines()[:200] if line.strip()]
    if lines and 2 * sum(bool(_EVENT.fullmatch(line)) for line in lines) > len(lines):
        return "looks like the text form", "import it first: heapscope import FILE -o T.hst"
    if _BOOT.search(head):
        return "looks like a boot log", "give a trace; a boot log goes to --boot-log"
    if head.lstrip()[:1] in (b"{", b"[") and b'"' in head[:200]:
        return "looks like JSON", "give the trace (.hst) that it was made from"
    if is_text(head):
        return "is text, but no text form of a trace", "see heapscope import --help for its lines"
    return "is not a trace of Heapscope", "give a .hst file, or import another tool's with import"


def tool_of(head: bytes) -> str:
    """The importer whose file begins so, which no other importer's file does; "": not told."""
    return next((tool for pattern, _, tool in _TOOLS if pattern.match(head)), "")


class KeptHead:
    """Blocks going by, their beginning kept for looks_like()."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self.kept = b""
        self._blocks = blocks

    def __iter__(self) -> Iterator[bytes]:
        for block in self._blocks:
            self.kept += block[: HEAD - len(self.kept)]
            yield block


def check_no_trace(head: bytes, *, name: str, wanted: str, remedy: str) -> None:
    """InputError where the file of that name is a trace of Heapscope, and not what is wanted."""
    if head.startswith(TRACE_SYNC):
        what, use = looks_like(head)
        raise InputError(f"{name}: not {wanted}: it {what}", remedy=f"{use}; here {remedy}")


def is_event(line: bytes) -> bool:
    """Whether the line is an event of the text form; a comment is not."""
    return line[:1] not in (b"#", b"") and _EVENT.fullmatch(line) is not None


def looks_like_boot(head: bytes) -> bool:
    """Whether some line is one that ESP-IDF prints."""
    return _BOOT.search(head) is not None


def is_text(head: bytes) -> bool:
    """Whether its lines can be shown to people."""
    control = sum(byte < 9 or 13 < byte < 32 for byte in head)
    return control * 50 < len(head) and b"\0" not in head
