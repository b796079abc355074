"""Call sites: how a site's name in a trace is a stack of frames, and how a stack is shown.

In the trace a name is root;...;leaf: the outermost caller first, as in collapsed stacks. A first
frame "..." says that the frames nearest the root are missing. Everywhere else a site is its frames
from the allocating function outwards: "leaf ← caller ← main". A shown frame holds no arrow of its
own, and two frames of different bytes never read the same, so the text is as exact as the name.
"""

from __future__ import annotations

import functools
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from heapscope.trace.names import Names, printable

__all__ = [
    "ARROW",
    "CUT",
    "MORE",
    "SEPARATOR",
    "SITE_ROOM",
    "SiteNames",
    "frames_of",
    "shortened",
    "site_name",
    "site_names",
    "site_text",
]

SEPARATOR = b";"
CUT = b"..."
NAME_MAX = 255  # HS_NAME_MAX
ARROW = " ← "
MORE = "…"  #: a frame that stands for those that the trace does not have
SITE_ROOM = 100  #: characters of a site in a sentence

#: Characters of a frame at most; a name has 255 bytes, each at most six as an escape.
_FRAME_MAX = 4096
#: Bytes that would read as an escape, and characters that read as something else.
_AMBIGUOUS = re.compile(r"\\(?=[xuU])|^…|[\x80-\x9f←]")
#: A frame that fills more than this of the room is shortened in its middle.
_ROOM_LEAST = 16
#: A site whose short form is another's too is shown with more frames, up to so many characters.
_ROOM_MOST = 2000


@dataclass(frozen=True, kw_only=True)
class SiteNames(Names):
    """Sites by index. `names[index]` is the whole stack as text."""

    noun: str = "site"
    default: str = "unknown site"

    def __getitem__(self, index: int) -> str:
        frames = self.frames(index)
        if not frames:
            return self._own(index)
        if frames[-1] == MORE and self._raw_count[self._raw(index)] > 1:
            # What is missing may differ: the sites are told apart by their index.
            frames = (*frames[:-1], f"{MORE} ({self.noun} {index})")
        return site_text(frames)

    def frames(self, index: int) -> tuple[str, ...]:
        """From the allocating function outwards, safe to show; () where the trace has no name. The
        last is MORE where the trace misses those nearest the root."""
        return _frames(self._raw(index))

    def called(self, index: int) -> set[str]:
        """What a pattern may match: the stack as it is shown, and as the trace has it."""
        frames = self.frames(index)
        return {self[index], ";".join(reversed(frames))} if frames else {self[index]}

    def _raw(self, index: int) -> bytes:
        return (self.known[index] if 0 <= index < len(self.known) else None) or b""

    @functools.cached_property
    def _raw_count(self) -> Counter[bytes | None]:
        return Counter(self.known)


def site_name(frames: Sequence[bytes]) -> bytes:
    """The name in a trace of a stack that is given from the allocating function outwards. Frames
    nearest the root are left out until it fits; a function too long by itself keeps its ends."""
    parts = [frame.replace(SEPARATOR, b":") for frame in frames]
    whole = SEPARATOR.join(reversed(parts))
    if len(whole) <= NAME_MAX:
        return whole
    if len(parts[0]) > NAME_MAX - len(CUT) - 1:
        parts[0] = _both_ends(parts[0], NAME_MAX - len(CUT) - 1)
    name = parts[0]
    for part in parts[1:]:
        longer = part + SEPARATOR + name
        if len(CUT + SEPARATOR + longer) > NAME_MAX:
            break
        name = longer
    return CUT + SEPARATOR + name


def _both_ends(frame: bytes, room: int) -> bytes:
    """What is left out is named by its check sum, so that other functions read otherwise."""
    middle = f"{MORE}{zlib.crc32(frame):08x}{MORE}".encode()
    head = (room - len(middle)) // 2
    tail = room - len(middle) - head
    whole = frame[:head].decode("utf-8", "ignore") + "\0" + frame[-tail:].decode("utf-8", "ignore")
    return whole.encode().replace(b"\0", middle)


def site_names(known: tuple[bytes | None, ...]) -> SiteNames:
    return SiteNames(known=known)


@functools.lru_cache(maxsize=1 << 16)
def _frames(raw: bytes) -> tuple[str, ...]:
    parts = [part.strip() for part in raw.split(SEPARATOR)]
    shown = [_frame(part) for part in parts if part]
    if shown and parts[0] == CUT:
        shown[0] = MORE
    return tuple(reversed(shown))


@functools.lru_cache(maxsize=1 << 16)
def _frame(raw: bytes) -> str:
    text = raw.decode("utf-8", "surrogateescape")
    plain = _AMBIGUOUS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return printable(plain, limit=_FRAME_MAX)


def site_text(frames: Sequence[str]) -> str:
    return ARROW.join(frames)


def frames_of(text: str) -> tuple[str, ...]:
    """The frames of a site's whole text, from the allocating function outwards."""
    return tuple(text.split(ARROW))


def shortened(texts: Sequence[str], room: int) -> list[str]:
    """Sites for one table or sentence: frames nearest the root are left out, and counted, until a
    site fits into `room` characters. Sites that would then read the same keep more frames."""
    forms = {text: _fitted(text, room) for text in texts}
    wider = room
    while (alike := _alike(forms)) and wider < _ROOM_MOST:
        wider *= 2
        forms |= {text: _fitted(text, wider) for text in alike}
    taken = Counter(forms.values())
    for text in _alike(forms):
        number = next(n for n in range(1, len(forms) + 2) if not taken[f"{forms[text]} ({n})"])
        forms[text] += f" ({number})"
        taken[forms[text]] += 1
    return [forms[text] for text in texts]


def _alike(forms: dict[str, str]) -> list[str]:
    count = Counter(forms.values())
    return [text for text, form in forms.items() if count[form] > 1]


def _fitted(text: str, room: int) -> str:
    """The allocating function stays, at least its two ends."""
    if len(text) <= room:
        return text
    frames = frames_of(text)
    room = max(room, _ROOM_LEAST)
    kept = 1
    while kept < len(frames) and len(_first(frames, kept + 1)) <= room:
        kept += 1
    fitted = _first(frames, kept)
    return fitted if len(fitted) <= room else _first((_middle(frames[0], room), *frames[1:]), 1)


def _first(frames: Sequence[str], kept: int) -> str:
    left = len(frames) - kept
    return site_text([*frames[:kept], f"{MORE} {left:,} more"] if left else frames)


def _middle(frame: str, room: int) -> str:
    """The start and the end of a long frame: its namespace, and its name or line."""
    if len(frame) <= room:
        return frame
    head = (room - 1) // 2
    return frame[:head] + MORE + frame[len(frame) - (room - 1 - head) :]
