"""Broken in private heaps and pools."""

from __future__ import annotations

from mutant import Mutant

PRIVATE = "tests/device/test_private.c"
POOL = "tests/device/test_pool.c"
FIXED = "tests/device/test_pool_fixed.c"

POOLS = (
    Mutant(
        "peak of a private heap",
        "the present use is its peak",
        "device/src/private/private.c::hs_private_info",
        "info->peak = heap->total - hs_heap_minimum_free(heap->heap);",
        "info->peak = info->used;",
        PRIVATE,
    ),
    Mutant(
        "failures of a private heap",
        "a refused realloc counts as a full heap",
        "device/src/private/private.c::is_misuse",
        "(usable_size(heap, request->block) == 0 || fits(heap, 1, request->size))",
        "false",
        PRIVATE,
    ),
    Mutant(
        "use of a pool",
        "a block's header is not counted",
        "device/src/pool/pool.c::grow",
        "pool->used += sizeof(hs_pool_block_t);",
        "",
        POOL,
    ),
    Mutant(
        "growth of a pool",
        "one increment more than a request needs",
        "device/src/pool/pool.c::grow",
        "(front + size - 1) / increment + 1",
        "(front + size) / increment + 1",
        POOL,
    ),
    Mutant(
        "misuse of a fixed pool",
        "a second free is taken",
        "device/src/pool/fixed.c::hs_fixed_free",
        "|| !is_used(pool, index)) {",
        "|| false) {",
        FIXED,
    ),
    Mutant(
        "misuse of a fixed pool",
        "a link is followed wherever it leads",
        "device/src/pool/fixed.c::hs_fixed_alloc",
        "sound = is_link(pool, next);",
        "sound = true;",
        FIXED,
    ),
    Mutant(
        "misuse of a fixed pool",
        "the reciprocal is rounded down",
        "device/src/pool/fixed.c::hs_fixed_create",
        "(UINT32_MAX + (uint64_t)bytes) / bytes",
        "((uint64_t)1 << 32) / bytes",
        FIXED,
    ),
)
