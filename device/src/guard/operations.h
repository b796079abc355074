/* What the guard's calls share: the way from a request to a block of the heap. */
#ifndef HEAPSCOPE_GUARD_OPERATIONS_H
#define HEAPSCOPE_GUARD_OPERATIONS_H

#include "fill.h"

#if HS_GUARD || HS_OWNERS

/* A request in the heap's terms. */
typedef struct hs_plan {
    uint32_t size; /* of the payload */
    uint32_t head;
    uint32_t total; /* of the heap's block, at least; 0: cannot be had */
} hs_plan_t;

/* With the head that it takes so that the byte at `offset` can be aligned. */
hs_plan_t hs_plan(const hs_guard_t *guard, size_t alignment, size_t size, size_t offset);

/* The same without an alignment beyond that of all payloads. */
static inline hs_plan_t hs_plain_plan(const hs_guard_t *guard, size_t size)
{
    hs_plan_t plan = {(uint32_t)size, 0, 0};
    if (size - 1 < HS_WIDE_MAX) {
        plan.head = hs_has_canaries(guard->config) ? hs_head_of(guard) : 0;
        plan.total = plan.head + plan.size + hs_tail_of(guard->config);
    }
    return plan;
}

/* Nothing per block and nothing to be checked: the heap's own calls will do. */
static inline bool hs_is_bare(const hs_guard_config_t *config)
{
    return !hs_has_links(config) && !config->owners && !config->sites;
}

/* Counts an operation down to the next walk. False: the walk found the heap's own data damaged. */
bool hs_tick(hs_guard_t *guard);

/* A block of the heap for a plan, not yet marked; NULL: none, or refused after a report. */
void *hs_take(hs_guard_t *guard, const hs_plan_t *plan);
/* Marks what the heap gave. The payload is fresh from `kept` bytes on. Gives the payload. */
void *hs_hand_out(const hs_guard_t *guard, void *raw, const hs_plan_t *plan, uint32_t kept,
                  hs_tag_t tag);
/* Gives a block back whose marks have been looked at. */
hs_status_t hs_give_back(hs_guard_t *guard, const hs_guarded_t *block);

/* The used block at `payload`, found sound or reported. HS_ERR_CORRUPT: the call may not go on. */
hs_status_t hs_open_block(hs_guard_t *guard, const void *payload, hs_guarded_t *block);

static inline uint32_t hs_granules_of(const hs_heap_t *heap, uint32_t total)
{
    const uint32_t granules = (total + HS_GRANULE - 1) >> HS_GRANULE_SHIFT;
    const uint32_t even = granules + (granules & heap->shape & HS_UNIT);
    return even < HS_BLOCK_MIN ? HS_BLOCK_MIN : even;
}

#endif

#endif
