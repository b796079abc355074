/* Sizes, reports, the walk and the check of RT-Thread's slab. */
#include "slab.h"

#include "seen.h"

/* ---- questions -------------------------------------------------------------------------------- */

/* The largest size of which a zone has a free chunk, SLAB_SIZES: none. */
static uint32_t largest_size(const slab_t *slab)
{
    for (uint32_t word = SLAB_SIZE_WORDS; word-- > 0;) {
        if (slab->sizes[word] != 0) {
            return 32 * word + hs_bits_highest(slab->sizes[word]);
        }
    }
    return SLAB_SIZES;
}

static uint32_t largest_chunk(const slab_t *slab)
{
    const uint32_t number = largest_size(slab);
    return number == SLAB_SIZES ? 0 : hs_region_get(&slab->heap, slab->zones[number] + SLAB_CHUNK);
}

static uint32_t larger(uint32_t one, uint32_t other)
{
    return one > other ? one : other;
}

uint32_t hs_slab_largest_free(const hs_sim_t *heap)
{
    const slab_t *slab = slab_of_const(heap);
    const uint32_t zone = slab->kept == HS_NONE ? 0 : slab->zone_size;
    return larger(larger(runs_largest_free(heap, &slab->runs), zone), largest_chunk(slab));
}

uint32_t hs_slab_largest_allocatable(hs_sim_t *heap)
{
    slab_t *slab = slab_of(heap);
    slab->runs.largest = runs_largest(heap, &slab->runs);
    const uint32_t pages = slab->runs.largest.size;
    if (pages >= slab->limit) {
        return pages;
    }
    const uint32_t chunk = slab->kept == HS_NONE ? largest_chunk(slab) : slab->limit;
    return chunk < slab->limit ? chunk : slab->limit - 1;
}

bool hs_slab_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const slab_t *slab = slab_of_const(heap);
    const uint32_t pages = runs_largest_free(heap, &slab->runs);
    uint32_t number;
    (void)align; /* there is no aligned allocation */
    (void)at;
    if (size == 0 || size >= slab->limit) {
        return size != 0 && size <= pages;
    }
    (void)slab_chunk_size(size, &number);
    return slab->zones[number] != HS_NONE || slab->kept != HS_NONE || pages >= slab->zone_size;
}

void hs_slab_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const slab_t *slab = slab_of_const(heap);
    const uint32_t total = slab->end - slab->start;
    out->allocated = slab->used;
    out->free = total - slab->used;
    out->minimum_free = total - slab->most;
    out->largest_free = hs_slab_largest_free(heap);
}

/* ---- walk and check --------------------------------------------------------------------------- */

typedef struct walk {
    const slab_t *slab;
    hs_walk_fn visit; /* NULL: none */
    void *context;
    hs_tally_t seen;
    uint32_t runs;
    uint32_t kept;
    uint32_t free[SLAB_CHUNKS / 32]; /* of one zone */
} walk_t;

/* Returns false to stop. */
static bool show(walk_t *walk, uint32_t offset, uint32_t size, bool used)
{
    const hs_walk_block_t block = {offset, size, used};
    hs_seen_add(&walk->seen, size, used);
    return walk->visit == NULL || walk->visit(walk->context, &block);
}

static bool is_free(const walk_t *walk, uint32_t number)
{
    return (walk->free[number / 32] >> number % 32 & 1) != 0;
}

/* Marks the zone's chunks that are free. false: damaged. */
static bool mark_free(walk_t *walk, uint32_t zone)
{
    const hs_sim_t *heap = &walk->slab->heap;
    const uint32_t chunk = hs_region_get(heap, zone + SLAB_CHUNK);
    const uint32_t all = hs_region_get(heap, zone + SLAB_ALL);
    const uint32_t highest = hs_region_get(heap, zone + SLAB_HIGHEST);
    const uint32_t first = slab_link(heap, zone + SLAB_FIRST);
    uint32_t count = all - 1 - highest;
    memset(walk->free, 0, sizeof walk->free);
    for (uint32_t number = highest + 1; number < all; number++) {
        walk->free[number / 32] |= UINT32_C(1) << number % 32;
    }
    for (uint32_t at = slab_link(heap, zone + SLAB_FREED); at != HS_NONE;
         at = slab_link(heap, at)) {
        const uint32_t number = (at - first) / chunk;
        if (at < first || (at - first) % chunk != 0 || number >= all || is_free(walk, number)) {
            return false;
        }
        walk->free[number / 32] |= UINT32_C(1) << number % 32;
        count++;
    }
    return count == hs_region_get(heap, zone + SLAB_FREE);
}

/* Whether a zone with a free chunk stands in the list of its size. */
static bool is_led_to(const slab_t *slab, uint32_t zone, uint32_t number)
{
    uint32_t left = (slab->end - slab->start) / slab->zone_size;
    uint32_t at = slab->zones[number];
    while (at != zone && at >= slab->start && at <= slab->end - slab->zone_size && left-- > 0) {
        at = slab_link(&slab->heap, at + SLAB_NEXT);
    }
    return at == zone;
}

