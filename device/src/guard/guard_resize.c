/* realloc: in place where the heap can, with marks and patterns as after a malloc and a free. */
#include "operations.h"

#if HS_GUARD || HS_OWNERS

#if HS_GUARD
static void *refuse(const hs_guard_t *guard, const hs_guarded_t *block)
{
    (void)hs_guard_report(guard, HS_FAULT_METADATA, NULL, hs_payload(block));
    return NULL;
}

/* Is the free memory at `block` untouched that a used one grows into, with what will be the heap's own
 * of the rest? */
static bool is_untouched(const hs_guard_t *guard, uint32_t block, uint32_t granules)
{
    if (!hs_has_fill(guard->config)) {
        return true;
    }
    const void *const wrong = hs_guard_wrong_free(guard->heap, block, 2 * granules + HS_OWN_WORDS);
    return wrong == NULL || hs_guard_report(guard, HS_FAULT_FREE, NULL, wrong);
}

/* Moves the block, as malloc, copy and free would. */
static void *move(hs_guard_t *guard, const hs_guarded_t *block, hs_around_t *around,
                  const hs_plan_t *plan, hs_tag_t tag)
{
    void *const raw = hs_guard_take(guard, plan->total);
    if (raw == NULL) {
        return NULL;
    }
    const uint32_t kept = block->size < plan->size ? block->size : plan->size;
    const hs_word_t *const from = hs_word_at(block->raw + block->head);
    volatile hs_word_t *const to = hs_word_at((uintptr_t)raw + plan->head);
    for (uint32_t i = 0; i < (kept + 3) / 4; i++) { /* bound: copied */
        to[i] = from[i];
    }
    void *const payload = hs_guard_hand_out(guard, raw, plan, kept, tag);
    /* The block's neighbours may have been taken meanwhile. */
    (void)hs_guard_look_around(guard->heap, block->raw, around);
    (void)hs_guard_give_back(guard, block, around);
    return payload;
}

static void *resize_checked(hs_guard_t *guard, const hs_guarded_t *block, hs_around_t *around,
                            const hs_plan_t *plan, hs_tag_t tag)
{
    hs_heap_t *const heap = guard->heap;
    if (!around->sound) {
        return refuse(guard, block);
    }
    if (hs_is_slot(heap, block->whole)) {
        if (plan->total > block->whole) {
            return move(guard, block, around, plan, tag);
        }
    } else {
        const uint32_t had = around->size;
        const uint32_t wanted = hs_granules_of(heap, plan->total);
        uint32_t whole = had + around->behind;
        if (wanted > whole + around->before) {
            return move(guard, block, around, plan, tag);
        }
        if (wanted > had && !is_untouched(guard, around->at + had, wanted - had)) {
            return NULL;
        }
        if (wanted > whole) {
            whole += around->before;
            if (!is_untouched(guard, around->at - around->before, wanted)) {
                return NULL;
            }
        }
        if (wanted < whole && !hs_guard_can_put(heap, around, whole - wanted)) {
            return refuse(guard, block);
        }
    }
    void *const raw = hs_heap_realloc(heap, (void *)block->raw, plan->total);
    if (raw == NULL) {
        return NULL; /* never reached: all that the heap follows was found sound */
    }
    const uint32_t kept = block->size < plan->size ? block->size : plan->size;
    void *const payload = hs_guard_hand_out(guard, raw, plan, kept, tag);
    if (hs_has_fill(guard->config)) {
        const uint32_t now = hs_whole_of(heap, (uintptr_t)raw, plan->total) / HS_GRANULE;
        hs_guard_fill_free(heap, hs_index_of(heap, (uintptr_t)raw) + now, block->raw - 4,
                           block->raw + block->whole + 4 * HS_OWN_WORDS);
    }
    return payload;
}
#endif

/* The block at `block`, sound, and what it is to become. False: refused. */
static bool prepare(hs_guard_t *guard, const void *block, size_t size, hs_guarded_t *match,
                    hs_around_t *around, hs_plan_t *plan)
{
    *plan = hs_plain_plan(guard, size);
    if (plan->total == 0 || !hs_begin(guard) ||
        hs_guard_open_block(guard, block, match, around) != HS_OK) {
        return false;
    }
    plan->total += match->head - plan->head; /* which stays as it is, also where the block moves */
    plan->head = match->head;
    return true;
}

static void *resize(hs_guard_t *guard, const hs_guarded_t *match, hs_around_t *around,
                    const hs_plan_t *plan, hs_tag_t tag)
{
#if HS_GUARD
    if (hs_has_links(guard->config)) {
        return resize_checked(guard, match, around, plan, tag);
    }
#else
    (void)around;
#endif
    void *const raw = hs_heap_realloc(guard->heap, (void *)match->raw, plan->total);
    return hs_guard_hand_out(guard, raw, plan, plan->size, tag);
}

void *hs_guard_realloc(hs_guard_t *guard, void *block, size_t size, hs_tag_t tag)
{
    if (block == NULL) {
        return hs_guard_malloc(guard, size, tag);
    }
    if (size == 0) {
        (void)hs_guard_free(guard, block);
        return NULL;
    }
    hs_guarded_t match;
    hs_around_t around;
    hs_plan_t plan;
    return prepare(guard, block, size, &match, &around, &plan)
               ? resize(guard, &match, &around, &plan, tag)
               : NULL;
}

#if HS_LOCKS
void *hs_guard_resize(hs_guard_t *guard, void *block, size_t size, hs_tag_t tag, bool *moved)
{
    hs_guarded_t match;
    hs_around_t around;
    hs_plan_t plan;
    *moved = false;
    if (!prepare(guard, block, size, &match, &around, &plan)) {
        return NULL;
    }
    const bool sound = !HS_GUARD || !hs_has_links(guard->config) || around.sound;
    if (!sound || !hs_heap_moves(guard->heap, (const void *)match.raw, plan.total)) {
        return resize(guard, &match, &around, &plan, tag);
    }
    *moved = true;
    const uint32_t kept = match.size < plan.size ? match.size : plan.size;
    return hs_guard_hand_out(guard, hs_guard_take(guard, plan.total), &plan, kept, tag);
}
#endif

#endif
