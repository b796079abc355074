/* Questions about blocks, and checks of all of them. */
#include "operations.h"

#if HS_GUARD || HS_OWNERS

hs_status_t hs_guard_find_block(const hs_guard_t *guard, const void *payload, hs_guarded_t *block)
{
    const hs_heap_t *const heap = guard->heap;
    if (!hs_is_open(guard)) {
        return HS_ERR_CORRUPT;
    }
    const uintptr_t raw = hs_raw_of(guard, payload);
    const uint32_t whole = (uint32_t)hs_heap_usable_size(heap, (const void *)raw);
    if (whole == 0) {
        return hs_heap_check_block(heap, (const void *)raw);
    }
    hs_guard_read_marks(guard, raw, whole, block);
    const uint32_t head = (uint32_t)((uintptr_t)payload - raw);
    if (head != block->head) {
        if (block->sound || head % 4 != 0 || head + HS_TRAILER >= whole) {
            return HS_ERR_ARGUMENT;
        }
        block->head = head;
        block->size = whole - head - HS_TRAILER;
    }
    return HS_OK;
}

static bool is_block(const hs_guard_t *guard, const void *payload, hs_guarded_t *block)
{
    return hs_guard_find_block(guard, payload, block) == HS_OK;
}

size_t hs_guard_usable_size(const hs_guard_t *guard, const void *block)
{
    hs_guarded_t match;
    return is_block(guard, block, &match) ? match.size : 0;
}

size_t hs_guard_full_size(const hs_guard_t *guard, const void *block)
{
    hs_guarded_t match;
    return is_block(guard, block, &match) ? hs_heap_full_size(guard->heap, (const void *)match.raw)
                                          : 0;
}

hs_tag_t hs_guard_tag(const hs_guard_t *guard, const void *block)
{
    hs_guarded_t match;
    if (!is_block(guard, block, &match)) {
        return (hs_tag_t){HS_OWNER_NONE, NULL};
    }
    return (hs_tag_t){match.owner, hs_read_site(guard, &match)};
}

void *hs_guard_containing_block(const hs_guard_t *guard, const void *address)
{
    const void *const raw =
        hs_is_open(guard) ? hs_heap_containing_block(guard->heap, address) : NULL;
    if (raw == NULL) {
        return NULL;
    }
    hs_guarded_t match;
    hs_guard_read_marks(guard, (uintptr_t)raw, (uint32_t)hs_heap_usable_size(guard->heap, raw),
                        &match);
    return hs_payload(&match);
}

bool hs_guard_fits(const hs_guard_t *guard, size_t alignment, size_t size, size_t offset)
{
    const hs_plan_t plan = hs_guard_plan(guard, alignment, size, offset);
    if (plan.total == 0 || !hs_is_open(guard)) {
        return false;
    }
    if (alignment <= hs_unit_of(guard->heap) && hs_has_canaries(guard->config)) {
        return hs_heap_fits(guard->heap, 1, plan.total, 0);
    }
    return hs_heap_fits(guard->heap, alignment, plan.total, plan.head + offset);
}

size_t hs_guard_largest(const hs_guard_t *guard)
{
    const size_t largest = hs_is_open(guard) ? hs_heap_largest(guard->heap) : 0;
    const size_t marks = hs_head_of(guard) + hs_tail_of(guard->config);
    return largest > marks ? largest - marks : 0;
}

/* ---- every block ------------------------------------------------------------------------------ */

typedef struct hs_guard_visitor {
    const hs_guard_t *guard;
    hs_guard_visit_t visit;
    void *context;
} hs_guard_visitor_t;

static bool visit_block(void *context, void *block, size_t size, bool used)
{
    const hs_guard_visitor_t *const visitor = context;
    if (!used) {
        return visitor->visit(visitor->context, block, size, false,
                              (hs_tag_t){HS_OWNER_NONE, NULL});
    }
    hs_guarded_t match;
    hs_guard_read_marks(visitor->guard, (uintptr_t)block, (uint32_t)size, &match);
    const hs_tag_t tag = {match.owner, hs_read_site(visitor->guard, &match)};
    return visitor->visit(visitor->context, hs_payload(&match), match.size, true, tag);
}

void hs_guard_walk(const hs_guard_t *guard, hs_guard_visit_t visit, void *context)
{
    hs_guard_visitor_t visitor = {guard, visit, context};
    if (hs_is_open(guard)) {
        hs_heap_walk(guard->heap, visit_block, &visitor);
    }
}

typedef struct hs_guard_checker {
    hs_guard_t *guard;
    bool wrong;
} hs_guard_checker_t;

static bool check_one(void *context, void *block, size_t size, bool used)
{
    hs_guard_checker_t *const checker = context;
    hs_guard_t *const guard = checker->guard;
    bool wrong = false;
    if (used) {
        hs_guarded_t match;
        hs_guard_read_marks(guard, (uintptr_t)block, (uint32_t)size, &match);
        (void)hs_guard_examine(guard, &match, &wrong);
    }
#if HS_GUARD
    if (!used && hs_has_fill(guard->config)) {
        const void *const at = hs_guard_wrong_free(
            guard->heap, hs_index_of(guard->heap, (uintptr_t)block), UINT32_MAX);
        if (at != NULL) {
            wrong = true;
            (void)hs_guard_report(guard, HS_FAULT_FREE, NULL, at);
        }
    }
#endif
    checker->wrong = checker->wrong || wrong;
    return true;
}

hs_status_t hs_guard_check(hs_guard_t *guard)
{
    const void *where = NULL;
    if (hs_heap_check(guard->heap, &where) != HS_OK) {
        (void)hs_guard_report(guard, HS_FAULT_METADATA, NULL, where);
        return HS_ERR_CORRUPT;
    }
    hs_guard_checker_t checker = {guard, false};
    if (hs_has_canaries(guard->config)) {
        hs_heap_walk(guard->heap, check_one, &checker);
    }
    return checker.wrong ? HS_ERR_CORRUPT : HS_OK;
}

hs_status_t hs_guard_check_block(hs_guard_t *guard, const void *block)
{
    hs_guarded_t match;
    hs_status_t status = hs_guard_find_block(guard, block, &match);
    if (status == HS_OK) {
        status = hs_heap_check_block(guard->heap, (const void *)match.raw);
    }
    bool wrong = false;
    if (status == HS_ERR_CORRUPT) {
        (void)hs_guard_report(guard, HS_FAULT_METADATA, NULL, block);
    } else if (status == HS_OK && hs_has_canaries(guard->config)) {
        (void)hs_guard_examine(guard, &match, &wrong);
    }
    return wrong ? HS_ERR_CORRUPT : status;
}

#endif
