/* Life and calls of the guard, but for realloc. */
#include "operations.h"

#if HS_GUARD || HS_OWNERS

#define WALK_EVERY 1024u

static uint32_t walk_every(const hs_guard_t *guard)
{
    const uint32_t every = guard->config->walk_every;
    return every != 0 ? every : WALK_EVERY;
}

hs_status_t hs_guard_init(hs_guard_t *guard, hs_heap_t *heap, const hs_guard_config_t *config)
{
    static const hs_guard_config_t none = {.level = HS_GUARD_OFF};
    config = config != NULL ? config : &none;
    const uint32_t alignment = config->alignment;
    if (guard == NULL || heap == NULL || config->level < HS_GUARD_OFF ||
        config->level > HS_GUARD_WALK || (uint32_t)config->policy > HS_POLICY_HALT ||
        alignment > hs_unit_of(heap) ||
        (alignment != 0 && alignment != 4 && alignment != 8 && alignment != 16)) {
        return HS_ERR_ARGUMENT;
    }
    const uint32_t first = hs_first(heap);
    if (2 * (heap->end - first) != heap->free || hs_free_size_of(heap, first) == 0) {
        return HS_ERR_ARGUMENT; /* not empty */
    }
    *guard = (hs_guard_t){.heap = heap, .config = config};
    guard->until_walk = walk_every(guard);
    if (hs_has_fill(config)) {
#if HS_GUARD
        hs_fill_free(heap, first, 0, UINTPTR_MAX);
#endif
    }
    return HS_OK;
}

bool hs_tick(hs_guard_t *guard)
{
    if (HS_GUARD == 0 || guard->config->level < HS_GUARD_WALK || --guard->until_walk != 0) {
        return true;
    }
    guard->until_walk = walk_every(guard);
    return hs_guard_check(guard) == HS_OK || hs_heap_check(guard->heap, NULL) == HS_OK;
}

hs_plan_t hs_plan(const hs_guard_t *guard, size_t alignment, size_t size, size_t offset)
{
    const uint32_t unit = hs_unit_of(guard->heap);
    const uint32_t own = hs_payload_alignment(guard);
    const size_t step = alignment < own ? alignment : own;
    hs_plan_t plan = {(uint32_t)size, hs_head_of(guard), 0};
    if (size - 1 >= HS_WIDE_MAX || alignment == 0 || (alignment & (alignment - 1)) != 0 ||
        alignment > HS_ALIGNMENT_MAX || offset > size || offset % step != 0) {
        return plan;
    }
    if (hs_has_canaries(guard->config) && alignment > own) {
        const uint32_t to = alignment < unit ? (uint32_t)alignment : unit;
        plan.head += (0u - (plan.head + (uint32_t)offset)) & (to - 1);
    }
    plan.total = plan.head + plan.size + hs_tail_of(guard->config);
    return plan;
}

/* ---- taking ----------------------------------------------------------------------------------- */

#if HS_GUARD
static void *refuse(const hs_guard_t *guard, const void *where)
{
    (void)hs_heap_check(guard->heap, &where); /* knows better, where all is looked at */
    (void)hs_report(guard, HS_FAULT_METADATA, NULL, where);
    return NULL;
}

/* As hs_heap_malloc, by links that can be followed, of memory that holds its pattern. */
static void *take_checked(hs_guard_t *guard, const hs_plan_t *plan)
{
    hs_heap_t *const heap = guard->heap;
    if (plan->total <= HS_SLOT_MAX && !hs_is_wide(heap)) {
        return hs_can_take_slot(heap, plan->total) ? hs_heap_malloc(heap, plan->total)
                                                   : refuse(guard, heap);
    }
    const uint32_t granules = hs_granules_of(heap, plan->total);
    uint32_t block;
    if (!hs_candidate(heap, granules, &block)) {
        return refuse(guard, heap);
    }
    if (block == 0 || !hs_has_fill(guard->config)) {
        return hs_heap_malloc(heap, plan->total);
    }
    /* With the words of the rest that will be the heap's own. */
    const void *const wrong = hs_wrong_free(heap, block, 2 * granules + HS_OWN_WORDS);
    const bool good = wrong == NULL || hs_report(guard, HS_FAULT_FREE, NULL, wrong);
    void *const raw = hs_heap_malloc(heap, plan->total);
    if (good) {
        return raw;
    }
    (void)hs_hand_out(guard, raw, plan, 0, (hs_tag_t){HS_OWNER_NONE, NULL}); /* set aside */
    return NULL;
}
#endif

