/* A kernel that allocates as Zephyr's does: k_malloc keeps a reference to the heap before the block,
 * and asks through two files. */
#include <stddef.h>

void *sys_heap_aligned_alloc(void *, size_t, size_t);
void sys_heap_free(void *, void *);

static char system_heap;
static _Thread_local const char *name;

void *k_heap_aligned_alloc(void *heap, size_t align, size_t size, long long timeout)
{
    (void)timeout;
    return sys_heap_aligned_alloc(heap, align, size);
}

void k_heap_free(void *heap, void *block)
{
    sys_heap_free(heap, block);
}

void *k_malloc(size_t size)
{
    void **block = k_heap_aligned_alloc(&system_heap, sizeof(void *), size + sizeof(void *), 0);
    return block == NULL ? NULL : (*block = &system_heap, block + 1);
}

void k_free(void *block)
{
    if (block != NULL) {
        k_heap_free(((void **)block)[-1], (void **)block - 1);
    }
}

void *z_impl_z_current_get(void)
{
    return &name;
}

const char *k_thread_name_get(void *thread)
{
    return *(const char **)thread;
}

void thread_name_set(const char *text)
{
    name = text;
}
