/*
 * Where a recording comes back to what it was: two quiet moments far apart between which what each holder
 * has differs least for the events between them. The recording is cut into HS_RETURN_PARTS equal parts by
 * its heap events; the quiet moment of a part is where least is live. The live blocks are known by a hash
 * of task and site. Memory: 32 KB a part, and blocks.h for what is live.
 */
#ifndef HEAPSCOPE_NATIVE_RETURN_H
#define HEAPSCOPE_NATIVE_RETURN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chip/blocks.h"
#include "heapscope/status.h"
#include "heapscope/trace.h"

#define HS_RETURN_PARTS 64u
#define HS_RETURN_HOLDERS 4096u /* holders of one hash are taken together */

typedef struct hs_return {
    uint64_t events, seen; /* heap events of the recording; so far */
    hs_blocks_t blocks;
    int64_t held[HS_RETURN_HOLDERS];   /* bytes that are live */
    uint64_t live, bytes, allocations; /* bytes live now; of all requests */
    struct {
        uint64_t event, live; /* it is behind so many heap events */
        int64_t held[HS_RETURN_HOLDERS];
    } *quiet; /* of each part that has begun */
    uint32_t parts;
} hs_return_t;

/* `events`: how many heap events will come. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_return_init(hs_return_t *back, uint64_t events);
void hs_return_free(hs_return_t *back);
/* The next events, from the first one on. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_return_events(hs_return_t *back, const hs_event_t *events, size_t count);
/* The two moments, as heap events: at least a quarter of the recording apart where `most` events, the most
 * that may lie between them, suffice. false: there are not enough events. O(parts^2 holders). */
bool hs_return_find(const hs_return_t *back, uint64_t most, uint64_t *first, uint64_t *stop);

#endif
