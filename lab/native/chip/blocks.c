#include "chip/blocks.h"

#include <stdlib.h>
#include <string.h>

#define RECORDS_FIRST ((size_t)256)
#define RECORDS_MAX ((size_t)1 << 30) /* slots are numbered with 32 bits */

/* Every live block anew. */
static void file_all(hs_blocks_t *blocks)
{
    blocks->moved = 0;
    for (size_t i = 0; i < blocks->used; i++) {
        if (blocks->records[i].flags & HS_BLOCK_LIVE) {
            hs_blocks_file(blocks, blocks->records[i].key, (uint32_t)i);
        }
    }
}

/* Room for `records` records; those live stay in the table. */
static bool resize(hs_blocks_t *blocks, size_t records)
{
    const size_t slots = records * HS_BLOCK_SLOTS;
    hs_block_slot_t *table = calloc(slots, sizeof *table);
    uint32_t *direct = calloc(slots, sizeof *direct);
    hs_block_t *moved = realloc(blocks->records, records * sizeof *moved);
    blocks->records = moved != NULL ? moved : blocks->records;
    uint32_t *vacant = realloc(blocks->vacant, records * sizeof *vacant);
    blocks->vacant = vacant != NULL ? vacant : blocks->vacant;
    if (table == NULL || direct == NULL || moved == NULL || vacant == NULL) {
        free(table);
        free(direct);
        return false;
    }
    free(blocks->slots);
    free(blocks->direct);
    blocks->slots = table;
    blocks->direct = direct;
    blocks->slot_mask = slots - 1;
    blocks->shift = 32;
    while ((slots - 1) >> (32 - blocks->shift) != 0) {
        blocks->shift--;
    }
    file_all(blocks);
    return true;
}

bool hs_blocks_init(hs_blocks_t *blocks)
{
    memset(blocks, 0, sizeof *blocks);
    if (!resize(blocks, RECORDS_FIRST)) {
        return false;
    }
    /* Where the host put the table is unpredictable enough; results never depend on it. */
    blocks->seed = (uint64_t)(uintptr_t)blocks->slots * UINT64_C(0xD6E8FEB86659FD93);
    return true;
}

void hs_blocks_free(hs_blocks_t *blocks)
{
    free(blocks->records);
    free(blocks->vacant);
    free(blocks->slots);
    free(blocks->direct);
    memset(blocks, 0, sizeof *blocks);
}

bool hs_blocks_grow(hs_blocks_t *blocks)
{
    return blocks->used < RECORDS_MAX && resize(blocks, blocks->used * 2);
}
