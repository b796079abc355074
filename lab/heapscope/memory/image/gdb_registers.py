"""The registers that a debugger's server describes, by their numbers in its protocol.

The source: "Target Description Format" of gdb's manual: registers are numbered in their order, and
an attribute gives another number, from which the next ones go on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

_FILE, _ARM = b"target.xml", b"arm"
_TAG = re.compile(rb"<(reg|xi:include)\b([^>]*)>")
_ATTRIBUTE = re.compile(rb"""\b(name|regnum|href)\s*=\s*["']([^"']*)["']""")
_FILES_MAX, _NUMBER_MAX = 16, 1 << 12


@dataclass(frozen=True)
class TargetRegisters:
    """`architecture`: as the server names it; `numbers`: of the registers by their names."""

    architecture: bytes = b""
    numbers: Mapping[str, int] = field(default_factory=dict)


def described_registers(read: Callable[[bytes], bytes]) -> TargetRegisters:
    """Those of an Arm; of another processor its architecture alone, since the target waits
    meanwhile. `read`: the text of a file of the description, empty where the server has none."""
    texts = {_FILE: read(_FILE)}
    architecture = texts[_FILE].partition(b"<architecture>")[2].partition(b"<")[0]
    numbers: dict[str, int] = {}
    number = 0
    for attributes in _registers(read, _FILE, texts) if _ARM in architecture else ():
        written = attributes.get(b"regnum", b"")
        number = int(written) if written.isdigit() else number
        if number >= _NUMBER_MAX:
            break
        numbers[attributes.get(b"name", b"").decode("ascii", "replace")] = number
        number += 1
    return TargetRegisters(architecture, numbers)


def _registers(
    read: Callable[[bytes], bytes], file: bytes, texts: dict[bytes, bytes]
) -> Iterator[dict[bytes, bytes]]:
    """Those of a file that was read, with the files that it includes in their places."""
    for kind, tag in _TAG.findall(texts[file]):
        attributes = dict(_ATTRIBUTE.findall(tag))
        if kind == b"reg":
            yield attributes
            continue
        included = attributes.get(b"href", b"")
        if included not in texts and len(texts) < _FILES_MAX:
            texts[included] = read(included)
            yield from _registers(read, included, texts)
