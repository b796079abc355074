/* The steps that the guard's calls share: from a request to a block of the heap. */
#ifndef HEAPSCOPE_GUARD_OPERATIONS_H
#define HEAPSCOPE_GUARD_OPERATIONS_H

#include "fill.h"

#if HS_GUARD || HS_OWNERS

/* A request in the heap's terms. */
typedef struct hs_guard_plan {
    uint32_t size; /* of the payload */
    uint32_t head;
    uint32_t total; /* the least that the heap's block must have; 0: the request cannot be served */
} hs_plan_t;

/* With the head that it takes so that the byte at `offset` can be aligned. */
hs_plan_t hs_guard_plan(const hs_guard_t *guard, size_t alignment, size_t size, size_t offset);

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

/* A walk is due. False: it found the heap's own data damaged. */
bool hs_guard_walk_now(hs_guard_t *guard);

/* Can anything in the heap be found? Below HS_GUARD_LINKS nobody looks. */
static inline bool hs_is_open(const hs_guard_t *guard)
{
    return !hs_has_links(guard->config) || hs_is_sealed(guard->heap);
}

/* The same, with a report. */
static inline bool hs_can_begin(const hs_guard_t *guard)
{
    if (HS_UNLIKELY(!hs_is_open(guard))) {
        (void)hs_guard_report(guard, HS_FAULT_METADATA, NULL, guard->heap);
        return false;
    }
    return true;
}

/* An operation begins: looks at the seal, and counts down to the next walk. False: it is refused. */
static inline bool hs_begin(hs_guard_t *guard)
{
    if (!hs_can_begin(guard)) {
        return false;
    }
    return HS_GUARD == 0 || guard->config->level < HS_GUARD_WALK || --guard->until_walk != 0 ||
           hs_guard_walk_now(guard);
}

/* Where the block begins whose payload is there, if one does. */
static inline uintptr_t hs_raw_of(const hs_guard_t *guard, const void *payload)
{
    const uintptr_t raw = (uintptr_t)payload;
    return hs_has_canaries(guard->config)
               ? (raw - hs_head_least(guard->config)) & ~((uintptr_t)hs_unit_of(guard->heap) - 1)
               : raw;
}

/* The used block whose payload begins at `payload`. HS_ERR_ARGUMENT: none.
 * HS_ERR_CORRUPT: the heap's data about it and its neighbours contradict each other. */
hs_status_t hs_guard_find_block(const hs_guard_t *guard, const void *payload, hs_guarded_t *block);

/* A block of the heap of `total` bytes, not yet marked; NULL: none, or refused after a report. */
void *hs_guard_take(hs_guard_t *guard, uint32_t total);
/* Marks the block that the heap gave, and returns its payload, which is fresh from `kept` bytes on. */
void *hs_guard_hand_out(const hs_guard_t *guard, void *raw, const hs_plan_t *plan, uint32_t kept,
                        hs_tag_t tag);
/* Gives a block back whose marks have been looked at. */
hs_status_t hs_guard_give_back(hs_guard_t *guard, const hs_guarded_t *block,
                               const hs_around_t *around);

/* The used block at `payload`, found sound or reported. HS_ERR_CORRUPT: the call may not go on. */
hs_status_t hs_guard_open_block(hs_guard_t *guard, const void *payload, hs_guarded_t *block,
                                hs_around_t *around);

static inline uint32_t hs_granules_of(const hs_heap_t *heap, uint32_t total)
{
    const uint32_t granules = (total + HS_GRANULE - 1) >> HS_GRANULE_SHIFT;
    const uint32_t even = granules + (granules & heap->shape & HS_UNIT);
    return even < HS_BLOCK_MIN ? HS_BLOCK_MIN : even;
}

/* Bytes of the block at `raw` that the heap gave for `total`: the value of hs_heap_usable_size, without
 * its search. */
static inline uint32_t hs_whole_of(const hs_heap_t *heap, uintptr_t raw, uint32_t total)
{
    const uint32_t *const bitmap = hs_bitmap(heap);
    const uint32_t at = hs_index_of(heap, raw);
    if (total <= HS_SLOT_MAX && !hs_is_wide(heap)) {
        if (total <= 4) {
            return (uint32_t)hs_heap_usable_size(heap, (const void *)raw); /* or a larger slot */
        }
        if (hs_bit(bitmap, at) == 0) {
            return HS_SLOT_MAX;
        }
    }
    return HS_GRANULE * hs_taken_size(bitmap, at, hs_granules_of(heap, total));
}

#endif

#endif
