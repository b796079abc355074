"""Broken in the recorder of Linux programs."""

from __future__ import annotations

from mutant import Mutant

ORDER = "tests/record/test_record_order.py"
CALLS = "tests/record/test_record_calls.py"
PROCESSES = "tests/record/test_record_processes.py"
LOSS = "tests/record/test_record_loss.py"

RECORD = (
    Mutant(
        "order of events",
        "a free is recorded after its call",
        "native/record/preload/hooks.c",
        "    hs_rec_put(HS_REC_FREE, (uintptr_t)block, 0, 0, 0);\n    hs_rec_real.free(block);\n",
        "    hs_rec_real.free(block);\n    hs_rec_put(HS_REC_FREE, (uintptr_t)block, 0, 0, 0);\n",
        ORDER,
    ),
    Mutant(
        "order of events",
        "the reader does not wait for a record to be written",
        "native/record/ring.h",
        "memory_order_acquire) == number + 1u ? event : NULL;",
        "memory_order_acquire) != number ? event : NULL;",
        ORDER,
    ),
    Mutant(
        "requests recorded",
        "a failed realloc takes its block along",
        "native/record/drain/image.c",
        "    block_appears(image, block, block->size);\n",
        "",
        CALLS,
    ),
    Mutant(
        "blocks that a fork left",
        "the child does not wait for what its parent recorded before",
        "native/record/drain/recorder.c",
        "    return (int32_t)(parent->next - ring->fork_number) > 0;",
        "    return true;",
        PROCESSES,
    ),
    Mutant(
        "events lost",
        "what was dropped last is not counted",
        "native/record/drain/recorder.c",
        "    if (lost != 0) { /*",
        "    if (lost > UINT32_MAX - 1u) { /*",
        LOSS,
    ),
)
