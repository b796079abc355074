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
        "device/src/private/private.c",
        "info->peak = heap->total - hs_heap_minimum_free(heap->heap);",
        "info->peak = info->used;",
        PRIVATE,
    ),
    Mutant(
        "failures of a private heap",
        "a refused realloc counts as a full heap",
        "device/src/private/private.c",
        "(usable_size(heap, request->block) == 0 || fits(heap, 1, request->size))",
        "false",
        PRIVATE,
    ),
    Mutant(
        "use of a pool",
        "a block's header is not counted",
        "device/src/pool/pool.c",
        "    pool->used += sizeof(hs_pool_block_t);\n",
        "",
        POOL,
    ),
    Mutant(
        "growth of a pool",
        "one increment more than a request needs",
        "device/src/pool/pool.c",
        "(front + size - 1) / increment + 1",
        "(front + size) / increment + 1",
        POOL,
    ),
    Mutant(
        "misuse of a fixed pool",
        "a second free is taken",
        "device/src/pool/fixed.c",
        "|| !is_used(pool, index)) {",
        "|| false) {",
        FIXED,
    ),
    Mutant(
        "misuse of a fixed pool",
        "a link is followed wherever it leads",
        "device/src/pool/fixed.c",
        "is_link(pool, next); /*",
        "true; /*",
        FIXED,
    ),
    Mutant(
        "misuse of a fixed pool",
        "the reciprocal is rounded down",
        "device/src/pool/fixed.c",
        "(UINT32_MAX + (uint64_t)bytes) / bytes",
        "((uint64_t)1 << 32) / bytes",
        FIXED,
    ),
)
