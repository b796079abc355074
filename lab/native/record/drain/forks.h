/* The blocks that a fork's child inherits: those of its parent at the fork, kept until the child is
 * seen. Most children exec at once and are never seen, so the number of kept forks is bounded. */
#ifndef HEAPSCOPE_RECORD_FORKS_H
#define HEAPSCOPE_RECORD_FORKS_H

#include "blocks.h"

#define HS_REC_FORKS_MAX 256u
#define HS_REC_FORKS_BYTES ((size_t)256 << 20)

typedef struct hs_rec_fork {
    uint32_t place, life, number;
    hs_rec_block_t *list;
    size_t count;
} hs_rec_fork_t;

typedef struct hs_rec_forks {
    hs_rec_fork_t kept[HS_REC_FORKS_MAX];
    size_t first, count; /* a ring */
    size_t bytes;
} hs_rec_forks_t;

void hs_rec_forks_clear(hs_rec_forks_t *forks);
void hs_rec_forks_keep(hs_rec_forks_t *forks, uint32_t place, uint32_t life, uint32_t number,
                       const hs_rec_blocks_t *blocks);
/* The blocks of a fork, sorted by id, now the caller's to free; NULL: none, or no longer known. */
hs_rec_block_t *hs_rec_forks_take(hs_rec_forks_t *forks, uint32_t place, uint32_t life,
                                  uint32_t number, size_t *count);

#endif
