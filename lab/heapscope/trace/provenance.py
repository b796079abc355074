"""Where the figures of a result come from: the trace, the use that its program made of memory, and
the layout."""

from __future__ import annotations

import re
from collections.abc import Mapping

from heapscope.base.rows.bound import AT_LEAST, BEFORE
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Document, Row
from heapscope.native.listener import late_start_text
from heapscope.trace.health import CallCounts
from heapscope.trace.metadata import STARTED, STOPPED, TRANSLATED, UNRECORDED, WORD_SIZE


def word_size(metadata: Mapping[str, str]) -> int | None:
    """Bytes of a pointer in the recorded program; None: the trace does not tell."""
    text = metadata.get(WORD_SIZE, "")
    known = text.isascii() and text.isdigit() and len(text) < 19
    return (int(text) or None) if known else None


#: Bytes of a pointer on the chips.
_CHIP_WORD = 4
_TRANSLATED = re.compile(r"(least|most); exact: ((?:under |over )?[0-9.]+ %)")


def is_wide(metadata: Mapping[str, str]) -> bool:
    """It was recorded with larger pointers than a chip has, and is not translated."""
    return (word_size(metadata) or _CHIP_WORD) > _CHIP_WORD


def of_wide_pointers(metadata: Mapping[str, str]) -> str:
    """The limit to the sizes of a trace that was recorded with wide pointers; empty: none."""
    if is_wide(metadata):
        return (
            "Recorded on a 64-bit machine: structures with pointers are smaller on a chip. "
            "`cc -m32` builds the program for a recording with a chip's sizes, and "
            "`heapscope translate` finds those that debug information tells."
        )
    match = _TRANSLATED.fullmatch(metadata.get(TRANSLATED, ""))
    if match is None:
        return ""
    return (
        f"Translated from a 64-bit recording: {match[2]} of the bytes have the exact size, the "
        f"others the {'smallest' if match[1] == 'least' else 'largest'} that is possible."
    )


def of_unrecorded(metadata: Mapping[str, str]) -> str:
    """The limit of a recording whose program has allocators that were not recorded; empty: none is
    known."""
    names = metadata.get(UNRECORDED, "")
    if not names:
        return ""
    return (
        f"Calls of the program's own allocators are not in this recording: {names}. "
        "`heapscope record --wrap` records them."
    )


def of_a_late_start(metadata: Mapping[str, str]) -> str:
    """The limit of a recording that began when the heap had blocks; empty: none is known."""
    return late_start_text() if metadata.get("snapshots") == "0" else ""


#: The description of the figure in every answer that is of recorded sizes.
WORD_SIZE_TEXT = (
    "Bytes of a pointer where the trace was recorded, of several traces the most: with more than 4 "
    "the sizes are not those of a chip; null: no trace tells it, or it came from a pipe."
)


def largest_word(*sizes: int | None) -> int | None:
    """The most bytes of a pointer of several traces; None: none of them tells it."""
    return max((size for size in sizes if size is not None), default=None)


class RecordedDocument(Document):
    """An answer whose figures depend on the sizes that a trace has."""

    word_size: int | None = figure(WORD_SIZE_TEXT, "B", default=None)
    size_limits: tuple[str, ...] = figure(
        "The sentences that limit the worth of the sizes.", hidden=True, default=()
    )


def of_a_part(metadata: Mapping[str, str]) -> str:
    """The limit of a recording of a part of its program's run; empty: none is known."""
    started, stopped = (_seconds(metadata.get(key, "")) for key in (STARTED, STOPPED))
    if not started and not stopped:
        return ""
    began = f"began {started} s after the recorder" if started else ""
    ended = f"ended after {stopped} s, while its program ran on" if stopped else ""
    return (
        f"The recording {' and '.join(filter(None, (began, ended)))}: "
        "what the program did outside of it is not counted."
    )


def limits_of(metadata: Mapping[str, str]) -> tuple[str, ...]:
    """All sentences that limit what a trace can tell, from what its recorder says of it."""
    reported = (of_unrecorded, of_a_part, of_wide_pointers, of_a_late_start)
    return tuple(filter(None, (one(metadata) for one in reported)))


def _seconds(text: str) -> str:
    """To a millisecond; empty: no number."""
    whole, _, part = text.partition(".")
    return f"{int(whole):,}.{part[:3]:0<3}" if whole.isdigit() and len(whole) < 13 else ""


class TraceFacts(Row):
    """The trace that was replayed."""

    path: str = figure("File as named on the command line, control characters escaped.")
    metadata: dict[str, str] = figure(
        "The facts that the recorder gave about itself and the device (format/SPEC.md); "
        "untrusted, control characters escaped."
    )
    unmodelled: str = figure(
        "The allocator of the recording where no model of it exists: its addresses "
        "cannot be met. Empty: there is one, or the trace does not name it.",
        default="",
    )

    @property
    def word_size(self) -> int | None:
        """Bytes of a pointer in the recorded program, where the trace tells."""
        return word_size(self.metadata)


class LayoutFacts(Row):
    """The memory that was replayed on."""

    name: str = figure("For people.")
    chip: str = figure("Chip; empty: no chip is known.")
    sdk: str = figure("ESP-IDF version; empty: none is known.")
    source: str = figure("Where the regions come from.")
    notes: tuple[str, ...] = figure(
        "The sentences that a reader of the layout must know, for example that static "
        "use is assumed."
    )
    allocators: tuple[str, ...] = figure("Allocator names in the order of the regions, each once.")


class Census(CallCounts):
    """The recorded program's own use of memory, whatever heap it is replayed on."""

    events: int = figure("Heap events.", bound=AT_LEAST)
    first_time: int = figure("Time of the first event, clock ticks.", "ticks", bound=BEFORE)
    last_time: int = figure("Time of the last event, clock ticks.", "ticks", bound=AT_LEAST)
    live: int = figure("Payload bytes live at the end.", "B", bound=BEFORE)
    live_peak: int = figure("Most payload bytes live at one moment.", "B", bound=AT_LEAST)
    live_blocks: int = figure("Blocks live at the end.", bound=BEFORE)
    live_blocks_peak: int = figure("Most blocks live at one moment.", bound=AT_LEAST)
    live_peak_event: int | None = figure(
        "Heap event at which live_peak was reached; null: never.", bound=BEFORE
    )
    largest_request: int = figure("Bytes of the largest request.", "B", bound=AT_LEAST)
    word_excess: int = figure(
        "Requests above 4,294,967,295 bytes, which no 32-bit chip can serve.", bound=AT_LEAST
    )
    tasks: int = figure("Distinct tasks.", bound=AT_LEAST)
    sites: int = figure("Distinct call sites.", bound=AT_LEAST)
