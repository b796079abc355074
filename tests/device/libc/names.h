/* The family's names in these programs, which keep the C library's too. */
#ifndef TESTS_DEVICE_LIBC_NAMES_H
#define TESTS_DEVICE_LIBC_NAMES_H

#include <stddef.h>

void *my_malloc(size_t size);
void *my_calloc(size_t count, size_t size);
void *my_realloc(void *block, size_t size);
void *my_reallocarray(void *block, size_t count, size_t size);
void my_free(void *block);
void *my_aligned_alloc(size_t alignment, size_t size);
void *my_memalign(size_t alignment, size_t size);
int my_posix_memalign(void **block, size_t alignment, size_t size);
size_t my_malloc_usable_size(void *block);

#endif
