/* The best hole against every run of neighbouring pieces, each tried on a copy of the heap. */
#include "../models/check.h"
#include "allocators/allocators.h"
#include "layout_for_tests.h"
#include "measure/hole.h"
#include "replay/replay.h"

#define REGION_SIZE 6144u
#define EVENTS 160u

static uint32_t state;

static uint32_t chance(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

/* Random blocks on one region, about half of them freed again. */
static void play(hs_replay_t *replay, const char *allocator)
{
    hs_lab_region_t region = region_like(DRAM, 0x3FFB0000u, REGION_SIZE, allocator);
    region.startup_use = 200;
    const hs_lab_config_t config = {.regions = &region,
                                    .region_count = 1,
                                    .malloc_threshold = UINT32_MAX,
                                    .malloc_small_caps = DEFAULT | INTERNAL};
    uint32_t where;
    CHECK(hs_replay_init(replay, &config, &where) == HS_OK, "init");
    uint64_t next = 0;
    for (uint64_t n = 0; n < EVENTS; n++) {
        hs_event_t event = {.kind = HS_EVENT_FREE, .key = chance((uint32_t)next + 1)};
        if (n % 3 != 2) {
            event = (hs_event_t){.kind = HS_EVENT_MALLOC, .key = next++, .size = 1 + chance(300)};
            if (chance(8) == 0) {
                event.kind = HS_EVENT_ALIGNED;
                event.align_log2 = 4 + (uint8_t)chance(3);
            }
        }
        CHECK(hs_replay_events(replay, n, &event, 1) == HS_OK, "event");
    }
}

static bool grows(hs_sim_t *heap, const hs_block_t *own, const hs_request_t *request)
{
    return !(own->place.aligned && heap->model->aligned_is_own) &&
           hs_sim_realloc(heap, own->place.offset, request->size) != HS_NONE;
}

static bool serves(const hs_chip_region_t *region, const hs_pieces_t *pieces, size_t first,
                   size_t last, const hs_request_t *request, const hs_block_t *own)
{
    hs_chip_region_t copy = *region;
    copy.heap = hs_sim_clone(region->heap);
    for (size_t i = first; i <= last; i++) {
        const hs_block_t *block = pieces->rows[i].block;
        if (block != NULL && block != own) {
            hs_sim_free(copy.heap, block->place.offset, block->place.aligned);
        }
    }
    bool fits = hs_region_fits(&copy, request);
    if (!fits && own != NULL && pieces->rows[first].block == own) {
        fits = grows(copy.heap, own, request);
    }
    hs_sim_delete(copy.heap);
    return fits;
}

/* The least live bytes of all runs; UINT32_MAX: no run serves. `own` may only begin one. */
static uint32_t least(const hs_chip_region_t *region, const hs_pieces_t *pieces,
                      const hs_request_t *request, const hs_block_t *own)
{
    uint32_t best = UINT32_MAX;
    for (size_t first = 0; first < pieces->count; first++) {
        uint32_t live = 0;
        for (size_t last = first; last < pieces->count; last++) {
            const hs_piece_t *piece = &pieces->rows[last];
            if (piece->used && (piece->block == NULL || (piece->block == own && last != first))) {
                break; /* start-up's: it never goes */
            }
            live += piece->used && piece->block != own ? piece->block->requested : 0;
            /* A smaller run may serve too, where it only changes in which order sys_heap looks. */
            const uint32_t end = piece->offset + piece->size;
            if (live < best && end - pieces->rows[first].offset >= request->size &&
                serves(region, pieces, first, last, request, own)) {
                best = live;
            }
        }
    }
    return best;
}

static void every_block_is_located(const hs_replay_t *replay, const hs_pieces_t *pieces)
{
    size_t known = 0, others = 0;
    for (size_t i = 0; i < pieces->count; i++) {
        known += pieces->rows[i].block != NULL;
        others += pieces->rows[i].used && pieces->rows[i].block == NULL;
    }
    CHECK(known == replay->measure.live_blocks, "%u of %u", (unsigned)known,
          (unsigned)replay->measure.live_blocks);
    CHECK(others >= 1, "the start-up's block is not of the trace");
}

static void find(const hs_chip_region_t *region, const hs_pieces_t *pieces, uint32_t size,
                 uint32_t align, const hs_block_t *own)
{
    const hs_request_t request = {.size = size, .align = align};
    hs_hole_t hole;
    const bool hit = hs_hole_find(region, pieces, &request, own, &hole);
    const uint32_t live = hit ? hole.live : UINT32_MAX;
    const uint32_t wanted = least(region, pieces, &request, own);
    CHECK(live == wanted, "%s: %u bytes%s: %u, not %u", region->heap->model->name, size,
          own != NULL ? " moved" : "", live, wanted);
}

/* A block may stay at the start of a hole and grow; it is not in its own way. */
static void a_block_grows(const hs_chip_region_t *region, const hs_pieces_t *pieces,
                          uint32_t largest)
{
    for (size_t i = 0; i < pieces->count; i += 5) {
        const hs_block_t *block = pieces->rows[i].block;
        if (block != NULL) {
            find(region, pieces, largest + 1 + block->requested / 2, 0, block);
        }
    }
}

static void the_best_hole_costs_least(const char *allocator, uint32_t seed)
{
    hs_replay_t replay;
    hs_pieces_t pieces;
    state = seed;
    play(&replay, allocator);
    const hs_chip_region_t *region = &replay.chip.region[0];
    CHECK(hs_pieces_init(&pieces, &replay.chip, 0, &replay.blocks) == HS_OK, "pieces");
    every_block_is_located(&replay, &pieces);
    const uint32_t largest = hs_region_largest_allocatable(region, 0);
    for (uint32_t more = 1; more < 2000; more = more * 3 + 1) {
        find(region, &pieces, largest + more, 0, NULL);
        find(region, &pieces, largest + more, 64, NULL);
    }
    a_block_grows(region, &pieces, largest);
    hs_pieces_free(&pieces);
    hs_replay_free(&replay);
}

static void a_stop_leaves_the_rest_of_the_trace_out(void)
{
    hs_lab_region_t region = region_like(DRAM, 0x3FFB0000u, REGION_SIZE, "idf-4.2");
    const hs_lab_config_t config = {.regions = &region,
                                    .region_count = 1,
                                    .malloc_threshold = UINT32_MAX,
                                    .malloc_small_caps = DEFAULT | INTERNAL};
    const hs_event_t events[] = {{.kind = HS_EVENT_MALLOC, .key = 0, .size = 100},
                                 {.kind = HS_EVENT_MALLOC, .key = 1, .size = 200},
                                 {.kind = HS_EVENT_MALLOC, .key = 2, .size = 400}};
    hs_replay_t replay;
    uint32_t where;
    CHECK(hs_replay_init(&replay, &config, &where) == HS_OK, "init");
    CHECK(hs_replay_stop(&replay, 2) == HS_OK, "stop");
    CHECK(hs_replay_events(&replay, 0, events, 3) == HS_OK, "events");
    CHECK(replay.measure.live.now == 300, "%u", (unsigned)replay.measure.live.now);
    CHECK(hs_replay_stop(&replay, 3) == HS_ERR_ARGUMENT, "too late");
    hs_replay_free(&replay);
}

int main(void)
{
    static const char *const allocators[] = {"idf-4.2",   "idf-4.3.2", "idf-5.5", "idf-5.5+light",
                                             "tlsf",      "umm",       "heap_4",  "sys_heap",
                                             "heapscope", "o1heap"};
    for (size_t i = 0; i < sizeof allocators / sizeof allocators[0]; i++) {
        for (uint32_t seed = 1; seed <= (uint32_t)check_rounds(20); seed++) {
            the_best_hole_costs_least(allocators[i], seed);
        }
    }
    a_stop_leaves_the_rest_of_the_trace_out();
    return 0;
}
