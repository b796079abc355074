/* Blocks and groups that a picture can leave out without a change of any pixel. */
#include <string.h>

#include "heapscope/assert.h"
#include "history/history.h"

/* Slots of a table by address; twice the blocks of a group, so a free one is always found. */
#define SLOTS (2 * HS_HISTORY_GROUP)

/* The latest block of a place that is seen so far, and the longest that one of the place lived at least. */
typedef struct hs_latest {
    uint16_t block; /* plus 1; 0: free */
    uint32_t age;
} hs_latest_t;

static bool alike(const hs_history_chunk_t *chunk, uint32_t a, uint32_t b)
{
    return chunk->address[a] == chunk->address[b] && chunk->size[a] == chunk->size[b] &&
           chunk->holder[a] == chunk->holder[b] && chunk->region[a] == chunk->region[b];
}

static hs_latest_t *latest_of(hs_latest_t table[SLOTS], const hs_history_chunk_t *chunk,
                              uint32_t first, uint32_t i)
{
    const uint32_t mixed = (chunk->address[i] ^ chunk->size[i] * 31u) * UINT32_C(0x9e3779b1);
    uint32_t at = (mixed >> 16) % SLOTS;
    while (table[at].block != 0 && !alike(chunk, first + table[at].block - 1u, i)) {
        at = (at + 1) % SLOTS;
    }
    return &table[at];
}

/* A block is hidden if it ended before the group's last birth and a later one has the same place, size
 * and holder, and lived as long: where the whole group has one column, both have the same pixels there,
 * and a filter that lets the earlier one pass lets the later one pass, too. */
void hs_history_level(hs_history_chunk_t *chunk, uint32_t first)
{
    const uint32_t last = first + HS_HISTORY_GROUP - 1, until = chunk->born[last];
    HS_ASSERT(first % HS_HISTORY_GROUP == 0 && last < HS_HISTORY_CHUNK);
    hs_latest_t table[SLOTS];
    memset(table, 0, sizeof table);
    memset(&chunk->shown[first / 64], 0, HS_HISTORY_GROUP / 8);
    for (uint32_t i = last + 1; i-- > first;) {
        hs_latest_t *latest = latest_of(table, chunk, first, i);
        const bool over = chunk->died[i] <= until;
        const uint32_t age = (over ? chunk->died[i] : until) - chunk->born[i];
        HS_ASSERT(over || latest->block == 0); /* its place was not free for a later one */
        if (latest->block != 0 && latest->age >= age) {
            continue;
        }
        chunk->shown[i / 64] |= UINT64_C(1) << (i % 64);
        latest->block = (uint16_t)(i - first + 1);
        latest->age = age > latest->age ? age : latest->age;
    }
}

uint32_t hs_history_seek(const hs_history_t *history, uint32_t from, uint32_t event)
{
    while (from < history->blocks) {
        const hs_history_chunk_t *chunk = history->chunks[from / HS_HISTORY_CHUNK];
        if (chunk->last[from % HS_HISTORY_CHUNK / HS_HISTORY_GROUP] > event) {
            return from;
        }
        from = (from / HS_HISTORY_GROUP + 1) * HS_HISTORY_GROUP;
    }
    return history->blocks;
}

uint32_t hs_history_seek_back(const hs_history_t *history, uint32_t before, uint32_t event)
{
    while (before-- > 0) {
        const hs_history_chunk_t *chunk = history->chunks[before / HS_HISTORY_CHUNK];
        if (chunk->last[before % HS_HISTORY_CHUNK / HS_HISTORY_GROUP] > event) {
            return before;
        }
        before = before / HS_HISTORY_GROUP * HS_HISTORY_GROUP;
    }
    return UINT32_MAX;
}
