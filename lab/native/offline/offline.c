#include "offline/offline.h"

#include <stdlib.h>
#include <string.h>

#define GRANULE 8u
#define WORK_MOST 40000000u /* steps of all placements together, and beside these */
#define WORK_A_BLOCK 1500u
#define ROUNDS_MOST 400     /* placements */
#define SPAN_LEAST 256u     /* allocations of a span of time */
#define WORDS_MOST 4000000u /* of the maps of all spans */
#define NEAR 1000 /* a placement is good enough that needs one part in so many above what is live */
#define ROOM 2    /* times the live peak: higher addresses are not tried */
#define PEAK_MOST (UINT64_C(1) << 25) /* granules: more is not placed */
#define ORDERS 4

typedef struct hs_turn {
    uint64_t key; /* the largest is placed first */
    uint32_t block;
} hs_turn_t;

/* The blocks that are placed, by time. A span of time has a map of the granules of those that live through all of it,
 * and a list of those that are born before it and end in it. */
typedef struct hs_offline {
    hs_offline_blocks_t all;
    hs_turn_t *turns;
    uint32_t *best;   /* by block: where it is in the best placement */
    uint64_t *placed; /* a bit for each block */
    uint64_t *taken;  /* a bit for each granule, where the next block cannot be */
    size_t granules, words, top;
    uint32_t span;
    uint64_t *maps;
    uint32_t *starts, *filled, *listed; /* of each span's list: where it begins, how long it is */
    uint64_t work, work_most;
} hs_offline_t;

static int by_turn(const void *left, const void *right)
{
    const hs_turn_t *a = left, *b = right;
    if (a->key != b->key) {
        return a->key < b->key ? 1 : -1;
    }
    return (a->block > b->block) - (a->block < b->block);
}

static size_t spans_of(const hs_offline_t *it)
{
    return it->all.count / it->span + 1;
}

/* ---- what is live at the same time ------------------------------------------------------------- */

static void mark(uint64_t *bits, size_t from, size_t to)
{
    for (size_t word = from / 64; word <= (to - 1) / 64; word++) {
        uint64_t mask = ~UINT64_C(0);
        mask &= word == from / 64 ? mask << from % 64 : mask;
        mask &= word == (to - 1) / 64 ? ~UINT64_C(0) >> (63 - (to - 1) % 64) : mask;
        bits[word] |= mask;
    }
}

static void take(hs_offline_t *it, uint64_t *bits, uint32_t block)
{
    const hs_offline_block_t *other = &it->all.blocks[block];
    if (other->size != 0) {
        mark(bits, other->offset, (size_t)other->offset + other->size);
    }
    it->work += 1 + other->size / 64;
}

/* Those born from `from` to before `to` that are placed and live after `after`. */
static void avoid_born(hs_offline_t *it, uint32_t from, uint32_t to, uint32_t after)
{
    for (size_t word = from / 64; from < to && word <= (to - 1) / 64; word++) {
        it->work++;
        for (uint64_t bits = it->placed[word]; bits != 0; bits &= bits - 1) {
            const uint32_t block = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(bits);
            if (block >= from && block < to && it->all.blocks[block].end > after) {
                take(it, it->taken, block);
            }
        }
    }
}

/* Marks where the block cannot be. */
static void avoid_all(hs_offline_t *it, uint32_t block)
{
    const uint32_t span = block / it->span, end = it->all.blocks[block].end;
    const uint32_t *list = it->listed + it->starts[span];
    const size_t words = it->top / 64 + 1; /* nothing is above */
    memcpy(it->taken, it->maps + span * it->words, words * sizeof *it->taken);
    it->work += words / 8 + it->filled[span];
    for (uint32_t i = 0; i < it->filled[span]; i++) {
        if (it->all.blocks[list[i]].end > block) {
            take(it, it->taken, list[i]);
        }
    }
    avoid_born(it, span * it->span, block, block);
    avoid_born(it, block + 1, end, 0);
}

