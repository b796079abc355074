"""The text form of a trace to .hst."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from heapscope import __version__
from heapscope.capture.output import Write, open_output
from heapscope.errors import InputError
from heapscope.measure.wording import plural
from heapscope.native.rows import TextStatsRow
from heapscope.native.text_import import NativeTextImport
from heapscope.trace.loss import SourceLoss
from heapscope.trace.metadata import PROGRAM, RECORDER, SOURCE, WORD_SIZE
from heapscope.trace.names import printable
from heapscope.trace.sniff import HEAD, is_text, looks_like
from heapscope.trace.source import STDIN, Blocks, Progress, open_blocks

__all__ = ["BadLine", "TextImportResult", "import_text"]


@dataclass(frozen=True, kw_only=True)
class BadLine:
    number: int  # from 1
    text: str  # safe to show


@dataclass(frozen=True, kw_only=True)
class TextImportResult:
    file: str
    out: str
    lines: int
    events: int  # heap events written
    bad_lines: int  # neither event nor comment; left out
    first_bad: BadLine | None
    ids_reused: int  # allocations under an id that was still live
    first_reused: int | None  # line number
    bytes_written: int  # of the trace, before compression
    source_loss: SourceLoss | None

    def messages(self) -> tuple[str, ...]:
        """What a user should know of the input, a sentence each; empty: all was taken."""
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
        return tuple(found)

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"messages": list(self.messages())}


def import_text(
    path: str | Path, out: str | Path, *, progress: Progress | None = None
) -> TextImportResult:
    """Reads `path` (.zst too, "-": standard input) and writes the trace `out`, whole or not at all.
    Lines that are no events are counted; InputError when there is not one event."""
    with (
        open_blocks(path, progress=progress) as blocks,
        NativeTextImport() as text,
        open_output(out, inputs=() if str(path) == STDIN else (path,)) as write,
    ):
        _describe(text, path)
        written, head = _copy(blocks, text, write)
        stats = text.stats()
        bad = BadLine(number=stats.first_bad, text=printable(text.bad_line()))
        if stats.events == 0:
            raise _no_event(blocks, head, bad)
        return _result(blocks, str(out), stats, bad, written)


def _describe(text: NativeTextImport, path: str | Path) -> None:
    text.metadata(WORD_SIZE, "4")
    text.metadata(SOURCE, "text")
    text.metadata(RECORDER, f"heapscope {__version__}")
    if str(path) != STDIN:
        text.metadata(PROGRAM, _stem(Path(path)))


def _stem(path: Path) -> str:
    """tls.txt.zst is the program "tls"."""
    return Path(path.stem).stem if path.suffix == ".zst" else path.stem


def _copy(blocks: Blocks, text: NativeTextImport, write: Write) -> tuple[int, bytes]:
    """Bytes written, and the first bytes of the input."""
    written, head = 0, b""
    for block in blocks:
        if len(head) < HEAD:
            head += block[: HEAD - len(head)]
        text.push(block)
        written += _drain(text, write)
    text.finish()
    return written + _drain(text, write), head


def _drain(text: NativeTextImport, write: Write) -> int:
    count = 0
    for piece in text.take():
        write(piece)
        count += len(piece)
    return count


def _no_event(blocks: Blocks, head: bytes, bad: BadLine) -> InputError:
    what, remedy = looks_like(head)
    if what == "looks like the text form":  # nothing but comments, tasks and marks
        what, remedy = "has no allocation in it", "see heapscope import --help for its lines"
    elif what.startswith("has the mark of a trace"):
        what, remedy = "is a trace already", "use it as it is: heapscope info FILE"
    elif what.startswith("is not a trace"):
        what, remedy = "is not text", "see heapscope import --help for its lines"
    first = f" (line {bad.number:,}: {bad.text})" if bad.number and is_text(head) else ""
    loss = "" if blocks.loss is None else f"; {blocks.loss.sentence()}"
    return InputError(f"{blocks.name}: not one event in it: it {what}{first}{loss}", remedy=remedy)


def _result(
    blocks: Blocks, out: str, stats: TextStatsRow, bad: BadLine, written: int
) -> TextImportResult:
    return TextImportResult(
        file=blocks.name,
        out=printable(out, limit=400),
        lines=stats.lines,
        events=stats.events,
        bad_lines=stats.bad_lines,
        first_bad=bad if stats.bad_lines else None,
        ids_reused=stats.id_reused,
        first_reused=stats.first_reused or None,
        bytes_written=written,
        source_loss=blocks.loss,
    )
