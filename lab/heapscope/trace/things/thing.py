"""Looks at a thing that a user names: a little of it is read, and nothing is waited for."""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.placed_file import placed
from heapscope.base.port import TARGET, is_port
from heapscope.base.printable import printable
from heapscope.trace.source import STDIN, open_blocks
from heapscope.trace.stream import comes_once
from heapscope.trace.things.binary_kinds import kinds_of_bytes
from heapscope.trace.things.folder_kinds import kinds_of_folder
from heapscope.trace.things.json_kinds import kind_of_json
from heapscope.trace.things.kind import EMPTY, PACKED, STREAM, UNKNOWN, KnownAs
from heapscope.trace.things.text_kinds import kinds_of_text

#: More bytes than these are not read for an answer at once.
ANSWERED_MAX = 64 << 20
_HEAD = 1 << 20
_OPEN_FILES = "/dev/fd/", "/proc/self/fd/"


@dataclass(frozen=True, kw_only=True)
class Thing:
    """`name`: as the user has it; `shown`: the same for a terminal. `kinds`: the likeliest first.
    `head`: its first bytes, compression taken off; `size`: of all of them, None where there are
    more than ANSWERED_MAX, or none were read. `packed`: it is compressed."""

    name: str
    shown: str
    kinds: tuple[KnownAs, ...]
    head: bytes = b""
    size: int | None = None
    packed: bool = False

    @property
    def kind(self) -> KnownAs:
        return self.kinds[0]

    @property
    def path(self) -> Path:
        return Path(self.name)

    @property
    def large(self) -> bool:
        return bool(self.head) and self.size is None


def look_at(name: str) -> Thing:
    """InputError: there is no such thing, or it cannot be read."""
    shown = "standard input" if name == STDIN else printable(name, limit=400)
    if name == STDIN:
        if sys.stdin.isatty():
            raise InputError(
                "standard input is a terminal, and nothing was piped into it",
                remedy="name a file, or pipe one: heapscope - < FILE",
            )
        return _of_bytes(name, shown)
    if is_port(name) and not Path(name).is_file():
        return Thing(name=name, shown=shown, kinds=(KnownAs(kind="port"),))
    if name.startswith(TARGET) and not Path(name).is_file():
        return Thing(name=name, shown=shown, kinds=(KnownAs(kind="target"),))
    path, address = placed(name)
    if path != name:
        return _of_memory(name, shown, path, address)
    try:
        status = Path(name).stat()
    except FileNotFoundError:
        raise InputError(f"{shown}: no such file", remedy="check the path") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"{shown}: cannot be read: {reason}", remedy="check the path and its permissions"
        ) from None
    if stat.S_ISDIR(status.st_mode):
        return Thing(name=name, shown=shown, kinds=tuple(kinds_of_folder(Path(name), shown)))
    if comes_once(status) and not _is_open(name):
        what = "a named pipe" if stat.S_ISFIFO(status.st_mode) else "a device"
        return Thing(name=name, shown=shown, kinds=(KnownAs(kind=STREAM, what=what),))
    return _of_bytes(name, shown)


def _is_open(name: str) -> bool:
    """The pipe of a shell's <(command): its other end is open and closes."""
    return os.path.abspath(name).startswith(_OPEN_FILES)  # noqa: PTH100  # links are not followed


def _of_bytes(name: str, shown: str) -> Thing:
    with open_blocks(name) as blocks:
        head = b""
        for block in blocks:
            head += block[: _HEAD - len(head)]
            if blocks.produced > ANSWERED_MAX:
                break
        size = blocks.produced if blocks.produced <= ANSWERED_MAX else None
        if not head and blocks.loss is not None:
            raise InputError(f"{shown}: {blocks.loss.sentence()}", remedy="copy it again")
    return Thing(
        name=name,
        shown=shown,
        kinds=kinds_of(head, size),
        head=head,
        size=size,
        packed=blocks.compressed,
    )


def _of_memory(name: str, shown: str, path: str, address: int | None) -> Thing:
    """FILE@ADDRESS. InputError: the file cannot be read."""
    thing = _of_bytes(path, printable(path, limit=400))
    core = thing.kind.kind == "core"
    what = thing.kind if core else KnownAs(kind="memory", what=f"memory at {address:#010x}")
    return replace(thing, name=name, shown=shown, kinds=(what,))


def kinds_by_head(name: str) -> tuple[KnownAs, ...]:
    """The kinds of a file or of standard input, by its first bytes alone. InputError: it cannot be
    read."""
    head = b""
    with open_blocks(name) as blocks:
        for block in blocks:
            head += block[: _HEAD - len(head)]
            if len(head) == _HEAD:
                break
    return kinds_of(head, None)


_WIDE = KnownAs(kind=PACKED, what="UTF-16 text", remedy="save it as UTF-8")


def _wide(head: bytes) -> str:
    """The form of UTF-16 of a text; "": not UTF-16. Only logs are read in it."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    first = head[:200]
    if len(first) > 1 and not any(first[1::2]) and first[::2].isascii() and first[0] > 8:
        return "utf-16-le"
    return ""


def kinds_of(head: bytes, size: int | None) -> tuple[KnownAs, ...]:
    """`head`: the first bytes; `size`: of all of them, None where it is not known."""
    if not head.strip(b" \t\r\n\f\v\xef\xbb\xbf"):
        what = "an empty file" if not head else "a file with blanks only"
        return (KnownAs(kind=EMPTY, what=what),)
    wide = _wide(head)
    if wide:
        results = tuple(kinds_of_text(head.decode(wide, "replace").encode()))
        return results if results[0].kind == "log" else (_WIDE,)
    results = tuple(kinds_of_bytes(head, size))
    if results:
        return results
    head = head.removeprefix(b"\xef\xbb\xbf")
    as_json = kind_of_json(head)
    if as_json is not None:
        return (as_json,)
    return tuple(kinds_of_text(head)) or (KnownAs(kind=UNKNOWN, what="a text"),)
