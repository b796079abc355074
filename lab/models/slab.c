#include "slab.h"

#include "list.h"

static void put(hs_sim_t *heap, uint32_t at, uint32_t word)
{
    hs_region_put(heap, at, word);
    heap->steps.writes++;
}

static void put_link(hs_sim_t *heap, uint32_t at, uint32_t place)
{
    put(heap, at, place == HS_NONE ? 0 : heap->base + place);
}

static void add_to(hs_sim_t *heap, uint32_t at, uint32_t more)
{
    put(heap, at, hs_region_get(heap, at) + more);
}

/* ---- pages ------------------------------------------------------------------------------------ */

/* Writes what the run of that number says, and the link that leads to it. */
static void run_write(slab_t *slab, uint32_t at)
{
    hs_sim_t *heap = &slab->heap;
    if (at != 0 && at <= runs_of(heap)->count) {
        put_link(heap, run_start(heap, at - 1),
                 at < runs_of(heap)->count ? run_start(heap, at) : HS_NONE);
    }
    if (at < runs_of(heap)->count) {
        put_link(heap, run_start(heap, at),
                 at + 1 < runs_of(heap)->count ? run_start(heap, at + 1) : HS_NONE);
        put(heap, run_start(heap, at) + SLAB_RUN_PAGES, run_size(heap, at) >> SLAB_PAGE_BITS);
    }
}

/* The low end of the first run that has so many bytes, whole pages; HS_NONE. */
static uint32_t pages_take(slab_t *slab, uint32_t bytes)
{
    hs_sim_t *heap = &slab->heap;
    for (uint32_t at = 0; at < runs_of(heap)->count; at++) {
        heap->steps.nodes++;
        if (run_size(heap, at) >= bytes) {
            const uint32_t start = run_start(heap, at);
            runs_use(heap, &slab->runs, start, start + bytes);
            run_write(slab, at);
            return start;
        }
    }
    return HS_NONE;
}

static void pages_give(slab_t *slab, uint32_t start, uint32_t bytes)
{
    hs_sim_t *heap = &slab->heap;
    runs_free(heap, &slab->runs, start, start + bytes);
    const uint32_t at = run_from(heap, start + 1) - 1;
    heap->steps.nodes += at + UINT64_C(1);
    run_write(slab, at);
}

/* ---- zones ------------------------------------------------------------------------------------ */

/* The first zone with free chunks of a size. */
static void lead(slab_t *slab, uint32_t number, uint32_t zone)
{
    const uint32_t bit = UINT32_C(1) << number % 32;
    slab->zones[number] = zone;
    if (zone == HS_NONE) {
        slab->sizes[number / 32] &= ~bit;
    } else {
        slab->sizes[number / 32] |= bit;
    }
}

static void count_used(slab_t *slab, uint32_t bytes)
{
    slab->heap.tally.used += bytes;
    slab->heap.tally.used_blocks++;
    slab->used += bytes;
    slab->most = slab->used > slab->most ? slab->used : slab->most;
}

static void count_freed(slab_t *slab, uint32_t bytes)
{
    slab->heap.tally.used -= bytes;
    slab->heap.tally.used_blocks--;
    slab->used -= bytes;
}

static void count_chunks(slab_t *slab, uint32_t chunk, uint32_t chunks)
{
    slab->heap.tally.free += chunk * chunks;
    slab->heap.tally.free_blocks += chunks;
}

/* A zone without chunks; HS_NONE. */
static uint32_t zone_take(slab_t *slab)
{
    hs_sim_t *heap = &slab->heap;
    if (slab->kept != HS_NONE) {
        const uint32_t zone = slab->kept;
        slab->kept = slab_link(heap, zone + SLAB_NEXT);
        slab->kept_count--;
        heap->tally.free -= slab->zone_size;
        heap->tally.free_blocks--;
        return zone;
    }
    const uint32_t zone = pages_take(slab, slab->zone_size);
    const uint32_t pages = zone == HS_NONE ? 0 : slab->zone_size >> SLAB_PAGE_BITS;
    for (uint32_t page = 0; page < pages; page++) {
        put(heap, slab_page_word(slab, zone) + 4 * page, SLAB_IN_ZONE | page << SLAB_COUNT_BITS);
    }
    return zone;
}

