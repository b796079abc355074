#include "listen/live_blocks.h"

#include <stdlib.h>
#include <string.h>

void hs_live_blocks_free(hs_live_blocks_t *blocks)
{
    free(blocks->rows);
    *blocks = (hs_live_blocks_t){0};
}

static int by_address(const void *one, const void *other)
{
    const uint64_t a = ((const hs_state_block_t *)one)->address;
    const uint64_t b = ((const hs_state_block_t *)other)->address;
    return (a > b) - (a < b);
}

hs_status_t hs_live_blocks_take(hs_live_blocks_t *blocks, const hs_state_t *state)
{
    hs_state_figures_t figures;
    hs_state_block_t block;
    hs_state_figures(state, &figures);
    hs_live_blocks_free(blocks);
    if (figures.blocks == 0) {
        return HS_OK;
    }
    blocks->rows = calloc((size_t)figures.blocks, sizeof *blocks->rows);
    if (blocks->rows == NULL) {
        return HS_ERR_MEMORY;
    }
    for (size_t at = 0; blocks->count < figures.blocks && hs_state_next(state, &at, &block);) {
        blocks->rows[blocks->count++] = block;
    }
    qsort(blocks->rows, blocks->count, sizeof *blocks->rows, by_address);
    return HS_OK;
}

/* How many begin below the address. */
static size_t below(const hs_live_blocks_t *blocks, uint64_t address)
{
    size_t low = 0;
    for (size_t high = blocks->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (blocks->rows[middle].address < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

hs_live_blocks_t hs_live_blocks_within(const hs_live_blocks_t *blocks, hs_span_t span)
{
    const size_t first = below(blocks, span.start);
    const size_t last = below(blocks, span.limit);
    return last <= first ? (hs_live_blocks_t){0}
                         : (hs_live_blocks_t){blocks->rows + first, last - first};
}

static uint64_t limit_of(const hs_state_block_t *block)
{
    const uint64_t limit = block->address + block->size;
    return limit < block->address ? UINT64_MAX : limit;
}

uint64_t hs_live_blocks_room(const hs_live_blocks_t *blocks, hs_span_t span)
{
    const hs_live_blocks_t inside = hs_live_blocks_within(blocks, span);
    uint64_t most = 0;
    uint64_t begin = span.start;
    for (size_t i = 0; i < inside.count; i++) {
        const uint64_t address = inside.rows[i].address;
        const uint64_t limit = limit_of(&inside.rows[i]);
        if (address > begin && address - begin > most) {
            most = address - begin;
        }
        begin = limit > begin ? limit : begin;
    }
    return span.limit > begin && span.limit - begin > most ? span.limit - begin : most;
}

/* The best stretch that begins at a border of one span, where it holds less than `least`. */
static void stretch_of(hs_live_blocks_t inside, hs_span_t span, uint64_t size, uint64_t *least,
                       hs_live_blocks_t *best)
{
    uint64_t held = 0; /* by the blocks `first` up to `last` */
    for (size_t first = 0, last = 0; first <= inside.count; first++) {
        const uint64_t start = first == 0 ? span.start : limit_of(&inside.rows[first - 1]);
        if (first != 0 && last >= first) {
            held -= inside.rows[first - 1].size;
        }
        last = last < first ? first : last;
        for (;; last++) {
            const uint64_t limit = last < inside.count ? inside.rows[last].address : span.limit;
            if (limit >= start && limit - start >= size) {
                break;
            }
            if (last == inside.count) {
                return;
            }
            held += inside.rows[last].size;
        }
        if (held < *least) {
            *least = held;
            *best = (hs_live_blocks_t){inside.rows + first, last - first};
        }
    }
}

hs_live_blocks_t hs_live_blocks_in_the_way(const hs_live_blocks_t *blocks, const hs_span_t *spans,
                                           size_t count, uint64_t size)
{
    hs_live_blocks_t best = {0};
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        stretch_of(hs_live_blocks_within(blocks, spans[i]), spans[i], size, &least, &best);
    }
    return best;
}

/* ---- owners ---- */

static int by_owner(const void *one, const void *other)
{
    const hs_lab_owner_t *a = one;
    const hs_lab_owner_t *b = other;
    return a->task != b->task ? (a->task > b->task) - (a->task < b->task)
                              : (a->site > b->site) - (a->site < b->site);
}

static int by_bytes(const void *one, const void *other)
{
    const uint64_t a = ((const hs_lab_owner_t *)one)->live;
    const uint64_t b = ((const hs_lab_owner_t *)other)->live;
    return a != b ? (a < b) - (a > b) : by_owner(one, other);
}

void hs_owners_free(hs_owners_t *owners)
{
    free(owners->rows);
    *owners = (hs_owners_t){0};
}

hs_status_t hs_owners_take(hs_owners_t *owners, const hs_live_blocks_t *blocks)
{
    hs_owners_free(owners);
    if (blocks->count == 0) {
        return HS_OK;
    }
    hs_lab_owner_t *rows = calloc(blocks->count, sizeof *rows);
    if (rows == NULL) {
        return HS_ERR_MEMORY;
    }
    for (size_t i = 0; i < blocks->count; i++) {
        const hs_state_block_t *block = &blocks->rows[i];
        rows[i] = (hs_lab_owner_t){.task = block->owned ? (int64_t)block->task : HS_LAB_NO_TASK,
                                   .site = block->site,
                                   .live = block->size,
                                   .blocks = 1};
    }
    qsort(rows, blocks->count, sizeof *rows, by_owner);
    size_t count = 1;
    for (size_t i = 1; i < blocks->count; i++) {
        if (by_owner(&rows[i], &rows[count - 1]) == 0) {
            rows[count - 1].live += rows[i].live;
            rows[count - 1].blocks++;
        } else {
            rows[count++] = rows[i];
        }
    }
    *owners = (hs_owners_t){rows, count};
    return HS_OK;
}

void hs_owners_rank(hs_owners_t *owners)
{
    if (owners->count != 0) {
        qsort(owners->rows, owners->count, sizeof *owners->rows, by_bytes);
    }
}

const hs_lab_owner_t *hs_owners_find(const hs_owners_t *owners, const hs_lab_owner_t *owner)
{
    return owners->count == 0
               ? NULL
               : bsearch(owner, owners->rows, owners->count, sizeof *owner, by_owner);
}
