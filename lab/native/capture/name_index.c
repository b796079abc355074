#include "name_index.h"

#include <stdlib.h>
#include <string.h>

#include "heapscope/trace.h"

#define SLOTS_FIRST 64u

static size_t home_of(const hs_name_index_t *index, const uint8_t *name, size_t length)
{
    uint64_t hash = index->salt ^ length;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ name[i]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    return (size_t)(hash >> 16) & index->mask;
}

static bool same(const hs_indexed_name_t *held, const uint8_t *name, size_t length)
{
    return held->length == length && memcmp(held->bytes, name, length) == 0;
}

/* The slot of the name, or the free one where it would be. Bound: half of the slots is free. */
static uint32_t *slot_of(const hs_name_index_t *index, const uint8_t *name, size_t length)
{
    size_t at = home_of(index, name, length);
    while (index->slots[at] != 0 && !same(index->names[index->slots[at] - 1], name, length)) {
        at = (at + 1) & index->mask;
    }
    return &index->slots[at];
}

/* Room for `count` slots and half as many names. */
static hs_status_t resize(hs_name_index_t *index, size_t count)
{
    hs_indexed_name_t **names = realloc(index->names, count / 2 * sizeof *names);
    if (names == NULL) {
        return HS_ERR_MEMORY;
    }
    index->names = names;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL) {
        return HS_ERR_MEMORY;
    }
    free(index->slots);
    index->slots = slots;
    index->mask = count - 1;
    for (uint32_t i = 0; i < index->count; i++) {
        *slot_of(index, names[i]->bytes, names[i]->length) = i + 1;
    }
    return HS_OK;
}

hs_status_t hs_name_index_init(hs_name_index_t *index)
{
    *index = (hs_name_index_t){0};
    const hs_status_t status = resize(index, SLOTS_FIRST);
    index->salt = (uint64_t)(uintptr_t)index->slots;
    return status;
}

void hs_name_index_clear(hs_name_index_t *index)
{
    for (uint32_t i = 0; i < index->count; i++) {
        free(index->names[i]);
    }
    free(index->names);
    free(index->slots);
    *index = (hs_name_index_t){0};
}

static hs_status_t add(hs_name_index_t *index, const uint8_t *name, size_t length)
{
    if (index->count > HS_NAME_INDEX_MAX) {
        return HS_ERR_ARGUMENT;
    }
    if (index->count == (index->mask + 1) / 2) {
        const hs_status_t status = resize(index, (index->mask + 1) * 2);
        if (status != HS_OK) {
            return status;
        }
    }
    hs_indexed_name_t *held = malloc(sizeof *held + length);
    if (held == NULL) {
        return HS_ERR_MEMORY;
    }
    held->length = length;
    memcpy(held->bytes, name, length);
    index->names[index->count++] = held;
    *slot_of(index, name, length) = index->count;
    return HS_OK;
}

hs_status_t hs_name_index_get(hs_name_index_t *index, const uint8_t *name, size_t length,
                              uint32_t *out, bool *added)
{
    *added = false;
    if (index->count == 0 || !same(index->names[index->latest], name, length)) {
        const uint32_t match = *slot_of(index, name, length);
        if (match == 0) {
            const hs_status_t status = add(index, name, length);
            if (status != HS_OK) {
                return status;
            }
            *added = true;
        }
        index->latest = match == 0 ? index->count - 1 : match - 1;
    }
    *out = index->latest;
    return HS_OK;
}