void *hs_take(hs_guard_t *guard, const hs_plan_t *plan)
{
#if HS_GUARD
    if (hs_has_links(guard->config)) {
        return take_checked(guard, plan);
    }
#endif
    return hs_heap_malloc(guard->heap, plan->total);
}

void *hs_hand_out(const hs_guard_t *guard, void *raw, const hs_plan_t *plan, uint32_t kept,
                  hs_tag_t tag)
{
    if (raw == NULL) {
        return NULL;
    }
    const hs_guard_config_t *const config = guard->config;
    hs_guarded_t block = {(uintptr_t)raw, 0, plan->head, plan->size, true, tag.owner};
    if (hs_tail_of(config) != 0) {
        block.whole = (uint32_t)hs_heap_usable_size(guard->heap, raw);
#if HS_GUARD
        const uintptr_t payload = block.raw + block.head;
        if (hs_has_fill(config) && kept < plan->size) {
            hs_fill_fresh(payload + kept, block.raw + block.whole - HS_TRAILER);
        }
#else
        (void)kept;
#endif
        hs_write_marks(guard, &block, tag);
    }
    return hs_payload(&block);
}

void *hs_guard_malloc(hs_guard_t *guard, size_t size, hs_tag_t tag)
{
    if (hs_is_bare(guard->config)) {
        return hs_heap_malloc(guard->heap, size);
    }
    const hs_plan_t plan = hs_plain_plan(guard, size);
    if (plan.total == 0 || !hs_tick(guard)) {
        return NULL;
    }
    return hs_hand_out(guard, hs_take(guard, &plan), &plan, 0, tag);
}

void *hs_guard_calloc(hs_guard_t *guard, size_t count, size_t size, hs_tag_t tag)
{
    if (count > HS_WIDE_MAX || size > HS_WIDE_MAX || (uint64_t)count * size > HS_WIDE_MAX) {
        return NULL;
    }
    const hs_plan_t plan = hs_plain_plan(guard, count * size);
    if (plan.total == 0 || !hs_tick(guard)) {
        return NULL;
    }
    void *const raw = hs_take(guard, &plan);
    if (raw == NULL) {
        return NULL;
    }
    hs_word_t *const payload = hs_word_at((uintptr_t)raw + plan.head);
    hs_zero(payload, payload + (plan.size + 3) / 4);
    return hs_hand_out(guard, raw, &plan, plan.size, tag);
}

#if HS_GUARD
/* What the heap gave for an aligned request. The words that have since become its own are lost: of
 * what is free behind it the first three, of what is free before it the last. */
static bool was_untouched(const hs_guard_t *guard, uintptr_t raw)
{
    const hs_heap_t *const heap = guard->heap;
    const uint32_t at = hs_index_of(heap, raw);
    const uint32_t whole = (uint32_t)hs_heap_usable_size(heap, (const void *)raw);
    const uint32_t own = hs_bit(hs_bitmap(heap), at - 1) != 0 ? 0 : 4 * HS_OWN_WORDS;
    const uint32_t footer = hs_is_free_at(heap, at + whole / HS_GRANULE) ? 0 : 4;
    const void *const wrong = hs_wrong_fill(raw + own, raw + whole - footer);
    return wrong == NULL || hs_report(guard, HS_FAULT_FREE, NULL, wrong);
}
#endif

