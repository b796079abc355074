/*
 * malloc and free of the emulated program itself; the heaps under test lie on its blocks. There is
 * one stack of free blocks for each power of two, and blocks are never merged. This file uses no
 * code of the heaps under test, so that a fault of theirs cannot hide behind itself.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hosted.h"

typedef struct head {
    uint32_t log2; /* of the block's bytes, with this */
    struct head *next;
    uint32_t size; /* asked for */
    uint32_t unused;
} head_t;

static head_t *stacks[32];
static uint32_t taken;

void *malloc(size_t size)
{
    uint32_t log2 = 6;
    while (log2 < 31 && ((size_t)1 << log2) - sizeof(head_t) < size) {
        log2++;
    }
    if (((size_t)1 << log2) - sizeof(head_t) < size) {
        return NULL;
    }
    head_t *head = stacks[log2];
    if (head != NULL) {
        stacks[log2] = head->next;
    } else {
        if (HOSTED_MEMORY_SIZE - taken < (uint32_t)1 << log2) {
            return NULL;
        }
        head = (head_t *)(uintptr_t)(HOSTED_MEMORY + taken);
        taken += (uint32_t)1 << log2;
    }
    *head = (head_t){log2, NULL, (uint32_t)size, 0};
    return head + 1;
}

void free(void *block)
{
    if (block != NULL) {
        head_t *const head = (head_t *)block - 1;
        head->next = stacks[head->log2];
        stacks[head->log2] = head;
    }
}

void *calloc(size_t count, size_t size)
{
    const uint64_t bytes = (uint64_t)count * size;
    void *const block = bytes <= UINT32_MAX ? malloc((size_t)bytes) : NULL;
    return block != NULL ? memset(block, 0, (size_t)bytes) : NULL;
}

void *realloc(void *block, size_t size)
{
    void *const moved = malloc(size);
    if (moved != NULL && block != NULL) {
        const size_t had = ((head_t *)block - 1)->size;
        memcpy(moved, block, had < size ? had : size);
        free(block);
    }
    return moved;
}
