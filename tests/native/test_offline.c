/* A placement that knows all lifetimes never puts two live blocks on one address, and takes no less than is live. */
#include <stdlib.h>
#include <string.h>

#include "../models/check.h"
#include "offline/offline.h"

#define EVENTS 1200u
#define KEYS 200u
#define GRANULE 8u

static hs_event_t some_event(check_random_t *random, uint32_t phase)
{
    static const uint8_t kinds[] = {HS_EVENT_MALLOC,  HS_EVENT_MALLOC, HS_EVENT_CALLOC,
                                    HS_EVENT_ALIGNED, HS_EVENT_FREE,   HS_EVENT_FREE,
                                    HS_EVENT_FREE,    HS_EVENT_FREE,   HS_EVENT_REALLOC};
    hs_event_t event = {.kind = kinds[check_below(random, sizeof kinds)]};
    event.key = event.new_key = check_below(random, 20 + phase % KEYS);
    event.size = event.kind == HS_EVENT_FREE ? 0 : check_below(random, 1u + 900u);
    event.align_log2 = (uint8_t)(event.kind == HS_EVENT_ALIGNED ? check_below(random, 8) : 0);
    return event;
}

static bool meet(const hs_offline_block_t *blocks, uint32_t first, uint32_t second)
{
    const hs_offline_block_t *a = &blocks[first], *b = &blocks[second];
    return second < a->end && a->size != 0 && b->size != 0 && a->offset < b->offset + b->size &&
           b->offset < a->offset + a->size;
}

static void check_blocks(const hs_offline_blocks_t *all, uint64_t top)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const hs_offline_block_t *block = &all->blocks[i];
        CHECK(block->end > i && block->end <= all->count, "block %u ends at %u", i, block->end);
        CHECK(block->offset % block->align == 0, "block %u is not aligned", i);
        CHECK((uint64_t)block->offset + block->size <= top, "block %u is above the top", i);
        for (uint32_t other = i + 1; other < block->end; other++) {
            CHECK(!meet(all->blocks, i, other), "blocks %u and %u overlap", i, other);
        }
    }
}

static uint64_t live_peak(const hs_offline_blocks_t *all)
{
    uint64_t most = 0;
    for (uint32_t now = 0; now < all->count; now++) {
        uint64_t live = 0;
        for (uint32_t i = 0; i <= now; i++) {
            live += all->blocks[i].end > now ? all->blocks[i].size : 0;
        }
        most = live > most ? live : most;
    }
    return most;
}

static void try_trace(check_random_t *random)
{
    hs_fit_t fit;
    hs_offline_blocks_t all;
    hs_lab_offline_t out;
    uint64_t top;
    CHECK(hs_fit_init(&fit, 0x20000000u) == HS_OK, "no memory");
    for (uint32_t i = 0; i < EVENTS; i++) {
        const hs_event_t event = some_event(random, i);
        CHECK(hs_fit_events(&fit, &event, 1) == HS_OK, "event %u", i);
    }
    CHECK(hs_offline_read(&all, &fit, EVENTS) == HS_OK, "not read");
    CHECK(hs_offline_place(&all, &top) == HS_OK && top != 0, "not placed");
    check_blocks(&all, top);
    CHECK(all.peak == live_peak(&all), "%u granules are live", (unsigned)all.peak);
    CHECK(hs_offline(&fit, &out) == HS_OK, "no answer");
    CHECK(out.live == GRANULE * all.peak && out.placed == GRANULE * top, "another answer");
    CHECK(out.placed >= out.live && out.placed < out.live + out.live / 4, "%u B for %u B",
          (unsigned)out.placed, (unsigned)out.live);
    free(all.blocks);
    hs_fit_free(&fit);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    for (int round = check_rounds(1); round > 0; round--) {
        try_trace(&random);
    }
    return 0;
}
