"""Call sites: how a site's name in a trace is a stack of frames, and how a stack is shown.

In the trace a name is root;...;leaf: the outermost caller first, as in collapsed stacks. Dots at
its beginning say that the frames nearest the root are missing. Everywhere else a site is its frames
from the allocating function outwards: "leaf ← caller ← main". A shown frame holds no arrow of its
own, and two frames of different bytes never read the same, so the text is as exact as the name.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heapscope.base.printable import printable
from heapscope.native.name_columns import NameColumns
from heapscope.trace.fold_sites import inner_frames, without_library
from heapscope.trace.names import Names

SEPARATOR = b";"
CUT = b"..."
NAME_MAX = 0xFFFF  # HS_SITE_NAME_MAX
ARROW = " ← "
MORE = "…"  #: a frame that stands for those that the trace does not have
SITE_ROOM = 100  #: characters of a site in a sentence

#: Characters of a frame at most: of each byte of a name six, as an escape.
_FRAME_MAX = 6 * NAME_MAX
#: Bytes that would read as an escape, and characters that read as something else.
_AMBIGUOUS = re.compile(r"\\(?=[xuU])|^…|[\x80-\x9f←]")
#: Characters of a site at least.
_ROOM_LEAST = 32
_LEFT_OUT = re.compile(r"…(?: [\d,]+ more)?|^\.\.\.(?=;)")
_NUMBER = re.compile(r" \(site \d+\)$")
#: A site whose short form is another's too is shown with more frames, up to so many characters.
_ROOM_MOST = 400


@dataclass(frozen=True, kw_only=True)
class SiteNames(Names):
    """Sites by index. `names[index]` is the whole stack as text."""

    noun: str = "site"
    default: str = "unknown site"

    def __getitem__(self, index: int) -> str:
        frames = self.frames(index)
        if not frames:
            return self._own(index)
        return site_text(frames)

    def frames(self, index: int) -> tuple[str, ...]:
        """From the allocating function outwards, safe to show; () where the trace has no name. The
        last is MORE where the trace misses those nearest the root. Sites whose names are the same,
        as their frames differ by address alone, are distinguished by their index."""
        raw = self._raw(index)
        frames = _frames(raw)
        if frames and raw in self._repeated:
            return (f"{frames[0]} (site {index})", *frames[1:])
        return frames

    def called(self, index: int) -> set[str]:
        """The texts that a pattern may match: the stack as it is shown, as the trace has it, and as
        a trace has it that names no libraries."""
        stack = _frames(self._raw(index))
        if not stack:
            return {self[index]}
        forms = (stack, tuple(map(without_library, stack)))
        texts = {join(frames) for frames in forms for join in (site_text, _root_first)}
        shown = self[index]
        return {shown, _folded(shown), site_text(inner_frames(frames_of(shown)))} | texts

    def _raw(self, index: int) -> bytes:
        return self.known.get(index) or b""

    @functools.cached_property
    def _repeated(self) -> frozenset[bytes | None]:
        """The names that several sites have."""
        known = self.known
        names = known.suspects() if isinstance(known, NameColumns) else known.values()
        return frozenset(name for name, count in Counter(names).items() if count > 1)


def site_name(frames: Sequence[bytes], *, cut: bool = False) -> bytes:
    """The name in a trace of a stack that is given from the allocating function outwards. `cut`: it
    goes on, who knows how far. Frames nearest the root are left out where it would be too long; a
    function too long by itself keeps its end."""
    if not frames:
        return b""
    whole = SEPARATOR.join(frame.replace(SEPARATOR, b":") for frame in reversed(frames))
    if not cut and len(whole) <= NAME_MAX:
        return whole
    room = NAME_MAX - len(CUT + SEPARATOR)
    if len(whole) > room:
        whole = whole[-room:]
        whole = whole[whole.find(SEPARATOR) + 1 :]
    return CUT + SEPARATOR + whole


def any_text(pattern: str) -> str:
    """A pattern in which what a table or an older trace left out of a name is any text."""
    return _LEFT_OUT.sub("*", pattern)


def site_names(known: Mapping[int, bytes | None]) -> SiteNames:
    return SiteNames(known=known)


@functools.lru_cache(maxsize=1 << 16)
def _frames(raw: bytes) -> tuple[str, ...]:
    """Where a piece of the name was lost, the first frame that is there may have lost its start."""
    whole = raw.removeprefix(CUT)
    parts = [part.strip() for part in whole.split(SEPARATOR)]
    shown = [_frame(part) for part in parts if part]
    cut = [MORE] if whole != raw else []
    return (*reversed(shown), *cut)


@functools.lru_cache(maxsize=1 << 16)
def _frame(raw: bytes) -> str:
    text = raw.decode("utf-8", "surrogateescape")
    plain = _AMBIGUOUS.sub(lambda result: f"\\u{ord(result[0]):04x}", text)
    return printable(plain, limit=_FRAME_MAX)


def _root_first(frames: Sequence[str]) -> str:
    return ";".join(reversed(frames))


def site_text(frames: Sequence[str]) -> str:
    return ARROW.join(frames)


def frames_of(text: str) -> tuple[str, ...]:
    """The frames of a site's whole text, from the allocating function outwards."""
    return tuple(text.split(ARROW))


