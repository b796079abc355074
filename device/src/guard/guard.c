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
        hs_guard_fill_free(heap, first, 0, UINTPTR_MAX);
#endif
    }
    return HS_OK;
}

bool hs_guard_walk_now(hs_guard_t *guard)
{
    guard->until_walk = walk_every(guard);
    return hs_guard_check(guard) == HS_OK || hs_heap_check(guard->heap, NULL) == HS_OK;
}

hs_plan_t hs_guard_plan(const hs_guard_t *guard, size_t alignment, size_t size, size_t offset)
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

/* Marks a block that has canaries. The payload is fresh from `kept` bytes on. */
static inline void *hand_out_marked(const hs_guard_t *guard, uintptr_t raw, const hs_plan_t *plan,
                                    uint32_t kept, hs_tag_t tag)
{
    const hs_guarded_t block = {
        raw, hs_whole_of(guard->heap, raw, plan->total), plan->head, plan->size, true, tag.owner};
    HS_ASSERT(block.whole >= plan->total);
#if HS_GUARD
    if (hs_has_fill(guard->config) && kept < plan->size) {
        hs_guard_fill_fresh(raw + plan->head + kept, raw + block.whole - HS_TRAILER);
    }
#else
    (void)kept;
#endif
    hs_guard_write_marks(guard, &block, tag);
    return hs_payload(&block);
}

void *hs_guard_hand_out(const hs_guard_t *guard, void *raw, const hs_plan_t *plan, uint32_t kept,
                        hs_tag_t tag)
{
    if (raw == NULL) {
        return NULL;
    }
    HS_ASSERT(plan->total == plan->head + plan->size + hs_tail_of(guard->config));
    if (hs_has_canaries(guard->config)) {
        return hand_out_marked(guard, (uintptr_t)raw, plan, kept, tag);
    }
    if (guard->config->owners || guard->config->sites) {
        const uintptr_t at = (uintptr_t)raw;
        hs_write_tag(guard->config, at + hs_whole_of(guard->heap, at, plan->total), tag);
    }
    return raw;
}

#if HS_GUARD
static void *refuse(const hs_guard_t *guard, const void *where)
{
    (void)hs_heap_check(guard->heap, &where); /* finds the exact place */
    (void)hs_guard_report(guard, HS_FAULT_METADATA, NULL, where);
    return NULL;
}

/* A block whose memory was written to while it was free is never handed out. */
static void *set_aside(const hs_guard_t *guard, void *raw, uint32_t total)
{
    const uint32_t head = hs_head_of(guard);
    const hs_plan_t plan = {total - head - hs_tail_of(guard->config), head, total};
    (void)hs_guard_hand_out(guard, raw, &plan, 0, (hs_tag_t){HS_OWNER_NONE, NULL});
    return NULL;
}

/* Calls hs_heap_malloc; reports memory that does not hold the pattern of free memory. */
static void *take_filled(hs_guard_t *guard, uint32_t block, uint32_t granules, uint32_t total)
{
    hs_heap_t *const heap = guard->heap;
    /* With the words of the rest that will be the heap's own. */
    const void *const wrong = hs_guard_wrong_free(heap, block, 2 * granules + HS_OWN_WORDS);
    const bool good = wrong == NULL || hs_guard_report(guard, HS_FAULT_FREE, NULL, wrong);
    void *const raw = hs_heap_malloc(heap, total);
    return good ? raw : set_aside(guard, raw, total);
}

/* Calls hs_heap_malloc if the links that it would follow are sound. */
static HS_INLINE void *take_checked(hs_guard_t *guard, uint32_t total, bool fill)
{
    hs_heap_t *const heap = guard->heap;
    if (hs_is_slot(heap, total)) {
        return hs_guard_can_take_slot(heap, total) ? hs_heap_malloc(heap, total)
                                                   : refuse(guard, heap);
    }
    const uint32_t granules = hs_granules_of(heap, total);
    const uint32_t block = hs_guard_candidate(heap, granules);
    if (block == 0 || block == HS_UNSOUND) {
        return block == 0 ? NULL : refuse(guard, heap);
    }
    return fill ? take_filled(guard, block, granules, total) : hs_heap_malloc(heap, total);
}
#endif

