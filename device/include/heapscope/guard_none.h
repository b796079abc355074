/* The guard left out: each call is the heap's. Included by guard.h, where HS_GUARD and HS_OWNERS are
 * 0. */
#ifndef HEAPSCOPE_GUARD_NONE_H
#define HEAPSCOPE_GUARD_NONE_H

#include "heapscope/guard.h"

typedef struct hs_guard {
    hs_heap_t *heap;
} hs_guard_t;

static inline hs_status_t hs_guard_init(hs_guard_t *guard, hs_heap_t *heap,
                                        const hs_guard_config_t *config)
{
    (void)config;
    guard->heap = heap;
    return heap != NULL ? HS_OK : HS_ERR_ARGUMENT;
}

static inline void *hs_guard_malloc(hs_guard_t *guard, size_t size, hs_tag_t tag)
{
    (void)tag;
    return hs_heap_malloc(guard->heap, size);
}

static inline void *hs_guard_calloc(hs_guard_t *guard, size_t count, size_t size, hs_tag_t tag)
{
    (void)tag;
    return hs_heap_calloc(guard->heap, count, size);
}

static inline void *hs_guard_aligned_alloc(hs_guard_t *guard, size_t alignment, size_t size,
                                           size_t offset, hs_tag_t tag)
{
    (void)tag;
    return hs_heap_aligned_alloc(guard->heap, alignment, size, offset);
}

static inline void *hs_guard_realloc(hs_guard_t *guard, void *block, size_t size, hs_tag_t tag)
{
    (void)tag;
    return hs_heap_realloc(guard->heap, block, size);
}

static inline void *hs_guard_resize(hs_guard_t *guard, void *block, size_t size, hs_tag_t tag,
                                    bool *moved)
{
    (void)tag;
    *moved = hs_heap_moves(guard->heap, block, size);
    return *moved ? hs_heap_malloc(guard->heap, size) : hs_heap_realloc(guard->heap, block, size);
}

static inline hs_status_t hs_guard_free(hs_guard_t *guard, void *block)
{
    return hs_heap_free(guard->heap, block);
}

static inline size_t hs_guard_usable_size(const hs_guard_t *guard, const void *block)
{
    return hs_heap_usable_size(guard->heap, block);
}

static inline size_t hs_guard_full_size(const hs_guard_t *guard, const void *block)
{
    return hs_heap_full_size(guard->heap, block);
}

static inline void *hs_guard_containing_block(const hs_guard_t *guard, const void *address)
{
    return hs_heap_containing_block(guard->heap, address);
}

static inline hs_tag_t hs_guard_tag(const hs_guard_t *guard, const void *block)
{
    const hs_tag_t none = {HS_OWNER_NONE, NULL};
    (void)guard, (void)block;
    return none;
}

static inline bool hs_guard_fits(const hs_guard_t *guard, size_t alignment, size_t size,
                                 size_t offset)
{
    return hs_heap_fits(guard->heap, alignment, size, offset);
}

static inline size_t hs_guard_largest(const hs_guard_t *guard)
{
    return hs_heap_largest(guard->heap);
}

typedef struct hs_guard_visitor {
    hs_guard_visit_t visit;
    void *context;
} hs_guard_visitor_t;

static inline bool hs_guard_visit_untagged(void *context, void *block, size_t size, bool used)
{
    const hs_guard_visitor_t *visitor = (const hs_guard_visitor_t *)context;
    const hs_tag_t none = {HS_OWNER_NONE, NULL};
    return visitor->visit(visitor->context, block, size, used, none);
}

static inline void hs_guard_walk(const hs_guard_t *guard, hs_guard_visit_t visit, void *context)
{
    hs_guard_visitor_t visitor = {visit, context};
    hs_heap_walk(guard->heap, hs_guard_visit_untagged, &visitor);
}

static inline hs_status_t hs_guard_check(hs_guard_t *guard)
{
    return hs_heap_check(guard->heap, NULL);
}

static inline hs_status_t hs_guard_check_block(hs_guard_t *guard, const void *block)
{
    return hs_heap_check_block(guard->heap, block);
}

#endif
