/* A kernel that allocates as Zephyr's does: a pool's blocks have the pool in front of them, and k_free()
 * reads it there. Its heaps are stacks of memory that count their blocks, which is enough to see who was
 * asked. It is an archive, linked last. TEST_ZEPHYR_OLD: a release without k_realloc and z_thread_malloc. */
#include <string.h>

#include <zephyr/kernel.h>

static _Alignas(8) unsigned char system_memory[4096];
struct k_heap _system_heap = {{NULL, system_memory, sizeof system_memory}};
static unsigned depth;
static k_tid_t running;
static bool in_isr;

/* The program of the test calls these two. */
unsigned kernel_depth(void)
{
    return depth;
}

void kernel_run(k_tid_t thread, bool interrupt)
{
    running = thread;
    in_isr = interrupt;
}

unsigned int irq_lock(void)
{
    return depth++;
}

void irq_unlock(unsigned int key)
{
    depth = key;
}

bool k_is_in_isr(void)
{
    return in_isr;
}

bool k_is_pre_kernel(void)
{
    return false;
}

int64_t k_uptime_ticks(void)
{
    return 0;
}

uint64_t k_ticks_to_us_floor64(uint64_t ticks)
{
    return ticks;
}

k_tid_t k_current_get(void)
{
    return running;
}

const char *k_thread_name_get(k_tid_t thread)
{
    return thread != NULL ? "thread" : NULL;
}

/* A heap keeps 40 bytes for itself; `heap` is where the next block begins, and only the last block can be
 * given back. */
void *k_heap_alloc(struct k_heap *h, size_t bytes, k_timeout_t timeout)
{
    (void)timeout;
    unsigned char *const begin = h->heap.init_mem;
    unsigned char *const next = h->heap.heap != NULL ? h->heap.heap : begin + 40;
    const size_t room = h->heap.init_bytes - (size_t)(next - begin);
    const size_t whole = 8 + ((bytes + 7) & ~(size_t)7);
    if (bytes > room || whole > room) {
        return NULL;
    }
    memcpy(next, &whole, sizeof whole);
    h->heap.heap = next + whole;
    return next + 8;
}

void k_heap_free(struct k_heap *h, void *mem)
{
    unsigned char *const front = (unsigned char *)mem - 8;
    size_t whole;
    memcpy(&whole, front, sizeof whole);
    if (front + whole == h->heap.heap) {
        h->heap.heap = front;
    }
}

static void *pool_alloc(struct k_heap *heap, size_t size)
{
    struct k_heap **const front = k_heap_alloc(heap, size + sizeof front, K_NO_WAIT);
    if (front == NULL) {
        return NULL;
    }
    *front = heap;
    return front + 1;
}

void k_free(void *ptr)
{
    if (ptr != NULL) {
        struct k_heap **const front = (struct k_heap **)ptr - 1;
        k_heap_free(*front, front);
    }
}

void *k_aligned_alloc(size_t align, size_t size)
{
    (void)align;
    return pool_alloc(&_system_heap, size);
}

void *k_malloc(size_t size)
{
    return k_aligned_alloc(sizeof(void *), size);
}

void *k_calloc(size_t nmemb, size_t size)
{
    void *const block = k_malloc(nmemb * size);
    return block != NULL ? memset(block, 0, nmemb * size) : NULL;
}

void *z_thread_aligned_alloc(size_t align, size_t size)
{
    (void)align;
    struct k_heap *const heap = k_is_in_isr() ? &_system_heap : k_current_get()->resource_pool;
    return heap != NULL ? pool_alloc(heap, size) : NULL;
}

#if !defined(TEST_ZEPHYR_OLD)
void *k_realloc(void *ptr, size_t size)
{
    void *const moved = k_malloc(size);
    if (moved != NULL) {
        memcpy(moved, ptr, size);
    }
    return moved;
}

void *z_thread_malloc(size_t size)
{
    return z_thread_aligned_alloc(0, size);
}
#endif