static void note(hs_offline_t *it, uint32_t block)
{
    const uint32_t end = it->all.blocks[block].end;
    uint32_t span = block / it->span + 1;
    it->placed[block / 64] |= UINT64_C(1) << block % 64;
    for (; (uint64_t)(span + 1) * it->span <= end; span++) {
        take(it, it->maps + span * it->words, block);
    }
    if ((uint64_t)span * it->span < end) {
        it->listed[it->starts[span] + it->filled[span]++] = block;
    }
}

/* ---- one placement ------------------------------------------------------------------------------ */

/* The first granule from `from` on whose bit is `set`, or `granules`. */
static size_t next_bit(hs_offline_t *it, size_t from, bool set)
{
    for (size_t word = from / 64; word * 64 < it->granules; word++) {
        it->work++;
        uint64_t bits = set ? it->taken[word] : ~it->taken[word];
        bits &= word == from / 64 ? ~UINT64_C(0) << from % 64 : bits;
        if (bits != 0) {
            const size_t found = word * 64 + (size_t)__builtin_ctzll(bits);
            return found < it->granules ? found : it->granules;
        }
    }
    return it->granules;
}

/* The lowest place for the block; false: no place is free. */
static bool settle(hs_offline_t *it, hs_offline_block_t *block)
{
    size_t at = 0;
    while (at < it->granules) {
        at = next_bit(it, at, false);
        const size_t end = next_bit(it, at, true);
        const size_t begin = (at + block->align - 1) / block->align * block->align;
        if (begin + block->size <= end) {
            block->offset = (uint32_t)begin;
            return true;
        }
        at = end;
    }
    return false;
}

/* Places all blocks by their turns; returns the granules that it takes, 0: more than there are, or too much work. */
static size_t place(hs_offline_t *it)
{
    it->top = 0;
    memset(it->placed, 0, (it->all.count / 64 + 1) * sizeof *it->placed);
    memset(it->filled, 0, spans_of(it) * sizeof *it->filled);
    memset(it->maps, 0, spans_of(it) * it->words * sizeof *it->maps);
    memset(it->taken, 0, it->words * sizeof *it->taken);
    it->work += spans_of(it) * it->words / 8 + it->all.count * 16;
    qsort(it->turns, it->all.count, sizeof *it->turns, by_turn);
    for (size_t i = 0; i < it->all.count; i++) {
        hs_offline_block_t *block = &it->all.blocks[it->turns[i].block];
        avoid_all(it, it->turns[i].block);
        if (it->work > it->work_most || !settle(it, block)) {
            return 0;
        }
        const size_t end = (size_t)block->offset + block->size;
        it->top = end > it->top ? end : it->top;
        note(it, it->turns[i].block);
    }
    return it->top;
}

static uint32_t log2_of(uint32_t value)
{
    return 31u - (uint32_t)__builtin_clz(value | 1u);
}

static void order(hs_offline_t *it, int which)
{
    for (uint32_t i = 0; i < it->all.count; i++) {
        const hs_offline_block_t *block = &it->all.blocks[i];
        const uint64_t lives = block->end - i, size = block->size;
        const uint64_t keys[ORDERS] = {(uint64_t)log2_of((uint32_t)lives) << 32 | size,
                                       lives * size, lives << 32 | size, size << 32 | lives};
        it->turns[i] = (hs_turn_t){.key = keys[which], .block = i};
    }
}

/* Blocks that were placed above what is to be reached come in half the turns. */
static void complain(hs_offline_t *it, size_t wanted)
{
    const uint64_t count = it->all.count;
    for (uint32_t i = 0; i < count; i++) {
        const hs_offline_block_t *block = &it->all.blocks[it->turns[i].block];
        const bool high = (size_t)block->offset + block->size > wanted;
        it->turns[i].key = 2 * (count - (high ? i / 2 : i)) + high;
    }
}

