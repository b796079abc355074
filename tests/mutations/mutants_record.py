"""Broken in the recorder of Linux programs."""

from __future__ import annotations

from mutant import Mutant

ORDER = "tests/record/test_record_order.py"
CALLS = "tests/record/test_record_calls.py"
PROCESSES = "tests/record/test_record_processes.py"
LOSS = "tests/record/test_record_loss.py"
STACKS = "tests/record/test_record_stacks.py"
DRAIN = "tests/native/test_record_drain.c"
OWN = "tests/record/test_record_own_allocators.py"

RECORD = (
    Mutant(
        "order of events",
        "a free is recorded after its call",
        "lab/native/record/preload/hooks.c::HOOK",
        "hs_rec_put(HS_REC_FREE, (uintptr_t)block, 0, 0, 0);\nhs_rec_real.free(block);",
        "hs_rec_real.free(block);\nhs_rec_put(HS_REC_FREE, (uintptr_t)block, 0, 0, 0);",
        ORDER,
    ),
    Mutant(
        "order of events",
        "the reader does not wait for a record to be written",
        "lab/native/record/ring.h::hs_rec_ring_read",
        "memory_order_acquire) == number + 1u ? event : NULL;",
        "memory_order_acquire) != number ? event : NULL;",
        ORDER,
    ),
    Mutant(
        "live peak",
        "what is live after a loss counts for the peak",
        "lab/native/record/drain/image.c::count_change",
        "image->counts.lost == 0",
        "image->counts.lost != UINT64_MAX",
        "tests/record/test_record_loss.py",
    ),
    Mutant(
        "requests recorded",
        "a failed realloc takes its block along",
        "lab/native/record/drain/image.c::take_realloc_null",
        "block_appears(image, block, block->size);",
        "",
        CALLS,
    ),
    Mutant(
        "blocks that a fork left",
        "the child does not wait for what its parent recorded before",
        "lab/native/record/drain/recorder.c::parent_passed",
        "return (int32_t)(parent->next - ring->fork_number) > 0;",
        "return true;",
        PROCESSES,
    ),
    Mutant(
        "images of a chain",
        "images have the order of their places",
        "lab/native/record/drain/recorder.c::find_new_places",
        "(int32_t)(atomic_load(&control->orders[found[at - 1]]) - order) > 0",
        "found[at - 1] > i",
        DRAIN,
    ),
    Mutant(
        "events lost",
        "what was dropped last is not counted",
        "lab/native/record/drain/recorder.c::place_end",
        "lost != 0",
        "lost > UINT32_MAX - 1u",
        LOSS,
    ),
    Mutant(
        "order of events",
        "memory inside a block that is moving is not looked at",
        "lab/native/record/drain/image.c::split_realloc",
        "(address - block->address < block->size + (block->size == 0) ||",
        "(address == block->address ||",
        DRAIN,
    ),
    Mutant(
        "events lost",
        "a killed program's records end at the first that is not written",
        "lab/native/record/drain/recorder.c::pass_hole",
        "if (ended) {",
        "if (ended) {\n    place->next = head - 1u;",
        DRAIN,
    ),
    Mutant(
        "events lost",
        "what is in a killed program's ring is not taken",
        "lab/native/record/drain/recorder.c::drain",
        "while (place->next != last) {",
        "place->next = ended ? last : place->next;\nwhile (place->next != last) {",
        LOSS,
    ),
    Mutant(
        "events lost",
        "a thread whose record was given up waits for ever",
        "lab/native/record/preload/session.c::hs_rec_wait_for_room",
        "if ((int32_t)(tail - number) > 0) {",
        "if (tail == number + 1u && tail == number) {",
        LOSS,
    ),
    Mutant(
        "who asked",
        "the same addresses are the same stack after dlclose",
        "lab/native/record/preload/stack.c::hash_of",
        "((uint64_t)age << 32)",
        "((uint64_t)age >> 32)",
        STACKS,
    ),
    Mutant(
        "who asked",
        "a request after a call of ours has no stack",
        "lab/native/record/preload/stack.c::hs_rec_stack",
        "&& hs_rec_enter() == NULL) {",
        ") {",
        STACKS,
    ),
    Mutant(
        "calls of a program's own allocators",
        "a call within a call counts as well",
        "lab/native/record/preload/own.c::enter",
        "hs_rec_thread.own++ == 0",
        "hs_rec_thread.own++ < 9",
        OWN,
    ),
    Mutant(
        "calls of a program's own allocators",
        "those of the C library stand among them",
        "lab/native/record/preload/session.c::modes_of_process",
        "modes | HS_REC_NO_LIBC",
        "modes",
        OWN,
    ),
    Mutant(
        "capabilities of a recorded request",
        "they are lost with the number of the stack",
        "lab/native/record/drain/image.c::take_block",
        "(uint32_t)(record->c >> 32)",
        "(uint32_t)(record->c >> 63)",
        OWN,
    ),
    Mutant(
        "allocators that a recording does not see",
        "a link that hides the wrapped calls goes unnoticed",
        "lab/heapscope/capture/record/allocators.py::_look",
        "recorded = frozenset() if unheard else wrapped",
        "recorded = wrapped",
        OWN,
    ),
    Mutant(
        "allocators that a recording does not see",
        "a program's own ones are not looked for",
        "lab/heapscope/capture/record/session.py::_Run._tell_allocators",
        "if left:",
        "if not left:",
        OWN,
    ),
    Mutant(
        "processes left behind",
        "a quiet one is not waited for",
        "lab/heapscope/capture/record/session.py::_Run._follow",
        "== 0 and not quiet:",
        "== 0:",
        PROCESSES,
    ),
)
