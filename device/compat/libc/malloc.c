/* The family under the names of the C library, with its errno. */
#include <errno.h>

#include "family.h"

void *HS_LIBC_NAME(malloc)(size_t size);
void *HS_LIBC_NAME(calloc)(size_t count, size_t size);
void *HS_LIBC_NAME(realloc)(void *block, size_t size);
void *HS_LIBC_NAME(reallocarray)(void *block, size_t count, size_t size);
void HS_LIBC_NAME(free)(void *block);
void *HS_LIBC_NAME(aligned_alloc)(size_t alignment, size_t size);
void *HS_LIBC_NAME(memalign)(size_t alignment, size_t size);
int HS_LIBC_NAME(posix_memalign)(void **block, size_t alignment, size_t size);
size_t HS_LIBC_NAME(malloc_usable_size)(void *block);

static void *with_errno(void *block, hs_status_t status)
{
    if (status != HS_OK) {
        errno = status == HS_ERR_ARGUMENT ? EINVAL : ENOMEM;
    }
    return block;
}

void *HS_LIBC_NAME(malloc)(size_t size)
{
    hs_status_t status;
    void *const block = hs_libc_allocate(size, &status);
    return with_errno(block, status);
}

void *HS_LIBC_NAME(calloc)(size_t count, size_t size)
{
    hs_status_t status;
    void *const block = hs_libc_clear(count, size, &status);
    return with_errno(block, status);
}

void *HS_LIBC_NAME(realloc)(void *block, size_t size)
{
    hs_status_t status;
    void *const moved = hs_libc_resize(block, size, &status);
    return with_errno(moved, status);
}

void *HS_LIBC_NAME(reallocarray)(void *block, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) {
        return with_errno(NULL, HS_ERR_MEMORY);
    }
    return HS_LIBC_NAME(realloc)(block, count * size);
}

void HS_LIBC_NAME(free)(void *block)
{
    if (block != NULL) {
        hs_libc_release(block);
    }
}

void *HS_LIBC_NAME(aligned_alloc)(size_t alignment, size_t size)
{
    hs_status_t status;
    void *const block = hs_libc_align(alignment, size, &status);
    return with_errno(block, status);
}

void *HS_LIBC_NAME(memalign)(size_t alignment, size_t size)
{
    return HS_LIBC_NAME(aligned_alloc)(alignment, size);
}

/* Says why in its result and leaves errno alone. */
int HS_LIBC_NAME(posix_memalign)(void **block, size_t alignment, size_t size)
{
    if (alignment % sizeof(void *) != 0) {
        return EINVAL;
    }
    hs_status_t status;
    const int before = errno; /* who is asked for more memory may set it */
    void *const built = hs_libc_align(alignment, size, &status);
    errno = before;
    if (status != HS_OK) {
        return status == HS_ERR_ARGUMENT ? EINVAL : ENOMEM;
    }
    *block = built;
    return 0;
}

size_t HS_LIBC_NAME(malloc_usable_size)(void *block)
{
    return hs_libc_usable(block);
}
