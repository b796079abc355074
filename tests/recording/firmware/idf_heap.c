/* ESP-IDF's heap as it is on a host: other names for the C library's. */
#include <stdint.h>
#include <stdlib.h>

void *heap_caps_malloc(size_t size, uint32_t caps)
{
    (void)caps;
    return malloc(size);
}

void *heap_caps_malloc_prefer(size_t size, size_t count, ...)
{
    (void)count;
    return heap_caps_malloc(size, 0); /* an inner call, in the same file */
}

void *heap_caps_realloc(void *block, size_t size, uint32_t caps)
{
    (void)caps;
    return realloc(block, size);
}

void heap_caps_free(void *block)
{
    free(block);
}
