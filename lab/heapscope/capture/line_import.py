"""Other recorders' text to .hst: what the formats share."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.output import Write, open_output, writes_at_once
from heapscope.base.printable import printable
from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Document
from heapscope.base.version import __version__
from heapscope.base.wording import plural
from heapscope.capture.left_out import BadLine, LeftOutLines, ReasonRow
from heapscope.native.importer import NativeImport
from heapscope.native.status import Status, StatusError
from heapscope.native.structs import Struct
from heapscope.trace.metadata import RECORDER, SOURCE
from heapscope.trace.sniff import HEAD, is_text, tool_of
from heapscope.trace.source import STDIN, Blocks, Progress, open_blocks
from heapscope.trace.source_loss import SourceLoss

#: Bytes that the library takes at once: what it keeps of lines that are left out stays small.
_PIECE = 1 << 16


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


class ImportResult(Document):
    """The input of an import and the trace that it wrote."""

    VERB = "import"
    VERSION = 1

    file: str = figure("Input as named on the command line.")
    out: str = figure("The trace that was written.")
    lines: int = figure("Lines of the input.")
    events: int = figure("Heap events written.")
    failed: int = figure("Requests among them that the recorded system could not serve.", default=0)
    bad_lines: int = figure("Lines that are neither event nor comment, left out.")
    first_bad: BadLine | None = figure("The first of them; null: none.")
    left_out: tuple[BadLine, ...] = figure(
        "The first of them in order, at most 100; --left-out writes all of them.", default=()
    )
    left_out_reasons: tuple[ReasonRow, ...] = figure(
        "How many of them were left out for each reason.", default=()
    )
    ids_reused: int = figure("Allocations under an id that was still live.")
    first_reused: int | None = figure("Line of the first of them; null: none.")
    guessed: int = figure(
        "Frees whose block the file does not tell from others of its size and stack."
    )
    earlier: int = figure(
        "Lines with an earlier time than one before; their time is the one before.", default=0
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
        result = [] if self.source_loss is None else [self.source_loss.sentence()]
        if self.first_bad is not None:
            bad = self.first_bad
            result.append(
                f"left out: {plural(self.bad_lines, 'line')}, first line {bad.number:,}: {bad.text}"
            )
        if self.first_reused is not None:
            result.append(
                f"{plural(self.ids_reused, 'allocation')} under an id still in use, "
                f"first in line {self.first_reused:,}"
            )
        if self.guessed:
            result.append(
                f"{plural(self.guessed, 'free')} could be of any of several blocks of the same "
                "size and stack; the youngest was taken. `heaptrack --raw` tells them apart"
            )
        if self.failed:
            result.append(f"{plural(self.failed, 'request')} failed in the recorded program")
        if self.earlier:
            result.append(
                f"{plural(self.earlier, 'line')} with an earlier time than a line before; "
                "the time stands still there"
            )
        return tuple(result)


def import_lines(
    path: str | Path,
    out: str | Path,
    form: LineForm,
    *,
    strict: bool = False,
    left_out: str | Path | None = None,
    progress: Progress | None = None,
) -> ImportResult:
    """Reads `path` (.zst too, "-": standard input) and writes the trace `out`, whole or not at all.
    Lines that are no events are counted; InputError when there is not one event, or when `strict`
    and there is one such line. `left_out`: a file for all such lines."""
    features = _features(path, form) if form.form is Form.TEXT and writes_at_once(out) else 0
    while True:  # bound: a trace has three features
        attempt = _Attempt(path, form, features, strict=strict, progress=progress)
        try:
            return attempt.run(out, left_out)
        except StatusError as error:
            if error.status != Status.VERSION or not attempt.wanted:
                raise
        features |= attempt.wanted


def _features(path: str | Path, form: LineForm) -> int:
    """The features that the lines need, from a first reading: what such an output got is there."""
    features = 0
    while True:  # bound: a trace has three features
        with open_blocks(path) as blocks, NativeImport(form.form, features) as lines:
            try:
                for block in blocks:
                    lines.push(block)
                    for _ in lines.take():
                        pass
                lines.finish()
            except StatusError as error:
                if error.status != Status.VERSION:
                    raise
                features |= lines.stats().wanted
                continue
            return features


class _Attempt:
    """One reading of the input, as a trace with these features. `wanted`: those that it lacked."""

    def __init__(
        self,
        path: str | Path,
        form: LineForm,
        features: int,
        *,
        strict: bool,
        progress: Progress | None,
    ) -> None:
        self.wanted = 0
        self._path = path
        self._form = form
        self._features = features
        self._strict = strict
        self._progress = progress
        self._head = b""

    def run(self, out: str | Path, left_out: str | Path | None) -> ImportResult:
        inputs = () if str(self._path) == STDIN else (self._path,)
        form = self._form
        with ExitStack() as stack:
            enter = stack.enter_context
            blocks = enter(open_blocks(self._path, progress=self._progress))
            lines = enter(NativeImport(form.form, self._features, keep_all=left_out is not None))
            write = enter(open_output(out, inputs=inputs))
            kept = LeftOutLines(None if left_out is None else enter(open_output(left_out)))
            facts = {SOURCE: form.source, RECORDER: f"heapscope {__version__}"}
            for key, value in (facts | form.facts(self._path)).items():
                lines.metadata(key, value)
            try:
                written = self._copy(blocks, lines, write, kept)
            except StatusError:
                self.wanted = lines.stats().wanted
                raise
            stats = lines.stats()
            if stats.events == 0:
                raise _no_event(blocks, self._head, kept.first, form)
            if tool_of(self._head) not in ("", name := form.form.name.lower()):
                what, remedy = form.unlike(self._head)
                raise InputError(f"{blocks.name}: not what {name} is: it {what}", remedy=remedy)
            return _result(blocks, str(out), lines, stats, kept, written, form)

    def _copy(self, blocks: Blocks, lines: NativeImport, write: Write, kept: LeftOutLines) -> int:
        """Bytes written."""
        written = 0
        for block in blocks:
            if len(self._head) < HEAD:
                self._head += block[: HEAD - len(self._head)]
            for start in range(0, len(block), _PIECE):
                lines.push(block[start : start + _PIECE])
                kept.take(lines)
                self._check(blocks, kept)
                written += _drain(lines, write)
        lines.finish()
        kept.take(lines)
        self._check(blocks, kept)
        return written + _drain(lines, write)

    def _check(self, blocks: Blocks, kept: LeftOutLines) -> None:
        bad = kept.first
        if self._strict and bad is not None and is_text(self._head):
            raise InputError(
                f"{blocks.name}, line {bad.number:,}: {bad.reason}: {bad.text}",
                remedy="mend the line; without --strict it is left out and the others are imported",
            )


def _drain(lines: NativeImport, write: Write) -> int:
    count = 0
    for piece in lines.take():
        write(piece)
        count += len(piece)
    return count


def _no_event(blocks: Blocks, head: bytes, bad: BadLine | None, form: LineForm) -> InputError:
    what, remedy = form.unlike(head)
    first = f" (line {bad.number:,}: {bad.text})" if bad is not None and is_text(head) else ""
    loss = "" if blocks.loss is None else f"; {blocks.loss.sentence()}"
    return InputError(f"{blocks.name}: not one event in it: it {what}{first}{loss}", remedy=remedy)


def _result(
    blocks: Blocks,
    out: str,
    lines: NativeImport,
    stats: Struct,
    kept: LeftOutLines,
    written: int,
    form: LineForm,
) -> ImportResult:
    return ImportResult(
        file=blocks.name,
        out=printable(out, limit=400),
        lines=stats.lines,
        events=stats.events,
        failed=stats.failed,
        bad_lines=stats.bad_lines,
        first_bad=kept.first,
        left_out=tuple(kept.shown),
        left_out_reasons=tuple(
            ReasonRow(reason=reason, lines=count) for reason, count in lines.reasons().items()
        ),
        ids_reused=stats.id_reused,
        first_reused=stats.first_reused or None,
        guessed=stats.guessed,
        earlier=stats.earlier,
        bytes_written=written,
        source_loss=blocks.loss,
        dumps=form.form is Form.PJSIP,
    )
