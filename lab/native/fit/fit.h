/*
 * One trace on many pools: does it run there without a failed allocation? The trace is read once,
 * into 12 bytes a heap event; then any number of threads may replay it, each on a heap of its own
 * and with no measure taken, up to the first request that is refused.
 *
 * An event does the same as in `replay --pool` (lab/native/replay/heap_events.c), up to that
 * first failure: requests of 0 bytes get no block, frees and reallocs of blocks that are not there
 * are left out, and so are the requests that the recorded device itself could not serve.
 *
 * Memory: 12 bytes a heap event (1.2 GB for 100 million) and 12 more for each block whose key came
 * again while it was live; what blocks.h says for each of the most blocks live at once, and 4 bytes
 * for each of these, and the pool, for each running replay.
 */
#ifndef HEAPSCOPE_NATIVE_FIT_H
#define HEAPSCOPE_NATIVE_FIT_H

#include <stddef.h>
#include <stdint.h>

#include "chip/blocks.h"
#include "chip/placement.h"
#include "heapscope/trace.h"
#include "model.h"
#include "rows/trace.h"
#include "rows/trials.h"

#define HS_FIT_CHUNK 65536u /* steps kept together: reading on never moves those read */

#define HS_FIT_SKIP 0u /* the kind of an event that changes no heap; 1 to 5: as hs_event_kind_t */

/* The fields of hs_fit_step.what. */
#define HS_FIT_KIND 0x7u
#define HS_FIT_ALIGN_SHIFT 3u /* ALIGNED: 5 bits of log2 */
#define HS_FIT_UNDONE 0x8u    /* malloc, calloc: the next step of the chunk frees the block */
#define HS_FIT_ALIGNED 0x100u /* the block is one of aligned allocation */
#define HS_FIT_EXTRA 0x200u   /* no event of its own: the free that a key used again stands for */
#define HS_FIT_NEVER 0x400u   /* a request that no pool serves: its size or its capabilities */
#define HS_FIT_WORDS 0x800u   /* the heap is asked for whole words */
#define HS_FIT_TASK_SHIFT 12u /* 20 bits, as HS_NAME_INDEX_MAX */

#define HS_FIT_ALL_TASKS UINT32_MAX
#define HS_FIT_HIGH UINT32_C(0x80000000) /* in `slot`: from the high end of a free block */

typedef struct hs_fit_step {
    uint32_t slot; /* of the block, and HS_FIT_HIGH */
    uint32_t size; /* bytes asked for */
    uint32_t what;
} hs_fit_step_t;

typedef struct hs_fit {
    uint32_t base; /* address of every pool; one with every capability but bit 31 */
    hs_fit_step_t **chunks;
    size_t chunk_count, chunk_capacity;
    hs_placement_t rules; /* whose ends count, and nothing else of them */
    uint32_t only;        /* the task whose blocks are kept, whoever frees them; HS_FIT_ALL_TASKS */
    uint64_t steps;
    bool aligned;     /* there are requests with an alignment */
    uint64_t huge;    /* size of the first request above 32 bits, 0: none */
    uint64_t huge_at; /* its step */
    uint64_t held;    /* bytes that every heap holds now, see floor */
    uint64_t floor;   /* the most that every heap has to hold at once: no smaller pool survives */
    uint64_t requested, requested_peak; /* bytes as requested, now and at most */
    hs_blocks_t blocks; /* those live at the end of what was read; a record's index is its slot */
} hs_fit_t;

hs_status_t hs_fit_init(hs_fit_t *fit, uint32_t base);
void hs_fit_free(hs_fit_t *fit);

/* Before the first event: which requests take from the high end (hs_placement_init). */
hs_status_t hs_fit_ends(hs_fit_t *fit, const hs_lab_config_t *config);

/* The next batch of events, none of which is missing. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_fit_events(hs_fit_t *fit, const hs_event_t *events, size_t count);

/* Replays on a fresh pool; what came of it, and where it failed, is in `out`. May run in several
 * threads at once. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_fit_try(const hs_fit_t *fit, hs_allocator_t allocator, uint32_t size,
                       hs_lab_fit_t *out);

/* All pools of one likeness, whatever their allocators, give the same `out`. 0: it has none. */
uint32_t hs_fit_likeness(const hs_fit_t *fit, hs_allocator_t allocator, uint32_t size);

#endif
