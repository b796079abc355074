#define HS_HELD_ITSELF 1
#include "held.h"

#include <stdint.h>
#include <string.h>

/* In front of each block, as large as any alignment needs. */
typedef union hs_held_head {
    size_t size;
    max_align_t align;
} hs_held_head_t;

static size_t now;
static size_t peak;
static size_t calls;
static size_t fail_at;

static int refused(size_t size)
{
    calls++;
    return (fail_at != 0 && calls >= fail_at) || size > SIZE_MAX / 2;
}

static void added(size_t size)
{
    now += size;
    peak = now > peak ? now : peak;
}

void *hs_held_malloc(size_t size)
{
    hs_held_head_t *head = refused(size) ? NULL : malloc(sizeof *head + size);
    if (head == NULL) {
        return NULL;
    }
    head->size = size;
    added(size);
    return head + 1;
}

void *hs_held_calloc(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / 2 / size) {
        return NULL;
    }
    void *memory = hs_held_malloc(count * size);
    return memory == NULL ? NULL : memset(memory, 0, count * size);
}

void *hs_held_realloc(void *memory, size_t size)
{
    void *moved = hs_held_malloc(size); /* always elsewhere: a stale pointer is then seen */
    if (moved != NULL && memory != NULL) {
        const size_t old = ((const hs_held_head_t *)memory)[-1].size;
        memcpy(moved, memory, old < size ? old : size);
        hs_held_free(memory);
    }
    return moved;
}

void hs_held_free(void *memory)
{
    if (memory != NULL) {
        hs_held_head_t *head = (hs_held_head_t *)memory - 1;
        now -= head->size;
        free(head);
    }
}

size_t hs_held_now(void)
{
    return now;
}

size_t hs_held_peak(void)
{
    return peak;
}

size_t hs_held_calls(void)
{
    return calls;
}

void hs_held_reset(void)
{
    peak = now;
    calls = 0;
    fail_at = 0;
}

void hs_held_fail_at(size_t nth)
{
    fail_at = nth;
}