static bool show_chunks(walk_t *walk, uint32_t zone)
{
    const slab_t *slab = walk->slab;
    const hs_sim_t *heap = &slab->heap;
    const uint32_t chunk = hs_region_get(heap, zone + SLAB_CHUNK);
    const uint32_t all = hs_region_get(heap, zone + SLAB_ALL);
    const uint32_t has = hs_region_get(heap, zone + SLAB_FREE);
    uint32_t number;
    if (hs_region_get(heap, zone) != SLAB_MAGIC || chunk == 0 || chunk >= slab->limit + 1 ||
        slab_chunk_size(chunk, &number) != chunk ||
        number != hs_region_get(heap, zone + SLAB_NUMBER) ||
        slab_link(heap, zone + SLAB_FIRST) != zone + slab_chunks_at(chunk) ||
        all != (slab->zone_size - slab_chunks_at(chunk)) / chunk ||
        hs_region_get(heap, zone + SLAB_HIGHEST) >= all || !mark_free(walk, zone) ||
        (has != 0 ? !is_led_to(slab, zone, number) : hs_region_get(heap, zone + SLAB_NEXT) != 0)) {
        return false;
    }
    for (uint32_t i = 0; i < all; i++) {
        if (!show(walk, zone + slab_chunks_at(chunk) + i * chunk, chunk, !is_free(walk, i))) {
            return false;
        }
    }
    return true;
}

/* A zone that is kept is the next one of those, or behind it. */
static bool show_kept(walk_t *walk, uint32_t zone)
{
    const slab_t *slab = walk->slab;
    uint32_t at = slab->kept;
    for (uint32_t i = 0; i < slab->kept_count && at != zone; i++) {
        at = slab_link(&slab->heap, at + SLAB_NEXT);
        if (at < slab->start || at > slab->end - slab->zone_size) {
            return false;
        }
    }
    walk->kept++;
    return at == zone && show(walk, zone, slab->zone_size, false);
}

static bool show_zone(walk_t *walk, uint32_t zone)
{
    const slab_t *slab = walk->slab;
    const hs_sim_t *heap = &slab->heap;
    for (uint32_t page = 0; page < slab->zone_size >> SLAB_PAGE_BITS; page++) {
        if (slab->end - zone < slab->zone_size ||
            hs_region_get(heap, slab_page_word(slab, zone) + 4 * page) !=
                (SLAB_IN_ZONE | page << SLAB_COUNT_BITS)) {
            return false;
        }
    }
    return hs_region_get(heap, zone) == SLAB_KEPT ? show_kept(walk, zone) : show_chunks(walk, zone);
}

/* A free run says of itself what the index says. */
static bool show_run(walk_t *walk, uint32_t at)
{
    const hs_sim_t *heap = &walk->slab->heap;
    const uint32_t number = walk->runs++;
    const uint32_t next = number + 1 < runs_of(heap)->count ? run_start(heap, number + 1) : HS_NONE;
    return slab_link(heap, at) == next &&
           hs_region_get(heap, at + SLAB_RUN_PAGES) == run_size(heap, number) >> SLAB_PAGE_BITS &&
           show(walk, at, run_size(heap, number), false);
}

/* Returns where it stopped, or the end. */
static uint32_t walk_pages(walk_t *walk)
{
    const slab_t *slab = walk->slab;
    const hs_sim_t *heap = &slab->heap;
    uint32_t size = 0;
    for (uint32_t at = slab->start + heap->tally.control - SLAB_OBJECT; at != slab->end;
         at += size) {
        const bool is_run = walk->runs < runs_of(heap)->count && run_start(heap, walk->runs) == at;
        const uint32_t word = hs_region_get(heap, slab_page_word(slab, at));
        bool goes_on = false;
        size = word >> SLAB_COUNT_BITS << SLAB_PAGE_BITS;
        if (is_run) {
            size = run_size(heap, walk->runs);
            goes_on = show_run(walk, at);
        } else if ((word & SLAB_KIND) == SLAB_IN_ZONE) {
            size = slab->zone_size;
            goes_on = show_zone(walk, at);
        } else if ((word & SLAB_KIND) == SLAB_OF_BLOCK && size != 0 && size <= slab->end - at) {
            goes_on = show(walk, at, size, true);
        }
        if (!goes_on) {
            return at;
        }
    }
    return slab->end;
}

void hs_slab_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    walk_t walk = {.slab = slab_of_const(heap), .visit = visit, .context = context};
    (void)walk_pages(&walk);
}

hs_status_t hs_slab_check(const hs_sim_t *heap, uint32_t *where)
{
    const slab_t *slab = slab_of_const(heap);
    walk_t walk = {.slab = slab};
    const uint32_t end = walk_pages(&walk);
    if (end != slab->end) {
        return hs_seen_fault(end, where);
    }
    return walk.kept == slab->kept_count && hs_seen_agrees(&heap->tally, &walk.seen)
               ? HS_OK
               : hs_seen_fault(slab->start, where);
}
