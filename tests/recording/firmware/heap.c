/* Heaps that firmware brings along, each on memory of its own: first fit, with blocks that are joined
 * again. The functions have the names and parameters of the real ones. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define UNIT 16u

typedef struct block {
    size_t size; /* with this header */
    size_t used;
} block_t;

typedef struct heap {
    _Alignas(16) unsigned char memory[65536];
    int begun;
} heap_t;

static heap_t rtos, regions, hidden, named;

static block_t *next(const heap_t *heap, block_t *block)
{
    unsigned char *after = (unsigned char *)block + block->size;
    return after < heap->memory + sizeof heap->memory ? (block_t *)(void *)after : NULL;
}

static void *take(heap_t *heap, size_t size)
{
    if (!heap->begun) {
        heap->begun = 1;
        *(block_t *)(void *)heap->memory = (block_t){sizeof heap->memory, 0};
    }
    if (size > sizeof heap->memory) {
        return NULL;
    }
    const size_t whole = (size + sizeof(block_t) + UNIT - 1) / UNIT * UNIT;
    for (block_t *at = (block_t *)(void *)heap->memory; at != NULL; at = next(heap, at)) {
        for (block_t *after; !at->used && (after = next(heap, at)) != NULL && !after->used;) {
            at->size += after->size;
        }
        if (!at->used && at->size >= whole) {
            if (at->size > whole) {
                block_t *rest = (block_t *)(void *)((unsigned char *)at + whole);
                *rest = (block_t){at->size - whole, 0};
                at->size = whole;
            }
            at->used = 1;
            return at + 1;
        }
    }
    return NULL;
}

static void give(void *block)
{
    if (block != NULL) {
        ((block_t *)block - 1)->used = 0;
    }
}

static void *change(heap_t *heap, void *block, size_t size)
{
    void *moved = take(heap, size);
    if (moved != NULL && block != NULL) {
        const size_t there = ((block_t *)block - 1)->size - sizeof(block_t);
        memcpy(moved, block, there < size ? there : size);
        give(block);
    }
    return moved;
}

void *pvPortMalloc(size_t size)
{
    return take(&rtos, size);
}

void vPortFree(void *block)
{
    give(block);
}

void *heap_caps_malloc(size_t size, uint32_t caps)
{
    (void)caps;
    return take(&regions, size);
}

void *heap_caps_calloc(size_t count, size_t each, uint32_t caps)
{
    void *block = heap_caps_malloc(count * each, caps); /* an inner call, in the same file */
    return block == NULL ? NULL : memset(block, 0, count * each);
}

void *heap_caps_realloc(void *block, size_t size, uint32_t caps)
{
    (void)caps;
    return change(&regions, block, size);
}

void *heap_caps_aligned_alloc(size_t align, size_t size, uint32_t caps)
{
    (void)align;
    return heap_caps_malloc(size, caps);
}

void heap_caps_free(void *block)
{
    give(block);
}

/* ---- hidden, static, and of a name that nobody knows ---- */

__attribute__((visibility("hidden"))) void *lv_malloc(size_t size)
{
    return take(&hidden, size);
}

__attribute__((visibility("hidden"))) void lv_free(void *block)
{
    give(block);
}

static __attribute__((noinline)) void *umm_malloc(size_t size)
{
    return take(&hidden, size);
}

void *in_the_same_file(size_t size)
{
    return umm_malloc(size);
}

/* Its blocks are aligned to 4 bytes. */
void *my_take(size_t size)
{
    unsigned char *block = take(&named, size + 4);
    return block == NULL ? NULL : block + 4;
}

void my_give(void *block)
{
    give((unsigned char *)block - 4);
}

/* The sign of an ESP-IDF whose heap is its own. */
void *multi_heap_register(void *start, size_t size)
{
    (void)size;
    return start;
}
