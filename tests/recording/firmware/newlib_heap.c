/* newlib's heap: each call has the thread's structure first, and the library's own calls go here. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct _reent {
    int _errno;
};

static _Alignas(64) unsigned char memory[1 << 20];
static size_t used;

void *_memalign_r(struct _reent *own, size_t align, size_t size)
{
    const size_t from = (used + 16 + align - 1) / align * align;
    if (from > sizeof memory || size > sizeof memory - from) {
        own->_errno = 12;
        return NULL;
    }
    used = from + size;
    memcpy(memory + from - 8, &size, sizeof size < 8 ? sizeof size : 8);
    return memory + from;
}

void *_malloc_r(struct _reent *own, size_t size)
{
    return _memalign_r(own, 16, size);
}

void _free_r(struct _reent *own, void *block)
{
    (void)own;
    (void)block;
}

void *_realloc_r(struct _reent *own, void *block, size_t size)
{
    void *after = _malloc_r(own, size);
    if (block != NULL && after != NULL) {
        size_t before;
        memcpy(&before, (char *)block - 8, sizeof before);
        memcpy(after, block, before < size ? before : size);
    }
    return after;
}

void *_calloc_r(struct _reent *own, size_t count, size_t each)
{
    void *block = each != 0 && count > SIZE_MAX / each ? NULL : _malloc_r(own, count * each);
    return block == NULL ? NULL : memset(block, 0, count * each);
}