void *hs_guard_take(hs_guard_t *guard, uint32_t total)
{
#if HS_GUARD
    if (hs_has_links(guard->config)) {
        return take_checked(guard, total, hs_has_fill(guard->config));
    }
#endif
    return hs_heap_malloc(guard->heap, total);
}

#if HS_GUARD
static HS_RARE void *malloc_marked(hs_guard_t *guard, size_t size, hs_tag_t tag)
{
    const hs_plan_t plan = hs_plain_plan(guard, size);
    if (plan.total == 0 || !hs_begin(guard)) {
        return NULL;
    }
    void *const raw = take_checked(guard, plan.total, hs_has_fill(guard->config));
    return raw != NULL ? hand_out_marked(guard, (uintptr_t)raw, &plan, 0, tag) : NULL;
}
#endif

void *hs_guard_malloc(hs_guard_t *guard, size_t size, hs_tag_t tag)
{
    const hs_guard_config_t *const config = guard->config;
#if HS_GUARD
    if (hs_has_canaries(config)) {
        return malloc_marked(guard, size, tag);
    }
#endif
    const bool tagged = config->owners || config->sites;
    if (!hs_has_links(config) && !tagged) {
        return hs_heap_malloc(guard->heap, size);
    }
    if (size - 1 >= HS_WIDE_MAX || !hs_can_begin(guard)) {
        return NULL;
    }
    const uint32_t total = (uint32_t)size + hs_tail_of(config);
#if HS_GUARD
    void *const block = hs_has_links(config) ? take_checked(guard, total, false)
                                             : hs_heap_malloc(guard->heap, total);
#else
    void *const block = hs_heap_malloc(guard->heap, total);
#endif
    if (block != NULL && tagged) {
        const uintptr_t at = (uintptr_t)block;
        hs_write_tag(config, at + hs_whole_of(guard->heap, at, total), tag);
    }
    return block;
}

void *hs_guard_calloc(hs_guard_t *guard, size_t count, size_t size, hs_tag_t tag)
{
    if (count > HS_WIDE_MAX || size > HS_WIDE_MAX || (uint64_t)count * size > HS_WIDE_MAX) {
        return NULL;
    }
    const hs_plan_t plan = hs_plain_plan(guard, count * size);
    if (plan.total == 0 || !hs_begin(guard)) {
        return NULL;
    }
    void *const raw = hs_guard_take(guard, plan.total);
    if (raw == NULL) {
        return NULL;
    }
    hs_word_t *const payload = hs_word_at((uintptr_t)raw + plan.head);
    hs_zero(payload, payload + (plan.size + 3) / 4);
    return hs_guard_hand_out(guard, raw, &plan, plan.size, tag);
}

#if HS_GUARD
/* Does the block that the heap gave for an aligned request hold the pattern of free memory? The words
 * that the heap has since made its own are not looked at: the first three of the free block behind
 * it, the last one of the free block before it. */
static bool was_untouched(const hs_guard_t *guard, uintptr_t raw)
{
    const hs_heap_t *const heap = guard->heap;
    const uint32_t at = hs_index_of(heap, raw);
    const uint32_t whole = (uint32_t)hs_heap_usable_size(heap, (const void *)raw);
    const uint32_t own = hs_bit(hs_bitmap(heap), at - 1) != 0 ? 0 : 4 * HS_OWN_WORDS;
    const uint32_t footer = hs_is_free_at(heap, at + whole / HS_GRANULE) ? 0 : 4;
    const void *const wrong = hs_guard_wrong_fill(raw + own, raw + whole - footer);
    return wrong == NULL || hs_guard_report(guard, HS_FAULT_FREE, NULL, wrong);
}
#endif

