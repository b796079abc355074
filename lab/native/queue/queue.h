/*
 * Bytes, or rows of one size, that wait to be taken: a queue that grows as needed, up to a gigabyte.
 * Its memory is used again when all was taken. A queue of zeroes is an empty one. Adding and taking
 * are O(bytes), amortised.
 */
#ifndef HEAPSCOPE_NATIVE_QUEUE_H
#define HEAPSCOPE_NATIVE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"

#define HS_QUEUE_MAX ((size_t)1 << 30)

typedef struct hs_queue {
    uint8_t *bytes; /* aligned for any type */
    size_t taken, used, capacity;
} hs_queue_t;

void hs_queue_free(hs_queue_t *queue);
/* Makes room for `count` bytes. HS_ERR_MEMORY: no host memory, or more than HS_QUEUE_MAX would wait. */
hs_status_t hs_queue_reserve(hs_queue_t *queue, size_t count);
/* The next `count` bytes, for the caller to fill; they have been reserved. */
void *hs_queue_add(hs_queue_t *queue, size_t count);
/* Both, with a copy of `bytes`. */
hs_status_t hs_queue_put(hs_queue_t *queue, const void *bytes, size_t count);

static inline size_t hs_queue_waiting(const hs_queue_t *queue)
{
    return queue->used - queue->taken;
}

/* Copies the oldest rows of `size` bytes out, at most `capacity` of them; returns how many. */
size_t hs_queue_take(hs_queue_t *queue, void *out, size_t size, size_t capacity);

#endif