/* A new zone for a size, all of whose chunks are free; HS_NONE. */
static uint32_t zone_new(slab_t *slab, uint32_t chunk, uint32_t number)
{
    hs_sim_t *heap = &slab->heap;
    const uint32_t zone = zone_take(slab);
    if (zone == HS_NONE) {
        return HS_NONE;
    }
    const uint32_t chunks = (slab->zone_size - slab_chunks_at(chunk)) / chunk;
    put(heap, zone, SLAB_MAGIC);
    put(heap, zone + SLAB_FREE, chunks);
    put(heap, zone + SLAB_ALL, chunks);
    put_link(heap, zone + SLAB_NEXT, slab->zones[number]);
    put_link(heap, zone + SLAB_FIRST, zone + slab_chunks_at(chunk));
    put(heap, zone + SLAB_HIGHEST, 0);
    put(heap, zone + SLAB_CHUNK, chunk);
    put(heap, zone + SLAB_NUMBER, number);
    put(heap, zone + SLAB_FREED, 0);
    lead(slab, number, zone);
    count_chunks(slab, chunk, chunks);
    return zone;
}

/* A zone whose chunks all are free is kept for another size; of three that are kept, the last goes back. */
static void zone_keep(slab_t *slab, uint32_t zone)
{
    hs_sim_t *heap = &slab->heap;
    const uint32_t number = hs_region_get(heap, zone + SLAB_NUMBER);
    const uint32_t next = slab_link(heap, zone + SLAB_NEXT);
    heap->steps.nodes++;
    if (slab->zones[number] == zone) {
        lead(slab, number, next);
    } else {
        uint32_t before = slab->zones[number];
        while (slab_link(heap, before + SLAB_NEXT) != zone) {
            before = slab_link(heap, before + SLAB_NEXT);
            heap->steps.nodes++;
        }
        put_link(heap, before + SLAB_NEXT, next);
    }
    count_chunks(slab, hs_region_get(heap, zone + SLAB_CHUNK),
                 0u - hs_region_get(heap, zone + SLAB_ALL));
    put(heap, zone, SLAB_KEPT);
    put_link(heap, zone + SLAB_NEXT, slab->kept);
    if (slab->kept_count < SLAB_KEPT_MAX) {
        slab->kept = zone;
        slab->kept_count++;
        heap->tally.free += slab->zone_size;
        heap->tally.free_blocks++;
        return;
    }
    for (uint32_t page = 0; page < slab->zone_size >> SLAB_PAGE_BITS; page++) {
        put(heap, slab_page_word(slab, zone) + 4 * page, 0);
    }
    pages_give(slab, zone, slab->zone_size);
}

/* ---- malloc, free, realloc -------------------------------------------------------------------- */

static uint32_t take_pages(slab_t *slab, uint32_t size)
{
    const uint32_t bytes = (size + SLAB_ROUND) & ~SLAB_ROUND;
    const uint32_t block = bytes == 0 ? HS_NONE : pages_take(slab, bytes);
    if (block != HS_NONE) {
        put(&slab->heap, slab_page_word(slab, block),
            SLAB_OF_BLOCK | bytes >> SLAB_PAGE_BITS << SLAB_COUNT_BITS);
        count_used(slab, bytes);
    }
    return block;
}

/* Chunks that were never used come first, from the low end on. */
static uint32_t take_chunk(slab_t *slab, uint32_t zone, uint32_t chunk, bool is_new)
{
    hs_sim_t *heap = &slab->heap;
    const uint32_t all = hs_region_get(heap, zone + SLAB_ALL);
    const uint32_t highest = hs_region_get(heap, zone + SLAB_HIGHEST);
    const uint32_t first = slab_link(heap, zone + SLAB_FIRST);
    uint32_t block = first;
    add_to(heap, zone + SLAB_FREE, 0u - 1u);
    if (hs_region_get(heap, zone + SLAB_FREE) == 0) {
        lead(slab, hs_region_get(heap, zone + SLAB_NUMBER), slab_link(heap, zone + SLAB_NEXT));
        put(heap, zone + SLAB_NEXT, 0);
    }
    if (!is_new && highest + 1 != all) {
        put(heap, zone + SLAB_HIGHEST, highest + 1);
        block = first + (highest + 1) * chunk;
    } else if (!is_new) {
        block = slab_link(heap, zone + SLAB_FREED);
        put(heap, zone + SLAB_FREED, hs_region_get(heap, block));
    }
    count_chunks(slab, chunk, 0u - 1u);
    count_used(slab, chunk);
    return block;
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    slab_t *slab = slab_of(heap);
    uint32_t number;
    if (size == 0) {
        return HS_NONE;
    }
    if (size >= slab->limit) {
        return take_pages(slab, size);
    }
    const uint32_t chunk = slab_chunk_size(size, &number);
    const uint32_t zone = slab->zones[number];
    heap->steps.bins++;
    if (zone != HS_NONE) {
        return take_chunk(slab, zone, chunk, false);
    }
    const uint32_t fresh = zone_new(slab, chunk, number);
    return fresh == HS_NONE ? HS_NONE : take_chunk(slab, fresh, chunk, true);
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    const slab_t *slab = slab_of_const(heap);
    const uint32_t zone = slab_zone_of(slab, offset);
    return zone == HS_NONE ? hs_region_get(heap, slab_page_word(slab, offset)) >>
                                 SLAB_COUNT_BITS << SLAB_PAGE_BITS
                           : hs_region_get(heap, zone + SLAB_CHUNK);
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    slab_t *slab = slab_of(heap);
    const uint32_t zone = slab_zone_of(slab, offset);
    const uint32_t bytes = model_usable(heap, offset);
    count_freed(slab, bytes);
    if (zone == HS_NONE) {
        put(heap, slab_page_word(slab, offset), SLAB_OF_BLOCK);
        pages_give(slab, offset, bytes);
        return;
    }
    const uint32_t number = hs_region_get(heap, zone + SLAB_NUMBER);
    const uint32_t had = hs_region_get(heap, zone + SLAB_FREE);
    put(heap, offset, hs_region_get(heap, zone + SLAB_FREED));
    put_link(heap, zone + SLAB_FREED, offset);
    put(heap, zone + SLAB_FREE, had + 1);
    count_chunks(slab, bytes, 1);
    if (had == 0) {
        put_link(heap, zone + SLAB_NEXT, slab->zones[number]);
        lead(slab, number, zone);
    }
    const bool is_alone =
        slab->zones[number] == zone && slab_link(heap, zone + SLAB_NEXT) == HS_NONE;
    if (had + 1 == hs_region_get(heap, zone + SLAB_ALL) && !is_alone) {
        zone_keep(slab, zone);
    }
}

