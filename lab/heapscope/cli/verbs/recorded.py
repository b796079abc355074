"""The word size of the recordings that an answer is of, for every verb."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from heapscope.base.printable import printable
from heapscope.trace.loss import of_facts
from heapscope.trace.metadata import recorded_origin
from heapscope.trace.provenance import (
    RecordedDocument,
    largest_word,
    of_a_part,
    of_unrecorded,
    of_wide_pointers,
    word_size,
)

Answer = TypeVar("Answer", bound=RecordedDocument)


def with_word_size(
    answer: Answer,
    *traces: str | Path | None,
    named: bool = False,
    limits: bool = True,
    damage: bool = False,
) -> Answer:
    """The answer with the word size of its traces, the largest of several, and the sentences that
    limit their sizes. A stream tells neither. `named`: the sentences say of which trace they are.
    `limits`: without them where no figure is of a chip. `damage`: also what lost metadata may have
    told, for an answer without a loss."""
    words: list[int | None] = []
    texts: list[str] = []
    for trace in traces:
        if trace is None or not Path(trace).is_file():
            continue
        facts, unknown = recorded_origin(Path(trace))
        words.append(word_size(facts))
        where = f"{printable(str(trace), limit=400)}: " if named else ""
        known = (of_unrecorded, of_a_part, of_wide_pointers)
        texts += [f"{where}{one}" for one in (each(facts) for each in known) if one]
        texts += of_facts(unknown) if damage else ()
    return replace(
        answer, word_size=largest_word(*words), size_limits=tuple(texts) if limits else ()
    )
