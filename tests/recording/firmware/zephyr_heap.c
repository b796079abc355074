#include <stddef.h>

static _Alignas(64) unsigned char memory[65536];
static size_t used;

void *sys_heap_aligned_alloc(void *heap, size_t align, size_t size)
{
    (void)heap;
    align &= ~(sizeof(void *) - 1); /* the lowest bit asks for something else */
    const size_t from = (used + align - 1) / align * align;
    if (size > sizeof memory - from) {
        return NULL;
    }
    used = from + size;
    return memory + from;
}

void sys_heap_free(void *heap, void *block)
{
    (void)heap;
    (void)block;
}
