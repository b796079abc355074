/* multi_heap.h: a guard and its heap on one region. */
#include "handle.h"

static const hs_tag_t nobody = {HS_OWNER_NONE, NULL};

/* ---- life ------------------------------------------------------------------------------------- */

multi_heap_handle_t multi_heap_register(void *start, size_t size)
{
    const uintptr_t first = (uintptr_t)start;
    const uintptr_t aligned = (first + sizeof(void *) - 1) & ~(uintptr_t)(sizeof(void *) - 1);
    const size_t taken = (size_t)(aligned - first) + sizeof(struct multi_heap_info);
    if (start == NULL || size <= taken) {
        return NULL;
    }
    const multi_heap_handle_t heap = (multi_heap_handle_t)aligned;
    const hs_heap_config_t config = {HS_FORM_AUTO, HEAPSCOPE_ESP_LEVEL == HS_GUARD_LINKS ? 4 : 8};
    hs_heap_t *const built = hs_heap_create(heap + 1, size - taken, &config);
    if (built == NULL || hs_guard_init(&heap->guard, built, &heapscope_esp_guard) != HS_OK) {
        return NULL;
    }
    heap->lock = NULL;
    heap->total = hs_heap_free_size(built);
    return heap;
}

void multi_heap_set_lock(multi_heap_handle_t heap, void *lock)
{
    heap->lock = lock;
}

/* ---- blocks ----------------------------------------------------------------------------------- */

/*
 * Where a byte inside of a block is to be aligned to more than the blocks themselves, the block's user
 * begins half a granule into it. The word before says so; an overwritten one makes the address that
 * of no block.
 */
#define HALF 4u

static uint32_t half_mark(const void *block)
{
    return (uint32_t)(uintptr_t)block ^ 0x48A1F0E5u;
}

/* The heap's block behind an address that a user has. */
static void *block_of(const hs_guard_t *guard, void *p)
{
    if ((uintptr_t)p % 8 == HALF && hs_guard_usable_size(guard, p) == 0) {
        uint32_t *const mark = (uint32_t *)p - 1;
        if (hs_guard_usable_size(guard, mark) > HALF && *mark == half_mark(mark)) {
            return mark;
        }
    }
    return p;
}

static void *take(multi_heap_handle_t heap, size_t alignment, size_t size, size_t offset)
{
    esp_lock(heap);
    void *const block = alignment <= sizeof(void *) && offset == 0
                            ? hs_guard_malloc(&heap->guard, size, nobody)
                            : hs_guard_aligned_alloc(&heap->guard, alignment, size, offset, nobody);
    esp_unlock(heap);
    return block;
}

void *multi_heap_malloc(multi_heap_handle_t heap, size_t size)
{
    return heap == NULL ? NULL : take(heap, 1, heapscope_esp_size(size), 0);
}

void *multi_heap_aligned_alloc_offs(multi_heap_handle_t heap, size_t size, size_t alignment,
                                    size_t offset)
{
    if (heap == NULL || size == 0 || offset > size || alignment == 0 ||
        (alignment & (alignment - 1)) != 0) {
        return NULL;
    }
    const size_t whole = heapscope_esp_size(size);
    if (alignment < 8 || offset % 8 != HALF) {
        return take(heap, alignment, whole, offset);
    }
    uint32_t *const mark =
        whole > SIZE_MAX - HALF ? NULL : take(heap, alignment, whole + HALF, offset + HALF);
    if (mark == NULL) {
        return NULL;
    }
    *mark = half_mark(mark);
    return mark + 1;
}

void *multi_heap_aligned_alloc(multi_heap_handle_t heap, size_t size, size_t alignment)
{
    return multi_heap_aligned_alloc_offs(heap, size, alignment, 0);
}

void multi_heap_free(multi_heap_handle_t heap, void *p)
{
    if (heap == NULL || p == NULL) {
        return;
    }
    esp_lock(heap);
    const hs_status_t status = hs_guard_free(&heap->guard, block_of(&heap->guard, p));
    esp_unlock(heap);
    heapscope_esp_refused(status, p);
}

void multi_heap_aligned_free(multi_heap_handle_t heap, void *p)
{
    multi_heap_free(heap, p);
}

/* A block whose user begins half a granule into it becomes an ordinary one. */
static void *move_half(hs_guard_t *guard, uint32_t *mark, size_t size)
{
    const size_t before = hs_guard_usable_size(guard, mark) - HALF;
    uint32_t *const moved = hs_guard_malloc(guard, size, nobody);
    if (moved != NULL) {
        const size_t words = (before < size ? before : size) / 4;
        for (size_t i = 0; i < words; i++) {
            moved[i] = mark[1 + i];
        }
        hs_guard_free(guard, mark);
    }
    return moved;
}