/* Places them once more, and keeps the places if they are the best. */
static bool improve(hs_offline_t *it, size_t *best)
{
    const size_t top = place(it);
    const bool better = top != 0 && (*best == 0 || top < *best);
    for (size_t i = 0; better && i < it->all.count; i++) {
        it->best[i] = it->all.blocks[i].offset;
    }
    *best = better ? top : *best;
    return better;
}

static bool is_near(const hs_offline_t *it, size_t best)
{
    return best != 0 && best <= it->all.peak + it->all.peak / NEAR;
}

/* The least granules that a placement was found for, 0: none. */
static size_t search(hs_offline_t *it)
{
    size_t best = 0;
    int chosen = 0;
    for (int which = 0; which < ORDERS && !is_near(it, best); which++) {
        order(it, which);
        chosen = improve(it, &best) ? which : chosen;
    }
    order(it, chosen);
    for (int round = 0; round < ROUNDS_MOST && best != 0 && !is_near(it, best); round++) {
        improve(it, &best);
        if (it->work > it->work_most) {
            break;
        }
        complain(it, best - 1);
    }
    return best;
}

/* ---- memory -------------------------------------------------------------------------------------- */

static bool make_lists(hs_offline_t *it)
{
    it->starts = calloc(spans_of(it) + 1, sizeof *it->starts);
    it->filled = calloc(spans_of(it), sizeof *it->filled);
    it->listed = malloc((it->all.count + 1) * sizeof *it->listed);
    if (it->starts == NULL || it->filled == NULL || it->listed == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < it->all.count; i++) {
        const uint32_t last = it->all.blocks[i].end / it->span;
        it->starts[last + 1] += last > i / it->span;
    }
    for (size_t span = 0; span < spans_of(it); span++) {
        it->starts[span + 1] += it->starts[span];
    }
    return true;
}

static bool make(hs_offline_t *it)
{
    it->work_most = WORK_MOST + WORK_A_BLOCK * (uint64_t)it->all.count;
    it->granules = ROOM * (size_t)(it->all.peak + it->all.aligned) + 64;
    it->words = it->granules / 64 + 2;
    it->span = SPAN_LEAST;
    while (spans_of(it) > 1 && spans_of(it) * it->words > WORDS_MOST) {
        it->span *= 2;
    }
    it->turns = malloc((it->all.count + 1) * sizeof *it->turns);
    it->best = malloc((it->all.count + 1) * sizeof *it->best);
    it->placed = calloc(it->all.count / 64 + 1, sizeof *it->placed);
    it->taken = calloc(it->words, sizeof *it->taken);
    it->maps = calloc(spans_of(it), it->words * sizeof *it->maps);
    return it->turns != NULL && it->best != NULL && it->placed != NULL && it->taken != NULL &&
           it->maps != NULL && make_lists(it);
}

static void discard(hs_offline_t *it)
{
    free(it->turns);
    free(it->best);
    free(it->placed);
    free(it->taken);
    free(it->maps);
    free(it->starts);
    free(it->filled);
    free(it->listed);
}

hs_status_t hs_offline_place(hs_offline_blocks_t *blocks, uint64_t *top)
{
    hs_offline_t it = {.all = *blocks};
    const bool made = make(&it);
    *top = made ? search(&it) : 0;
    for (size_t i = 0; made && i < blocks->count; i++) {
        blocks->blocks[i].offset = it.best[i];
    }
    discard(&it);
    return made ? HS_OK : HS_ERR_MEMORY;
}

hs_status_t hs_offline(const hs_fit_t *fit, hs_lab_offline_t *out)
{
    hs_offline_blocks_t all;
    hs_status_t status = hs_offline_read(&all, fit, HS_OFFLINE_BLOCKS_MOST);
    uint64_t top = 0;
    if (status == HS_OK && all.blocks != NULL && all.peak <= PEAK_MOST &&
        all.aligned <= PEAK_MOST) {
        status = hs_offline_place(&all, &top);
    }
    *out = (hs_lab_offline_t){.live = all.peak * GRANULE, .placed = top * GRANULE};
    free(all.blocks);
    return status;
}
