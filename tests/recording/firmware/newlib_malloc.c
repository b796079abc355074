/* newlib's malloc and its kin, which hand on to the calls with a structure. */
#include <stddef.h>

struct _reent {
    int _errno;
};

struct _reent *_impure_ptr = &(struct _reent){0};

void *_malloc_r(struct _reent *own, size_t size);
void *_calloc_r(struct _reent *own, size_t count, size_t each);
void *_realloc_r(struct _reent *own, void *block, size_t size);
void _free_r(struct _reent *own, void *block);

void *malloc(size_t size)
{
    return _malloc_r(_impure_ptr, size);
}

void *calloc(size_t count, size_t each)
{
    return _calloc_r(_impure_ptr, count, each);
}

void *realloc(void *block, size_t size)
{
    return _realloc_r(_impure_ptr, block, size);
}

void free(void *block)
{
    _free_r(_impure_ptr, block);
}