/* Calls hs_heap_aligned_alloc with the checks of the level. */
static void *take_aligned(hs_guard_t *guard, size_t alignment, const hs_plan_t *plan, size_t offset)
{
    hs_heap_t *const heap = guard->heap;
#if HS_GUARD
    if (hs_has_links(guard->config)) {
        if (alignment <= hs_unit_of(heap) &&
            (hs_has_canaries(guard->config) || alignment <= hs_alignment(heap, plan->total))) {
            return hs_guard_take(guard, plan->total);
        }
        if (!hs_guard_can_align(heap, hs_granules_of(heap, plan->total), (uint32_t)alignment)) {
            return refuse(guard, heap);
        }
    }
#endif
    void *const raw = hs_heap_aligned_alloc(heap, alignment, plan->total, plan->head + offset);
#if HS_GUARD
    if (raw != NULL && hs_has_fill(guard->config) && !was_untouched(guard, (uintptr_t)raw)) {
        return set_aside(guard, raw, plan->total);
    }
#endif
    return raw;
}

void *hs_guard_aligned_alloc(hs_guard_t *guard, size_t alignment, size_t size, size_t offset,
                             hs_tag_t tag)
{
    const hs_plan_t plan = hs_guard_plan(guard, alignment, size, offset);
    if (plan.total == 0 || !hs_begin(guard)) {
        return NULL;
    }
    return hs_guard_hand_out(guard, take_aligned(guard, alignment, &plan, offset), &plan, 0, tag);
}

/* ---- giving back ------------------------------------------------------------------------------ */

/* Reports a call that the heap refuses. */
static hs_status_t refused(const hs_guard_t *guard, hs_status_t status, const void *payload)
{
    if (status != HS_OK) {
        const bool damaged = status == HS_ERR_CORRUPT;
        (void)hs_guard_report(guard, damaged ? HS_FAULT_METADATA : HS_FAULT_NOT_A_BLOCK, NULL,
                              payload);
    }
    return status;
}

hs_status_t hs_guard_open_block(hs_guard_t *guard, const void *payload, hs_guarded_t *block,
                                hs_around_t *around)
{
#if HS_GUARD
    if (hs_has_links(guard->config)) {
        const uintptr_t raw = hs_raw_of(guard, payload);
        const uint32_t whole = hs_guard_look_around(guard->heap, raw, around);
        const uint32_t head = (uint32_t)((uintptr_t)payload - raw);
        if (whole != 0 && hs_guard_has_sound_marks(guard, raw, whole, head, block)) {
            return HS_OK;
        }
    }
#else
    (void)around;
#endif
    const hs_status_t status = hs_guard_find_block(guard, payload, block);
    if (status != HS_OK) {
        return refused(guard, status, payload);
    }
    bool wrong;
    return !hs_has_canaries(guard->config) || hs_guard_examine(guard, block, &wrong)
               ? HS_OK
               : HS_ERR_CORRUPT;
}

hs_status_t hs_guard_give_back(hs_guard_t *guard, const hs_guarded_t *block,
                               const hs_around_t *around)
{
    hs_heap_t *const heap = guard->heap;
    hs_status_t status = HS_ERR_CORRUPT;
    HS_ASSERT(block->head + block->size <= block->whole);
#if HS_GUARD
    if (around->sound) {
        status = hs_heap_free(heap, (void *)block->raw);
    }
    if (status == HS_OK && hs_has_fill(guard->config)) { /* the memory that becomes free */
        hs_guard_fill_free(heap, around->at - around->before, block->raw - 4,
                           block->raw + block->whole + 4 * HS_OWN_WORDS);
    }
#else
    (void)around;
    status = hs_heap_free(heap, (void *)block->raw);
#endif
    return refused(guard, status, hs_payload(block));
}

hs_status_t hs_guard_free(hs_guard_t *guard, void *block)
{
    if (block == NULL) {
        return HS_OK;
    }
    if (!hs_begin(guard)) {
        return HS_ERR_CORRUPT;
    }
#if HS_GUARD
    if (hs_has_canaries(guard->config)) {
        hs_guarded_t match;
        hs_around_t around;
        const hs_status_t status = hs_guard_open_block(guard, block, &match, &around);
        return status == HS_OK ? hs_guard_give_back(guard, &match, &around) : status;
    }
    hs_around_t around; /* an address that is not a block is refused by the heap itself */
    if (hs_has_links(guard->config) &&
        hs_guard_look_around(guard->heap, (uintptr_t)block, &around) != 0 && !around.sound) {
        return refused(guard, HS_ERR_CORRUPT, block);
    }
#endif
    return refused(guard, hs_heap_free(guard->heap, block), block);
}

#endif
