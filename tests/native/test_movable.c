/* Blocks that may move go where a program puts them that moves them with the calls of the heap. */
#include <string.h>

#include "../models/check.h"
#include "allocators/allocators.h"
#include "layout_for_tests.h"
#include "replay/replay.h"

#define BASE 0x20000000u
#define EVENTS 1500u
#define POOL 12000u
#define MOVABLE 7u

typedef struct own_block {
    uint32_t offset, size;
    bool lives, moves;
} own_block_t;

typedef struct own {
    hs_sim_t *heap;
    own_block_t blocks[EVENTS];
    uint32_t count;
    uint64_t failures, moved, served;
} own_t;

/* The movable block at the lowest offset from `from` on; NULL: none. */
static own_block_t *lowest(own_t *own, uint32_t from)
{
    own_block_t *match = NULL;
    for (uint32_t i = 0; i < own->count; i++) {
        own_block_t *block = &own->blocks[i];
        const bool is = block->lives && block->moves && block->offset >= from;
        match = is && (match == NULL || block->offset < match->offset) ? block : match;
    }
    return match;
}

static bool one_pass(own_t *own)
{
    bool any = false;
    own_block_t *block;
    for (uint32_t from = 0; (block = lowest(own, from)) != NULL;) {
        const uint32_t copy = hs_sim_malloc(own->heap, block->size);
        from = block->offset + 1;
        if (copy != HS_NONE && copy < block->offset) {
            hs_sim_free(own->heap, block->offset, false);
            block->offset = copy;
            own->moved++;
            any = true;
        } else if (copy != HS_NONE) {
            hs_sim_free(own->heap, copy, false);
        }
    }
    return any;
}

static uint32_t allocate(own_t *own, uint32_t size)
{
    uint32_t offset = hs_sim_malloc(own->heap, size);
    if (offset == HS_NONE) {
        bool any = false;
        while (one_pass(own)) {
            any = true;
        }
        offset = any ? hs_sim_malloc(own->heap, size) : HS_NONE;
        own->served += offset != HS_NONE;
    }
    own->failures += offset == HS_NONE;
    return offset;
}

static uint32_t make(own_t *own, hs_event_t *events, check_random_t *random)
{
    uint32_t count = 0;
    for (; count < EVENTS; count++) {
        const uint32_t which = own->count == 0 ? 0 : check_below(random, own->count);
        if (own->count != 0 && own->blocks[which].lives && check_below(random, 3) != 0) {
            own->blocks[which].lives = false;
            hs_sim_free(own->heap, own->blocks[which].offset, false);
            events[count] = (hs_event_t){.kind = HS_EVENT_FREE, .key = which};
            continue;
        }
        const uint32_t site = check_below(random, 2) ? MOVABLE : 1;
        const uint32_t size = 1 + check_below(random, check_below(random, 12) ? 150 : 2500);
        events[count] =
            (hs_event_t){.kind = HS_EVENT_MALLOC, .key = own->count, .size = size, .site = site};
        const uint32_t offset = allocate(own, size);
        own->blocks[own->count++] = (own_block_t){.offset = offset == HS_NONE ? 0 : offset,
                                                  .size = size,
                                                  .lives = offset != HS_NONE,
                                                  .moves = site == MOVABLE};
    }
    return count;
}

static uint64_t try_one(const char *name, check_random_t *random)
{
    static own_t own;
    static hs_event_t events[EVENTS];
    hs_lab_region_t region;
    hs_allocator_t allocator;
    memset(&region, 0, sizeof region);
    memset(&own, 0, sizeof own);
    region.start = BASE;
    region.size = POOL;
    region.caps[0] = 0x7FFFFFFFu;
    strcpy(region.allocator, name);
    const hs_lab_config_t config = {.regions = &region,
                                    .region_count = 1,
                                    .malloc_threshold = UINT32_MAX,
                                    .malloc_small_caps = DEFAULT | INTERNAL};
    CHECK(hs_allocator_parse(name, &allocator) == HS_OK, "%s", name);
    own.heap = hs_sim_new(allocator, BASE, POOL, NULL);
    const uint32_t count = make(&own, events, random);
    hs_replay_t *replay = malloc(sizeof *replay);
    uint32_t where;
    const uint32_t sites[] = {MOVABLE, 3};
    CHECK(replay != NULL && hs_replay_init(replay, &config, &where) == HS_OK, "%s", name);
    CHECK(hs_movable_set(replay, sites, 2) == HS_OK, "%s", name);
    CHECK(hs_replay_events(replay, 0, events, count) == HS_OK, "%s", name);
    CHECK(replay->summary.failures == own.failures, "%s: %llu fail, %llu expected", name,
          (unsigned long long)replay->summary.failures, (unsigned long long)own.failures);
    CHECK(replay->movable.moved == own.moved && replay->movable.served == own.served,
          "%s: moved %llu, %llu expected", name, (unsigned long long)replay->movable.moved,
          (unsigned long long)own.moved);
    for (uint32_t i = 0; i < own.count; i++) {
        const hs_block_t *block = hs_blocks_find(&replay->blocks, i);
        CHECK(!own.blocks[i].lives ||
                  (block != NULL && block->place.offset == own.blocks[i].offset),
              "%s: block %u", name, i);
    }
    hs_replay_free(replay);
    free(replay);
    hs_sim_delete(own.heap);
    return own.served;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"heap_4",    "idf-4.2", "idf-5.5",
                                        "heapscope", "umm",     "sys_heap"};
    check_random_t random = check_start(argc, argv);
    uint64_t served = 0;
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        served += try_one(names[i], &random);
    }
    CHECK(served != 0, "no request succeeds by moving");
    return 0;
}
