/*
 * The linker's option --wrap sends the calls here. The memory is that of Zephyr's system heap, so that
 * CONFIG_HEAP_MEM_POOL_SIZE keeps its meaning: at the first request, its largest free block is taken and
 * becomes a heap of ours. A block of another k_heap, which a thread has as its resource pool, stays
 * Zephyr's, and k_free() knows it by its address.
 *
 * Contracts of Zephyr that hold here, too (kernel/mempool.c): no call waits, each may come from an
 * interrupt, size 0 gives a block of its own, and k_realloc() to size 0 frees.
 */
#include <stddef.h>
#include <stdint.h>

#include <zephyr/kernel.h>

#include "arenas.h"
#include "heapscope/port.h"
#include "heapscope_zephyr.h"

extern struct k_heap _system_heap;

void *__real_k_realloc(void *block, size_t size) __attribute__((weak)); /* not in every release */
void __real_k_free(void *block);
void *__real_z_thread_aligned_alloc(size_t alignment, size_t size);

void *__wrap_k_malloc(size_t size);
void *__wrap_k_calloc(size_t count, size_t size);
void *__wrap_k_realloc(void *block, size_t size);
void *__wrap_k_aligned_alloc(size_t alignment, size_t size);
void __wrap_k_free(void *block);
void *__wrap_z_thread_aligned_alloc(size_t alignment, size_t size);
void *__wrap_z_thread_malloc(size_t size);

/* Zephyr promises the alignment of a pointer. Where that is 4, blocks of up to 4 bytes may have it. */
static hs_arenas_t arenas = {.alignment = 8, .weak = sizeof(void *) <= 4};

__attribute__((weak)) void hs_k_malloc_refused(void *block)
{
    (void)block;
}

/* The largest block of the system heap: a search by halves, as nothing tells its size. */
static void take_system_heap(void)
{
    size_t least = 0;
    size_t most = _system_heap.heap.init_bytes;
    while (most - least > 8) {
        const size_t middle = least + (most - least) / 2;
        void *const block = k_heap_alloc(&_system_heap, middle, K_NO_WAIT);
        if (block == NULL) {
            most = middle;
        } else {
            k_heap_free(&_system_heap, block);
            least = middle;
        }
    }
    void *const block = k_heap_alloc(&_system_heap, least, K_NO_WAIT);
    if (block != NULL && hs_arenas_add(&arenas, block, least) != HS_OK) {
        k_heap_free(&_system_heap, block); /* too small for a heap */
    }
}

/* Into the heap. The memory is taken when it is first asked for, before any interrupt can be in here. */
static bool enter(void)
{
    if (!hs_port_enter()) {
        return false;
    }
    if (arenas.count == 0) {
        take_system_heap();
    }
    return true;
}

/* An arena never moves nor goes away once it is there, so no lock is needed. */
static bool is_ours(const void *block)
{
    return arenas.count != 0 && (uintptr_t)block - arenas.arena[0].start < arenas.arena[0].size;
}

void *__wrap_k_aligned_alloc(size_t alignment, size_t size)
{
    void *block = NULL;
    size += size == 0;
    if (enter()) {
        block = hs_arenas_aligned_alloc(&arenas, alignment, size);
        hs_port_leave();
    }
    return block;
}

void *__wrap_k_malloc(size_t size)
{
    void *block = NULL;
    size += size == 0;
    if (enter()) {
        block = hs_arenas_malloc(&arenas, size);
        hs_port_leave();
    }
    return block;
}

/* The block is cleared outside the lock, as it is the caller's already. */
void *__wrap_k_calloc(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) {
        return NULL;
    }
    uint8_t *const block = __wrap_k_malloc(count * size);
    for (size_t i = 0; block != NULL && i < count * size; i++) {
        block[i] = 0;
    }
    return block;
}

void __wrap_k_free(void *block)
{
    if (block == NULL) {
        return;
    }
    if (!is_ours(block)) {
        __real_k_free(block);
        return;
    }
    hs_status_t status = HS_ERR_ARGUMENT;
    if (enter()) {
        status = hs_arenas_free(&arenas, block);
        hs_port_leave();
    }
    if (status != HS_OK) {
        hs_k_malloc_refused(block);
    }
}

void *__wrap_k_realloc(void *block, size_t size)
{
    if (block == NULL) {
        return __wrap_k_malloc(size);
    }
    if (size == 0) {
        __wrap_k_free(block);
        return NULL;
    }
    if (!is_ours(block)) {
        return __real_k_realloc != NULL ? __real_k_realloc(block, size) : NULL;
    }
    void *moved = NULL;
    bool is_block = true;
    if (enter()) {
        is_block = hs_arenas_usable_size(&arenas, block) != 0;
        moved = is_block ? hs_arenas_realloc(&arenas, block, size) : NULL;
        hs_port_leave();
    }
    if (!is_block) {
        hs_k_malloc_refused(block);
    }
    return moved;
}

/* Zephyr allocates for a thread from the thread's pool, and in an interrupt from the system heap. */
static bool is_for_system_heap(void)
{
    return k_is_in_isr() || k_current_get()->resource_pool == &_system_heap;
}

void *__wrap_z_thread_aligned_alloc(size_t alignment, size_t size)
{
    if (!is_for_system_heap()) {
        return __real_z_thread_aligned_alloc(alignment, size);
    }
    return alignment == 0 ? __wrap_k_malloc(size) : __wrap_k_aligned_alloc(alignment, size);
}

/* Older releases have it in a header and call the other one; its alignment is 0. */
void *__wrap_z_thread_malloc(size_t size)
{
    return __wrap_z_thread_aligned_alloc(0, size);
}

/* ---- beyond k_malloc -------------------------------------------------------------------------- */

size_t hs_k_malloc_free_size(void)
{
    size_t size = 0;
    if (enter()) {
        size = hs_arenas_free_size(&arenas);
        hs_port_leave();
    }
    return size;
}

size_t hs_k_malloc_minimum_free(void)
{
    size_t size = 0;
    if (enter()) {
        size = arenas.minimum;
        hs_port_leave();
    }
    return size;
}

size_t hs_k_malloc_largest(void)
{
    size_t size = 0;
    if (enter()) {
        size = hs_arenas_largest(&arenas);
        hs_port_leave();
    }
    return size;
}

hs_status_t hs_k_malloc_check(const void **where)
{
    hs_status_t status = HS_OK;
    if (enter()) {
        status = hs_arenas_check(&arenas, where);
        hs_port_leave();
    }
    return status;
}
