"""Broken in the experiment on a script engine's heap, and in what composes its week."""

from __future__ import annotations

from mutant import Mutant

HERE = "studies/heapscope_studies/script_heap"
TEST = "tests/studies/test_script_heap.py"
STUDY = "tests/studies/test_script_study.py"

SCRIPT_HEAP = (
    Mutant(
        "a week as recorded is the replay",
        "requests are larger than recorded",
        "studies/native/week.c::allocate",
        ": week->calls->malloc(heap, step->size);",
        ": week->calls->malloc(heap, step->size + 8u);",
        TEST,
    ),
    Mutant(
        "the script is on its own heap",
        "all tasks stay on the shared one",
        "studies/native/week.c::allocate",
        "player->plan.apart >> step->task & 1u",
        "player->plan.apart >> step->task & 0u",
        TEST,
    ),
    Mutant(
        "a collection on the free list",
        "nodes of frees are not apart",
        "studies/native/week.c::account",
        "kind == HS_EVENT_FREE ? after->nodes - before->nodes : 0;",
        "0;",
        TEST,
    ),
    Mutant(
        "time of a walked node",
        "a line of external RAM costs half",
        f"{HERE}/cost.py::bands",
        'read=sum(clocks["read"]) * scale,',
        'read=sum(clocks["read"]) * scale / 2,',
        TEST,
    ),
    Mutant(
        "what of a list is in the cache",
        "the cache has one way",
        f"{HERE}/cost.py::share_missed",
        "math.exp(-load) * (1 + load)",
        "math.exp(-load)",
        TEST,
    ),
    Mutant(
        "JSON of the engine",
        "the heap's instructions count twice",
        f"{HERE}/cost.py::read_jobs",
        'instructions=row["instructions"] - row["heap_instructions"],',
        'instructions=row["instructions"],',
        TEST,
    ),
    Mutant(
        "the advised size",
        "the margin is left out",
        "lab/heapscope/answers/fit/fit_trace.py::_advised",
        "math.ceil(pool * (1 + margin / 100) / STEP) * STEP",
        "math.ceil(pool / STEP) * STEP",
        "tests/lab/fit/test_fit_command.py",
    ),
    Mutant(
        "size of a task's private heap",
        "others' blocks are in it",
        "lab/native/fit/load.c::on_allocation",
        "event->task != fit->only) {",
        "event->task == UINT32_MAX) {",
        "tests/lab/fit/test_fit_command.py",
    ),
    Mutant(
        "nodes of the study's engine",
        "a unit of umm:32 has 16 bytes",
        "lab/models/umm.c::shift_32",
        "shift_32 = 5;",
        "shift_32 = 4;",
        STUDY,
    ),
    Mutant(
        "digest of a week",
        "it has three bytes of an answer",
        "studies/native/week.c::note",
        "byte < sizeof answer;",
        "byte < 3;",
        STUDY,
    ),
    Mutant(
        "figures that cannot be told",
        "an interval of any width is a figure",
        "studies/heapscope_studies/conclusion.py::tells",
        "return high - low <= SHARE * abs(figure)",
        "return high - low >= 0",
        "tests/studies/test_ice_pools.py",
    ),
    Mutant(
        "price of a job",
        "nodes of frees are no lines",
        f"{HERE}/study.py::Ran._cycles",
        "(walked + frees) * missed * band.read",
        "walked * missed * band.read",
        STUDY,
    ),
)
