/* A heap that tells listeners what Zephyr's tells: sizes that blocks hold, a free before it is done, and a
 * resize in place as an allocation and a free of the same address. */
#include <stdlib.h>
#include <string.h>

#include <zephyr/sys/heap_listener.h>
#include <zephyr/sys/sys_heap.h>

static struct heap_listener *allocated, *freed;

void heap_listener_register(struct heap_listener *listener)
{
    *(listener->event == HEAP_ALLOC ? &allocated : &freed) = listener;
}

static size_t *front_of(void *block)
{
    return (size_t *)block - 8;
}

size_t sys_heap_usable_size(struct sys_heap *heap, void *mem)
{
    (void)heap;
    return *front_of(mem);
}

static void tell(struct sys_heap *heap, void *block, size_t before, size_t after)
{
    if (allocated != NULL && after != 0) {
        allocated->alloc_cb((uintptr_t)heap, block, after);
    }
    if (freed != NULL && before != 0) {
        freed->free_cb((uintptr_t)heap, block, before);
    }
}

void *sys_heap_alloc(struct sys_heap *heap, size_t bytes)
{
    const size_t holds = (bytes + 7) & ~(size_t)7;
    size_t *const front =
        bytes < 1 << 20 ? aligned_alloc(64, 64 + ((holds + 63) & ~(size_t)63)) : NULL;
    if (front == NULL) {
        return NULL;
    }
    *front = holds;
    tell(heap, front + 8, 0, holds);
    return front + 8;
}

void *sys_heap_aligned_alloc(struct sys_heap *heap, size_t align, size_t bytes)
{
    return align <= 64 ? sys_heap_alloc(heap, bytes) : NULL;
}

void sys_heap_free(struct sys_heap *heap, void *mem)
{
    if (mem != NULL) {
        tell(heap, mem, *front_of(mem), 0);
        free(front_of(mem));
    }
}

void *sys_heap_aligned_realloc(struct sys_heap *heap, void *ptr, size_t align, size_t bytes)
{
    (void)align;
    const size_t holds = (bytes + 7) & ~(size_t)7;
    const size_t before = ptr != NULL ? *front_of(ptr) : 0;
    if (ptr != NULL && holds <= before) {
        *front_of(ptr) = holds;
        tell(heap, ptr, before, holds);
        return ptr;
    }
    void *const moved = sys_heap_alloc(heap, bytes);
    if (moved != NULL && ptr != NULL) {
        memcpy(moved, ptr, before);
        sys_heap_free(heap, ptr);
    }
    return moved;
}

#if !defined(sys_heap_realloc)
void *sys_heap_realloc(struct sys_heap *heap, void *ptr, size_t bytes)
{
    return sys_heap_aligned_realloc(heap, ptr, 0, bytes);
}
#endif
