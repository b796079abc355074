/*
 * The live blocks of a recorded process: address to id and size.
 *
 * A heap's addresses lie together, so the table does too: for each 4 KB page with a block there is a
 * leaf with an entry for each 16 bytes of it. Blocks that an entry cannot hold (other alignments,
 * 16 MB and more) are in a hash table of their own. Memory: half of what the recorded heap spans.
 */
#ifndef HEAPSCOPE_RECORD_BLOCKS_H
#define HEAPSCOPE_RECORD_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"

typedef struct hs_rec_block {
    uint64_t address, id, size;
} hs_rec_block_t;

#define HS_REC_LEAF_ENTRIES 256u

typedef struct hs_rec_leaf {
    uint64_t page;
    uint32_t count;
    struct hs_rec_leaf *next;              /* of those that are kept for later */
    uint64_t entries[HS_REC_LEAF_ENTRIES]; /* size << 40 | id + 1; 0: none */
} hs_rec_leaf_t;

typedef struct hs_rec_blocks {
    hs_rec_leaf_t **pages; /* open addressing by page */
    size_t page_mask, page_count;
    hs_rec_leaf_t *latest;
    hs_rec_leaf_t *spare;
    hs_rec_block_t *others; /* open addressing by address; address 0: free */
    size_t other_mask, other_count;
    uint64_t count;
} hs_rec_blocks_t;

hs_status_t hs_rec_blocks_init(hs_rec_blocks_t *blocks); /* HS_ERR_MEMORY */
void hs_rec_blocks_clear(hs_rec_blocks_t *blocks);

/* A block that is there under the same address is gone; address 0 stands for no entry. HS_ERR_MEMORY. O(1) on
 * average. */
hs_status_t hs_rec_blocks_put(hs_rec_blocks_t *blocks, const hs_rec_block_t *block);
/* Removes the block of an address. False: none. O(1) on average. */
bool hs_rec_blocks_take(hs_rec_blocks_t *blocks, uint64_t address, hs_rec_block_t *out);

/* Copies all into `out`, which has room for `count` of them, in any order; how many they are. */
size_t hs_rec_blocks_list(const hs_rec_blocks_t *blocks, hs_rec_block_t *out);
/* By id. */
void hs_rec_blocks_sort(hs_rec_block_t *list, size_t count);

#endif