def shortened(texts: Sequence[str], room: int) -> list[str]:
    """Sites for one table or sentence: the allocator's wrappers, folded frames and the names of
    libraries are left out, then the frames nearest the root, which are counted, until a site fits
    into `room` characters. Sites that would then read the same keep more of this."""
    folded = {text: _folded(text) for text in texts}
    kept = folded | {text: text for text in _alike(folded)}
    forms = {text: _fitted(kept[text], room) for text in texts}
    while (alike := _alike(forms)) and room < _ROOM_MOST:
        room *= 2
        forms |= {text: _fitted(kept[text], room) for text in alike}
    taken = Counter(forms.values())
    for text in _alike(forms):
        number = next(n for n in range(1, len(forms) + 2) if not taken[f"{forms[text]} ({n})"])
        forms[text] += f" ({number})"
        taken[forms[text]] += 1
    return [forms[text] for text in texts]


def short_site(site: str) -> str:
    """A site for a sentence that names no other."""
    return shortened([site], SITE_ROOM)[0]


def _folded(text: str) -> str:
    """The number that tells a site from others of its name moves to the first frame shown."""
    frames = frames_of(text)
    first, *callers = (without_library(frame) for frame in inner_frames(frames))
    number = _NUMBER.search(frames[0])
    if number is not None and not first.endswith(number[0]):
        first += number[0]
    return site_text([first, *callers])


def _alike(forms: dict[str, str]) -> list[str]:
    count = Counter(forms.values())
    return [text for text, form in forms.items() if count[form] > 1]


def _fitted(text: str, room: int) -> str:
    """The allocating function stays, at least its two ends; a caller that would fill more than half
    of the room is shortened in its middle too."""
    if len(text) <= room:
        return text
    room = max(room, _ROOM_LEAST)
    leaf, *callers = frames_of(text)
    shown = [
        _middle(leaf, room - len(f"{ARROW}{MORE} 99 more")),
        *(_middle(frame, room // 2) for frame in callers),
    ]
    kept = 1
    while kept < len(shown) and len(_first(shown, kept + 1)) <= room:
        kept += 1
    return _first(shown, kept)


def _first(frames: Sequence[str], kept: int) -> str:
    left = len(frames) - kept
    return site_text([*frames[:kept], f"{MORE} {left:,} more"] if left else frames)


def _middle(frame: str, room: int) -> str:
    """The start and the end of a long frame: its namespace, and its name or line."""
    if len(frame) <= room:
        return frame
    head = (room - 1) // 2
    return frame[:head] + MORE + frame[len(frame) - (room - 1 - head) :]
