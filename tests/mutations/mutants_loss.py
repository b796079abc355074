"""Broken in what is claimed of a trace with lost events."""

from __future__ import annotations

from mutant import Mutant

REPLAYED = "tests/lab/loss/test_loss_replay.py"
VERBS = "tests/lab/loss/test_loss_verbs.py"
ADVICE = "tests/lab/loss/test_loss_advice.py"
FACTS = "tests/lab/loss/test_loss_facts.py"
CHUNKS = "lab/native/trace/chunk_reader.c"

LOSS = (
    Mutant(
        "loss: the split",
        "events that the recorder dropped do not end the exact part",
        "lab/native/lab/segments.c::hs_segments_ends_at_other",
        "event->size != 0",
        "event->size == UINT64_MAX",
        REPLAYED,
    ),
    Mutant(
        "loss: the split",
        "events behind a missing chunk belong to the exact part",
        "lab/native/lab/loss.c::hs_loss_split",
        "lost_at == UINT64_MAX",
        "lost_at != 0",
        REPLAYED,
    ),
    Mutant(
        "loss: the split",
        "a trace that is cut off is whole",
        f"{CHUNKS}::hs_chunk_reader_finish",
        "if (!reader->health.ended && !reader->health.stopped)",
        "if (reader->health.ended)",
        REPLAYED,
    ),
    Mutant(
        "loss: bounds after it",
        "what was live before a gap is live after it",
        "lab/native/lab/loss.c::hs_loss_take",
        "if (first != loss->expected) {",
        "if (first == UINT64_MAX) {",
        VERBS,
    ),
    Mutant(
        "loss: directions",
        "the least free memory of a part is a lower bound",
        "lab/heapscope/memory/layout/region_rows.py::MemoryFigures",
        '"Lowest free payload bytes so far, true: of all these regions at one moment.", '
        '"minimum free", bound=AT_MOST',
        '"Lowest free payload bytes so far, true: of all these regions at one moment.", '
        '"minimum free", bound=AT_LEAST',
        REPLAYED,
    ),
    Mutant(
        "loss: directions",
        "the least free memory of a version before the loss is that of the whole run",
        "lab/heapscope/answers/upgrade/cost.py::Waterfall",
        'after: int = figure("True bytes.", "B", bound=AT_MOST)',
        'after: int = figure("True bytes.", "B", bound="exact")',
        ADVICE,
    ),
    Mutant(
        "loss: directions",
        "the pool of a part is one for the whole run",
        "lab/heapscope/answers/fit/smallest_pool.py::FitResult",
        "step=STEP, bound=AT_LEAST,",
        "step=STEP, bound=EXACT,",
        REPLAYED,
    ),
    Mutant(
        "loss: nothing is recommended",
        "a pool is recommended after a loss",
        "lab/heapscope/answers/fit/fit_trace.py::fit_recorded",
        "advised=None\n                if is_cut(trace.loss)\n",
        "advised=None\n                if trace.loss is None and False\n",
        REPLAYED,
    ),
    Mutant(
        "loss: facts",
        "a trace without its metadata has no word size, instead of one that is not known",
        f"{CHUNKS}::hs_chunk_reader_finish",
        "reader->health.facts_lost = !reader->facts_whole;",
        "reader->health.facts_lost = 0;",
        FACTS,
    ),
    Mutant(
        "loss: facts",
        "a chunk that is missing in front of the events held none of the facts",
        f"{CHUNKS}::facts_end",
        "reader->missing <= one_held_events",
        "reader->missing <= 64",
        FACTS,
    ),
    Mutant(
        "loss: facts",
        "sizes that may be a 64-bit program's keep a budget",
        "lab/heapscope/fleet/budgets/judgement.py::doubt",
        "if loss is not None:",
        "if loss is not None and not loss.unknown:",
        FACTS,
    ),
    Mutant(
        "loss: facts",
        "sides that served nothing served alike",
        "lab/heapscope/simulation/result/figure.py::served_alike",
        "if 0 in (left.summary.results, right.summary.results):",
        "if 0 > left.summary.results + right.summary.results:",
        FACTS,
    ),
    Mutant(
        "loss: withheld",
        "a number stands in the JSON that its mark withholds",
        "lab/heapscope/base/rows/withheld.py::_make_null",
        "if not rest:",
        'if not rest and name == "":',
        FACTS,
    ),
)
