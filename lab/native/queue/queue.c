#include "queue/queue.h"

#include <stdlib.h>
#include <string.h>

#include "heapscope/assert.h"

void hs_queue_free(hs_queue_t *queue)
{
    free(queue->bytes);
    memset(queue, 0, sizeof *queue);
}

hs_status_t hs_queue_reserve(hs_queue_t *queue, size_t count)
{
    if (queue->taken == queue->used) {
        queue->taken = queue->used = 0;
    }
    if (count <= queue->capacity - queue->used) {
        return HS_OK;
    }
    if (count > HS_QUEUE_MAX - queue->used) {
        return HS_ERR_MEMORY;
    }
    const size_t wanted = queue->capacity * 2 + count;
    const size_t grown = wanted < HS_QUEUE_MAX ? wanted : HS_QUEUE_MAX;
    uint8_t *moved = realloc(queue->bytes, grown);
    if (moved == NULL) {
        return HS_ERR_MEMORY;
    }
    queue->bytes = moved;
    queue->capacity = grown;
    return HS_OK;
}

void *hs_queue_add(hs_queue_t *queue, size_t count)
{
    HS_ASSERT(count <= queue->capacity - queue->used);
    uint8_t *at = queue->bytes + queue->used;
    queue->used += count;
    return at;
}

hs_status_t hs_queue_put(hs_queue_t *queue, const void *bytes, size_t count)
{
    const hs_status_t status = hs_queue_reserve(queue, count);
    if (status == HS_OK && count != 0) {
        memcpy(hs_queue_add(queue, count), bytes, count);
    }
    return status;
}

size_t hs_queue_take(hs_queue_t *queue, void *out, size_t size, size_t capacity)
{
    const size_t left = hs_queue_waiting(queue) / size;
    const size_t count = left < capacity ? left : capacity;
    HS_ASSERT(queue->taken <= queue->used && queue->used <= queue->capacity);
    if (count != 0) {
        memcpy(out, queue->bytes + queue->taken, count * size);
        queue->taken += count * size;
    }
    return count;
}
