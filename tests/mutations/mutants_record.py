"""Broken in the recorder of Linux programs."""

from __future__ import annotations

from mutant import Mutant

ORDER = "tests/record/test_record_order.py"
CALLS = "tests/record/test_record_calls.py"
PROCESSES = "tests/record/test_record_processes.py"
LOSS = "tests/record/test_record_loss.py"
STACKS = "tests/record/test_record_stacks.py"
DRAIN = "tests/native/test_record_drain.c"

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
    Mutant(
        "order of events",
        "memory inside a block that is moving is not looked at",
        "native/record/drain/image.c",
        "(address - block->address < block->size + (block->size == 0) ||",
        "(address == block->address ||",
        DRAIN,
    ),
    Mutant(
        "events lost",
        "a killed program's records end at the first that is not written",
        "native/record/drain/recorder.c",
        "        return true; /* the call had not returned to the program */",
        "        place->next = head - 1u;\n        return true;",
        DRAIN,
    ),
    Mutant(
        "events lost",
        "what is in a killed program's ring is not taken",
        "native/record/drain/recorder.c",
        "    while (place->next != last) {",
        "    place->next = ended ? last : place->next;\n    while (place->next != last) {",
        LOSS,
    ),
    Mutant(
        "events lost",
        "a thread whose record was given up waits for ever",
        "native/record/preload/session.c",
        "        if ((int32_t)(tail - number) > 0) {",
        "        if (tail == number + 1u && tail == number) {",
        LOSS,
    ),
    Mutant(
        "who asked",
        "the same addresses are the same stack after dlclose",
        "native/record/preload/stack.c",
        "((uint64_t)age << 32)",
        "((uint64_t)age >> 32)",
        STACKS,
    ),
    Mutant(
        "who asked",
        "a request after a call of ours has no stack",
        "native/record/preload/stack.c",
        " && hs_rec_enter() == NULL) {",
        ") {",
        STACKS,
    ),
)
