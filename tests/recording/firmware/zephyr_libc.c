/* malloc of Zephyr's own C library: a heap of its own, behind the names of a host's. */
#include <stddef.h>

void *sys_heap_aligned_alloc(void *heap, size_t align, size_t size);
void sys_heap_free(void *heap, void *block);

static char z_malloc_heap[16];

void *malloc(size_t size)
{
    return sys_heap_aligned_alloc(z_malloc_heap, _Alignof(max_align_t), size);
}

void free(void *block)
{
    sys_heap_free(z_malloc_heap, block);
}
