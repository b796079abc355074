/* The blocks that a fork's child inherits: those of its parent at the fork. A child that forks before
 * it asks its heap leaves them to its own children, too, so they are kept when one was seen. Most
 * children exec at once and are never seen, so the number of kept forks is bounded. */
#ifndef HEAPSCOPE_RECORD_FORKS_H
#define HEAPSCOPE_RECORD_FORKS_H

#include "blocks.h"

#define HS_REC_FORKS_MAX 256u
#define HS_REC_FORKS_BYTES ((size_t)256 << 20)
#define HS_REC_FORKS_SEEN_BYTES ((size_t)32 << 20) /* above it, those go that had a child */

typedef struct hs_rec_fork {
    uint32_t place, life, number;
    hs_rec_block_t *list; /* NULL: given up */
    size_t count;
    bool sorted; /* by id; a child was seen */
    bool paused; /* the parent's events were not in its trace */
} hs_rec_fork_t;

typedef struct hs_rec_forks {
    hs_rec_fork_t kept[HS_REC_FORKS_MAX];
    size_t first, count; /* a ring */
    size_t bytes;
} hs_rec_forks_t;

void hs_rec_forks_clear(hs_rec_forks_t *forks);
void hs_rec_forks_keep(hs_rec_forks_t *forks, uint32_t place, uint32_t life, uint32_t number,
                       const hs_rec_blocks_t *blocks, bool paused);
/* A fork, its blocks sorted by id, until the next one is kept; NULL: no longer known. */
const hs_rec_fork_t *hs_rec_forks_find(hs_rec_forks_t *forks, uint32_t place, uint32_t life,
                                       uint32_t number);

#endif