/* As hs_heap_aligned_alloc, checked. */
static void *take_aligned(hs_guard_t *guard, size_t alignment, const hs_plan_t *plan, size_t offset)
{
    hs_heap_t *const heap = guard->heap;
#if HS_GUARD
    if (hs_has_links(guard->config)) {
        if (alignment <= hs_unit_of(heap) &&
            (hs_has_canaries(guard->config) || alignment <= hs_alignment(heap, plan->total))) {
            return hs_take(guard, plan);
        }
        if (!hs_can_align(heap, hs_granules_of(heap, plan->total), (uint32_t)alignment)) {
            return refuse(guard, heap);
        }
    }
#endif
    void *const raw = hs_heap_aligned_alloc(heap, alignment, plan->total, plan->head + offset);
#if HS_GUARD
    if (raw != NULL && hs_has_fill(guard->config) && !was_untouched(guard, (uintptr_t)raw)) {
        (void)hs_hand_out(guard, raw, plan, 0, (hs_tag_t){HS_OWNER_NONE, NULL}); /* set aside */
        return NULL;
    }
#endif
    return raw;
}

void *hs_guard_aligned_alloc(hs_guard_t *guard, size_t alignment, size_t size, size_t offset,
                             hs_tag_t tag)
{
    const hs_plan_t plan = hs_plan(guard, alignment, size, offset);
    if (plan.total == 0 || !hs_tick(guard)) {
        return NULL;
    }
    return hs_hand_out(guard, take_aligned(guard, alignment, &plan, offset), &plan, 0, tag);
}

/* ---- giving back ------------------------------------------------------------------------------ */

hs_status_t hs_open_block(hs_guard_t *guard, const void *payload, hs_guarded_t *block)
{
    const hs_status_t status = hs_find_block(guard, payload, block);
    if (status != HS_OK) {
        const bool damaged = status == HS_ERR_CORRUPT;
        (void)hs_report(guard, damaged ? HS_FAULT_METADATA : HS_FAULT_NOT_A_BLOCK, NULL, payload);
        return status;
    }
    bool wrong;
    return !hs_has_canaries(guard->config) || hs_examine(guard, block, &wrong) ? HS_OK
                                                                               : HS_ERR_CORRUPT;
}

#if HS_GUARD
/* As hs_heap_free, by links that can be followed; what becomes free memory is filled. */
static hs_status_t free_checked(const hs_guard_t *guard, const hs_guarded_t *block)
{
    hs_heap_t *const heap = guard->heap;
    hs_around_t around;
    if (!hs_look_around(heap, block->raw, block->whole, &around)) {
        return HS_ERR_CORRUPT;
    }
    const hs_status_t status = hs_heap_free(heap, (void *)block->raw);
    if (status == HS_OK && hs_has_fill(guard->config)) {
        hs_fill_free(heap, around.at - around.before, block->raw - 4,
                     block->raw + block->whole + 4 * HS_OWN_WORDS);
    }
    return status;
}
#endif

hs_status_t hs_give_back(hs_guard_t *guard, const hs_guarded_t *block)
{
#if HS_GUARD
    const hs_status_t status = hs_has_links(guard->config)
                                   ? free_checked(guard, block)
                                   : hs_heap_free(guard->heap, (void *)block->raw);
#else
    const hs_status_t status = hs_heap_free(guard->heap, (void *)block->raw);
#endif
    if (status != HS_OK) {
        const bool damaged = status == HS_ERR_CORRUPT;
        (void)hs_report(guard, damaged ? HS_FAULT_METADATA : HS_FAULT_NOT_A_BLOCK, NULL,
                        hs_payload(block));
    }
    return status;
}

hs_status_t hs_guard_free(hs_guard_t *guard, void *block)
{
    if (block == NULL) {
        return HS_OK;
    }
    if (!hs_tick(guard)) {
        return HS_ERR_CORRUPT;
    }
    hs_guarded_t found = {.raw = (uintptr_t)block};
    if (hs_has_links(guard->config)) {
        const hs_status_t status = hs_open_block(guard, block, &found);
        if (status != HS_OK) {
            return status;
        }
    }
    return hs_give_back(guard, &found);
}

#endif
