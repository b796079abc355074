"""Other recorders' text to .hst: what the formats share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path

from heapscope.capture.output import Write, open_output
from heapscope.errors import InputError
from heapscope.measure.wording import plural
from heapscope.native.importer import NativeImport
from heapscope.native.structs import Struct
from heapscope.rows.figure import computed, figure
from heapscope.rows.row import Document, Row
from heapscope.trace.loss import SourceLoss
from heapscope.trace.metadata import RECORDER, SOURCE
from heapscope.trace.names import printable
from heapscope.trace.sniff import HEAD, is_text, tool_of
from heapscope.trace.source import STDIN, Blocks, Progress, open_blocks
from heapscope.version import __version__


class Form(IntEnum):
    """hs_import_form_t"""

    TEXT = 0
    HEAPTRACK = 1
    MTRACE = 2
    PJSIP = 3


@dataclass(frozen=True, kw_only=True)
class LineForm:
    """The parts of a format: `source` for the trace's metadata, `facts` about every such file, and
    `unlike(head)` for a file without one event: what it looks like, and the remedy."""

    form: Form
    source: str
    unlike: Callable[[bytes], tuple[str, str]]
    facts: Callable[[str | Path], dict[str, str]] = lambda _: {}


class BadLine(Row):
    """A line that is neither event nor comment."""

    number: int = figure("Its number, from 1.")
    text: str = figure("Its beginning, control characters escaped.")


class ImportResult(Document):
    """The input of an import and the trace that it wrote."""

    VERB = "import"
    VERSION = 1

    file: str = figure("Input as named on the command line.")
    out: str = figure("The trace that was written.")
    lines: int = figure("Lines of the input.")
    events: int = figure("Heap events written.")
    bad_lines: int = figure("Lines that are neither event nor comment, left out.")
    first_bad: BadLine | None = figure("The first of them; null: none.")
    ids_reused: int = figure("Allocations under an id that was still live.")
    first_reused: int | None = figure("Line of the first of them; null: none.")
    guessed: int = figure(
        "Frees whose block the file does not tell from others of its size and stack."
    )
    bytes_written: int = figure("Bytes of the trace, before compression.", "B")
    source_loss: SourceLoss | None = figure(
        "The part of the file itself that could not be read (compression, read errors); null: all "
        "was read."
    )
    dumps: bool = figure(
        "A trace of pools; there is nothing to replay.", hidden=True, default=False
    )

    @property
    @computed("All that a user should know of the input, a sentence each.", last=True)
    def messages(self) -> tuple[str, ...]:
        """The sentences; none: all was taken."""
        found = [] if self.source_loss is None else [self.source_loss.sentence()]
        if self.first_bad is not None:
            bad = self.first_bad
            found.append(
                f"left out: {plural(self.bad_lines, 'line')} without an event, "
                f"first line {bad.number:,}: {bad.text}"
            )
        if self.first_reused is not None:
            found.append(
                f"{plural(self.ids_reused, 'allocation')} under an id still in use, "
                f"first in line {self.first_reused:,}"
            )
        if self.guessed:
            found.append(
                f"{plural(self.guessed, 'free')} could be of any of several blocks of the same "
                "size and stack; the youngest was taken. `heaptrack --raw` tells them apart"
            )
        return tuple(found)


def import_lines(
    path: str | Path, out: str | Path, form: LineForm, *, progress: Progress | None = None
) -> ImportResult:
    """Reads `path` (.zst too, "-": standard input) and writes the trace `out`, whole or not at all.
    Lines that are no events are counted; InputError when there is not one event."""
    with (
        open_blocks(path, progress=progress) as blocks,
        NativeImport(form.form) as lines,
        open_output(out, inputs=() if str(path) == STDIN else (path,)) as write,
    ):
        facts = {SOURCE: form.source, RECORDER: f"heapscope {__version__}"} | form.facts(path)
        for key, value in facts.items():
            lines.metadata(key, value)
        written, head = _copy(blocks, lines, write)
        stats = lines.stats()
        bad = BadLine(number=stats.first_bad, text=printable(lines.bad_line()))
        if stats.events == 0:
            raise _no_event(blocks, head, bad, form)
        if tool_of(head) not in ("", name := form.form.name.lower()):
            what, remedy = form.unlike(head)
            raise InputError(f"{blocks.name}: not what {name} is: it {what}", remedy=remedy)
        result = _result(blocks, str(out), stats, bad, written)
        return replace(result, dumps=form.form is Form.PJSIP)


def _copy(blocks: Blocks, lines: NativeImport, write: Write) -> tuple[int, bytes]:
    """Bytes written, and the first bytes of the input."""
    written, head = 0, b""
    for block in blocks:
        if len(head) < HEAD:
            head += block[: HEAD - len(head)]
        lines.push(block)
        written += _drain(lines, write)
    lines.finish()
    return written + _drain(lines, write), head


def _drain(lines: NativeImport, write: Write) -> int:
    count = 0
    for piece in lines.take():
        write(piece)
        count += len(piece)
    return count


def _no_event(blocks: Blocks, head: bytes, bad: BadLine, form: LineForm) -> InputError:
    what, remedy = form.unlike(head)
    first = f" (line {bad.number:,}: {bad.text})" if bad.number and is_text(head) else ""
    loss = "" if blocks.loss is None else f"; {blocks.loss.sentence()}"
    return InputError(f"{blocks.name}: not one event in it: it {what}{first}{loss}", remedy=remedy)


def _result(blocks: Blocks, out: str, stats: Struct, bad: BadLine, written: int) -> ImportResult:
    return ImportResult(
        file=blocks.name,
        out=printable(out, limit=400),
        lines=stats.lines,
        events=stats.events,
        bad_lines=stats.bad_lines,
        first_bad=bad if stats.bad_lines else None,
        ids_reused=stats.id_reused,
        first_reused=stats.first_reused or None,
        guessed=stats.guessed,
        bytes_written=written,
        source_loss=blocks.loss,
    )