/* A request below the limit is rounded to its chunk first, which may reach the limit. */
static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    slab_t *slab = slab_of(heap);
    const uint32_t old = model_usable(heap, offset);
    uint32_t number;
    if (slab_zone_of(slab, offset) != HS_NONE && size < SLAB_LIMIT_MAX) {
        size = slab_chunk_size(size, &number);
        if (size == old) {
            return offset;
        }
    }
    const uint32_t moved = model_malloc(heap, size);
    if (moved != HS_NONE) {
        hs_region_note_low(heap);
        heap->steps.copied += old < size ? old : size;
        model_free(heap, offset);
    }
    return moved;
}

static hs_status_t model_create(hs_sim_t *heap)
{
    slab_t *slab = slab_of(heap);
    const uint32_t object = ((0u - heap->base) & SLAB_OBJECT_ROUND) + SLAB_OBJECT;
    slab->start = object + ((0u - (heap->base + object)) & SLAB_ROUND);
    slab->end = heap->size - ((heap->base + heap->size) & SLAB_ROUND);
    if (heap->size < slab->start + 2 * SLAB_PAGE || slab->end < slab->start + 2 * SLAB_PAGE) {
        return HS_ERR_MEMORY;
    }
    heap->index = hs_index_new(0);
    if (heap->index == NULL) {
        return HS_ERR_MEMORY;
    }
    const uint32_t bytes = slab->end - slab->start;
    const uint32_t table = (4 * (bytes >> SLAB_PAGE_BITS) + SLAB_ROUND) & ~SLAB_ROUND;
    for (slab->zone_size = SLAB_ZONE_MIN;
         slab->zone_size < SLAB_ZONE_MAX && 2 * slab->zone_size < bytes / 1024;) {
        slab->zone_size *= 2;
    }
    slab->limit = slab->zone_size / 4 < SLAB_LIMIT_MAX ? slab->zone_size / 4 : SLAB_LIMIT_MAX;
    for (uint32_t number = 0; number < SLAB_SIZES; number++) {
        slab->zones[number] = HS_NONE;
    }
    slab->kept = HS_NONE;
    run_add(heap, &slab->runs, slab->start + table, slab->end);
    run_write(slab, 0);
    heap->tally.control = SLAB_OBJECT + table;
    heap->steps.writes = 0;
    return HS_OK;
}

const hs_model_t hs_model_rtthread_slab = {
    .name = "rtthread-slab",
    .title = "RT-Thread's slab: zones of chunks of one size, and pages",
    .state_size = sizeof(slab_t),
    .granule = 8,
    .has_realloc = true,
    .create = model_create,
    .malloc = model_malloc,
    .free = model_free,
    .realloc = model_realloc,
    .usable = model_usable,
    .fits = hs_slab_fits,
    .largest_allocatable = hs_slab_largest_allocatable,
    .largest_free = hs_slab_largest_free,
    .reported = hs_slab_reported,
    .walk = hs_slab_walk,
    .check = hs_slab_check,
};
