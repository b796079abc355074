/* newlib's own functions call these, with the thread's reentrancy structure; its errno is in there.
 * Compiled to nothing elsewhere. */
#include "family.h"

#if HS_LIBC_NEWLIB
#include <errno.h>
#include <reent.h>

void *_malloc_r(struct _reent *thread, size_t size);
void *_calloc_r(struct _reent *thread, size_t count, size_t size);
void *_realloc_r(struct _reent *thread, void *block, size_t size);
void *_reallocf_r(struct _reent *thread, void *block, size_t size);
void *_memalign_r(struct _reent *thread, size_t alignment, size_t size);
void _free_r(struct _reent *thread, void *block);
void _cfree_r(struct _reent *thread, void *block);
size_t _malloc_usable_size_r(struct _reent *thread, void *block);

static void *with_errno(struct _reent *thread, void *block, hs_status_t status)
{
    if (status != HS_OK) {
        __errno_r(thread) = status == HS_ERR_ARGUMENT ? EINVAL : ENOMEM;
    }
    return block;
}

void *_malloc_r(struct _reent *thread, size_t size)
{
    hs_status_t status;
    void *const block = hs_libc_allocate(size, &status);
    return with_errno(thread, block, status);
}

void *_calloc_r(struct _reent *thread, size_t count, size_t size)
{
    hs_status_t status;
    void *const block = hs_libc_clear(count, size, &status);
    return with_errno(thread, block, status);
}

void *_realloc_r(struct _reent *thread, void *block, size_t size)
{
    hs_status_t status;
    void *const moved = hs_libc_resize(block, size, &status);
    return with_errno(thread, moved, status);
}

/* Frees the old block where there is no new one. */
void *_reallocf_r(struct _reent *thread, void *block, size_t size)
{
    void *const moved = _realloc_r(thread, block, size);
    if (moved == NULL && size != 0) {
        _free_r(thread, block);
    }
    return moved;
}

void *_memalign_r(struct _reent *thread, size_t alignment, size_t size)
{
    hs_status_t status;
    void *const block = hs_libc_align(alignment, size, &status);
    return with_errno(thread, block, status);
}

void _free_r(struct _reent *thread, void *block)
{
    (void)thread;
    if (block != NULL) {
        hs_libc_release(block);
    }
}

void _cfree_r(struct _reent *thread, void *block)
{
    _free_r(thread, block);
}

size_t _malloc_usable_size_r(struct _reent *thread, void *block)
{
    (void)thread;
    return hs_libc_usable(block);
}
#endif
