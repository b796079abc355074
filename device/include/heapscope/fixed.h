/*
 * Fixed-block pools: as many blocks of one size as fit into the caller's memory, each operation
 * O(1) with a bound that does not depend on their number, and every misuse found in O(1): a bit per
 * block says whether it is in use. No source, no growth. Not reentrant.
 *
 * The pool touches its own data and the blocks' only by aligned 32-bit words.
 */
#ifndef HEAPSCOPE_FIXED_H
#define HEAPSCOPE_FIXED_H

#include "heapscope/status.h"
#include "heapscope/text.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HS_FIXED_BLOCK_MAX 0x00100000u /* bytes of a block, rounding included */
#define HS_FIXED_COUNT_MAX 0x00100000u

typedef struct hs_fixed hs_fixed_t;

/* Bytes of memory for `count` blocks, whatever the memory's alignment; 0: a value that create would
 * refuse. `alignment` as there. */
size_t hs_fixed_memory(size_t count, size_t block_size, size_t alignment);

/* Makes as many blocks as fit. `alignment`: a power of two, 4 to 4096; 0: 8. NULL: not even one block
 * fits, or a value is out of its range, as block_size 0 is. Time: one word written per 32 blocks. */
hs_fixed_t *hs_fixed_create(void *memory, size_t size, size_t block_size, size_t alignment,
                            const char *name);

/* NULL: all are in use. The one that was freed last comes first. Free blocks hold the links between
 * them: one that was written over is not followed (hs_fixed_info_t.damaged), so that no block is ever
 * given twice; the free ones behind it are lost. */
void *hs_fixed_alloc(hs_fixed_t *pool);

/* HS_ERR_ARGUMENT: foreign, interior, or not in use: nothing changed, counted. NULL is fine. */
hs_status_t hs_fixed_free(hs_fixed_t *pool, void *block);

typedef struct hs_fixed_info {
    const char *name;
    size_t block_size; /* rounded up to the alignment */
    uint32_t count;
    uint32_t used, peak;
    uint32_t failures; /* requests that got NULL */
    uint32_t misuse;   /* frees that were refused */
    bool damaged;      /* a free block was written to: the blocks that were free then are lost */
} hs_fixed_info_t;

void hs_fixed_info(const hs_fixed_t *pool, hs_fixed_info_t *info); /* O(1) */

/*  packets:       12 of       32 blocks of     1536 (37%) used, peak 30, 0 failures, 0 misuse */
void hs_fixed_dump(const hs_fixed_t *pool, hs_text_t text);

/* The bits, the list and the counts against each other; O(n), ends whatever the bytes are. */
hs_status_t hs_fixed_check(const hs_fixed_t *pool);

#ifdef __cplusplus
}
#endif

#endif
