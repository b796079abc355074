"""The facts of a log, line by line, taken into a reading."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from heapscope.base.errors import InputError
from heapscope.base.wording import plural
from heapscope.logs.reader.happenings import Happening, Watcher
from heapscope.logs.reader.reading import LogReading
from heapscope.logs.reader.words_file import OwnWord
from heapscope.memory.layout.program_starts import ProgramStarts
from heapscope.native.log import NativeLog

OnHappening = Callable[[Happening], None]


def read_log(
    pieces: Iterable[bytes],
    reading: LogReading,
    *,
    patterns: Sequence[str] = (),
    words: Sequence[OwnWord] = (),
    boot: int | None = None,
    on_happening: OnHappening | None = None,
) -> int:
    """Reads a log that comes in pieces of any size; returns how many lines it has. An empty piece
    says that the input is quiet: a line without an end is then taken for whole. `patterns`:
    regular expressions whose groups are figures. `words`: of the user's file. `boot`: take the
    lines of this start of the program alone, from 1. `on_happening` is called before the next
    piece is wanted. InputError: a pattern or a word is invalid, or there are fewer starts."""
    watcher = Watcher(reading)
    starts = ProgramStarts()
    with NativeLog() as log:
        for pattern in patterns:
            log.add_pattern(pattern)
        for word in words:
            log.add_word(word.word, word.meaning, where=word.where)
        for piece in pieces:
            for fact in log.push(piece) if piece else log.flush():
                if boot is not None:
                    starts.take(fact)
                    if starts.count != boot:
                        continue
                if on_happening is None:
                    reading.take(fact)
                else:
                    for happening in watcher.take(fact):
                        on_happening(happening)
        for fact in log.flush():
            if boot is not None:
                starts.take(fact)
            if boot is None or starts.count == boot:
                reading.take(fact)
        if boot is not None and boot > starts.count:
            raise InputError(
                f"--boot {boot}: the log has {plural(starts.count, 'start')} of the program",
                remedy=f"give a number from 1 to {starts.count}",
            )
        return log.lines()