void *multi_heap_realloc(multi_heap_handle_t heap, void *p, size_t size)
{
    if (heap == NULL || p == NULL) {
        return multi_heap_malloc(heap, size);
    }
    if (size == 0) {
        multi_heap_free(heap, p);
        return NULL;
    }
    const size_t whole = heapscope_esp_size(size);
    esp_lock(heap);
    void *const block = block_of(&heap->guard, p);
    void *const moved = block == p ? hs_guard_realloc(&heap->guard, p, whole, nobody)
                                   : move_half(&heap->guard, block, whole);
    const bool refused = moved == NULL && hs_guard_usable_size(&heap->guard, block) == 0;
    esp_unlock(heap);
    heapscope_esp_refused(refused ? HS_ERR_ARGUMENT : HS_OK, p);
    return moved;
}

/* ---- questions -------------------------------------------------------------------------------- */

size_t multi_heap_get_allocated_size(multi_heap_handle_t heap, void *p)
{
    esp_lock(heap);
    void *const block = block_of(&heap->guard, p);
    const size_t size = hs_guard_usable_size(&heap->guard, block) - (block == p ? 0 : HALF);
    esp_unlock(heap);
    return size;
}

size_t multi_heap_get_full_block_size(multi_heap_handle_t heap, void *p)
{
    esp_lock(heap);
    const size_t size = hs_guard_full_size(&heap->guard, block_of(&heap->guard, p));
    esp_unlock(heap);
    return size;
}

void *multi_heap_find_containing_block(multi_heap_handle_t heap, void *ptr)
{
    esp_lock(heap);
    uint32_t *block = hs_guard_containing_block(&heap->guard, ptr);
    if (block != NULL && hs_guard_usable_size(&heap->guard, block) > HALF &&
        *block == half_mark(block) && ptr != block) {
        block++;
    }
    esp_unlock(heap);
    if (block == NULL) {
        heapscope_esp_not_a_block(ptr);
    }
    return block;
}

size_t multi_heap_free_size(multi_heap_handle_t heap)
{
    if (heap == NULL) {
        return 0;
    }
    esp_lock(heap);
    const size_t free = hs_heap_free_size(heap->guard.heap);
    esp_unlock(heap);
    return esp_free_of(heap, free);
}

size_t multi_heap_minimum_free_size(multi_heap_handle_t heap)
{
    if (heap == NULL) {
        return 0;
    }
    esp_lock(heap);
    const size_t free = hs_heap_minimum_free(heap->guard.heap);
    esp_unlock(heap);
    return esp_free_of(heap, free);
}

size_t multi_heap_reset_minimum_free_bytes(multi_heap_handle_t heap)
{
    esp_lock(heap);
    const size_t free = hs_heap_reset_minimum(heap->guard.heap);
    esp_unlock(heap);
    return esp_free_of(heap, free);
}

void multi_heap_restore_minimum_free_bytes(multi_heap_handle_t heap,
                                           const size_t new_minimum_free_bytes_value)
{
    esp_lock(heap);
    hs_heap_restore_minimum(heap->guard.heap, esp_counted_of(heap, new_minimum_free_bytes_value));
    esp_unlock(heap);
}

static bool count(void *context, void *block, size_t size, bool used, hs_tag_t tag)
{
    multi_heap_info_t *const info = context;
    (void)block;
    (void)tag;
    info->total_allocated_bytes += used ? size : 0;
    info->allocated_blocks += used ? 1 : 0;
    info->free_blocks += used ? 0 : 1;
    return true;
}

void heapscope_esp_count(const hs_guard_t *guard, multi_heap_info_t *info)
{
    hs_guard_walk(guard, count, info);
}

void multi_heap_get_info(multi_heap_handle_t heap, multi_heap_info_t *info)
{
    *info = (multi_heap_info_t){0};
    if (heap == NULL) {
        return;
    }
    esp_lock(heap);
    const hs_heap_t *const blocks = heap->guard.heap;
    heapscope_esp_count(&heap->guard, info);
    info->total_free_bytes = esp_free_of(heap, hs_heap_free_size(blocks));
    info->minimum_free_bytes = esp_free_of(heap, hs_heap_minimum_free(blocks));
    info->largest_free_block = hs_guard_largest(&heap->guard) & ~(size_t)3;
    info->total_blocks = info->allocated_blocks + info->free_blocks;
    esp_unlock(heap);
}

typedef struct esp_walk {
    multi_heap_walker_cb_t walker;
    void *user_data;
} esp_walk_t;

static bool visit(void *context, void *block, size_t size, bool used, hs_tag_t tag)
{
    const esp_walk_t *const walk = context;
    const size_t head = used ? HEAPSCOPE_ESP_HEAD : 0;
    (void)tag;
    return walk->walker((uint8_t *)block - head, size + head + (used ? HEAPSCOPE_ESP_TAIL : 0),
                        used, walk->user_data);
}

void multi_heap_walk(multi_heap_handle_t heap, multi_heap_walker_cb_t walker_func, void *user_data)
{
    esp_walk_t walk = {walker_func, user_data};
    esp_lock(heap);
    hs_guard_walk(&heap->guard, visit, &walk);
    esp_unlock(heap);
}
