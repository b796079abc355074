/*
 * rlsf: two-level segregated fit with 32 lists in each of 28 powers of two.
 * Source: crate rlsf 0.2.3 src/tlsf.rs in 32-bit builds, FLLEN = SLLEN = 32; embedded-alloc 0.7.0 and
 * esp-alloc 0.11.0 use it without its realloc, so that theirs always takes a new block.
 *
 *     block + 0    size, a multiple of 16; bit 0: used; bit 1: the last block, of 16 bytes
 *     block + 4    address of the physically previous block; 0 in the first one
 *     block + 8    payload; free: address of the next one of its list, 0 at the end
 *     block + 12   free: of the previous one, 0 at the front
 *
 * An alignment of 16 or more puts the block's address into the word before the payload. The table of lists
 * (4,228 bytes) is a variable outside of the heap. heap->index->by_place has the blocks with such a word, and
 * where their payloads are, for walks: others may hold anything there.
 */
#include "bits.h"
#include "free_index.h"
#include "list.h"
#include "region.h"
#include "seen.h"

#define GRANULE UINT32_C(16)
#define HEADER UINT32_C(8)
#define PREVIOUS UINT32_C(4)
#define NEXT_FREE UINT32_C(8)
#define PREVIOUS_FREE UINT32_C(12)
#define USED UINT32_C(1)
#define LAST UINT32_C(2)
#define FIRST_LEVELS 28u
#define SECOND_LEVELS 32u
#define TOO_LARGE UINT32_C(0x80000000)

typedef struct rlsf_build {
    bool reallocates; /* in place where it can */
    bool reports;     /* free() and used() of embedded-alloc */
    uint32_t front;   /* bytes of esp-alloc's malloc for C, for the size */
} rlsf_build_t;

typedef struct rlsf {
    hs_sim_t heap;
    uint32_t start;
    uint32_t last; /* the block that ends the pool */
    uint32_t first_bits;
    uint32_t second_bits[FIRST_LEVELS];
    uint32_t heads[FIRST_LEVELS][SECOND_LEVELS];
} rlsf_t;

static rlsf_t *rlsf_of(hs_sim_t *heap)
{
    return (rlsf_t *)heap;
}

static const rlsf_t *rlsf_of_const(const hs_sim_t *heap)
{
    return (const rlsf_t *)heap;
}

static const rlsf_build_t *build_of(const hs_sim_t *heap)
{
    return heap->model->build;
}

/* ---- blocks ----------------------------------------------------------------------------------- */

static uint32_t up(uint32_t size)
{
    return (size + GRANULE - 1) & ~(GRANULE - 1);
}

static uint32_t size_of(const hs_sim_t *heap, uint32_t block)
{
    return hs_region_get(heap, block) & ~(GRANULE - 1);
}

static bool is_free(const hs_sim_t *heap, uint32_t block)
{
    return (hs_region_get(heap, block) & USED) == 0;
}

static void put(hs_sim_t *heap, uint32_t at, uint32_t word)
{
    hs_region_put(heap, at, word);
    heap->steps.writes++;
}

/* Links hold addresses and 0 for none. */
static uint32_t link_at(const hs_sim_t *heap, uint32_t at)
{
    const uint32_t word = hs_region_get(heap, at);
    return word == 0 ? HS_NONE : word - heap->base;
}

static void put_link(hs_sim_t *heap, uint32_t at, uint32_t block)
{
    put(heap, at, block == HS_NONE ? 0 : heap->base + block);
}

static void put_size(hs_sim_t *heap, uint32_t block, uint32_t size, uint32_t bits)
{
    put(heap, block, size | bits);
    put_link(heap, block + size + PREVIOUS, block);
}

/* ---- lists ------------------------------------------------------------------------------------ */

typedef struct place {
    uint32_t first, second;
} place_t;

/* The list of a block of that size. */
static place_t floor_of(uint32_t size)
{
    const uint32_t high = hs_bits_highest(size);
    const uint32_t second = high < 5 ? size << (5 - high) : size >> (high - 5);
    return (place_t){high - 4, second & (SECOND_LEVELS - 1)};
}

/* The first list of which every block has that size. */
static place_t ceiling_of(uint32_t size)
{
    const uint32_t high = hs_bits_highest(size);
    place_t place = floor_of(size);
    if (high > 5 && (size & ((UINT32_C(1) << (high - 5)) - 1)) != 0 &&
        ++place.second == SECOND_LEVELS) {
        place = (place_t){place.first + 1, 0};
    }
    return place;
}

static void list_add(rlsf_t *rlsf, uint32_t block, uint32_t size)
{
    const place_t place = floor_of(size);
    uint32_t *head = &rlsf->heads[place.first][place.second];
    put_link(&rlsf->heap, block + NEXT_FREE, *head);
    put_link(&rlsf->heap, block + PREVIOUS_FREE, HS_NONE);
    if (*head != HS_NONE) {
        put_link(&rlsf->heap, *head + PREVIOUS_FREE, block);
    }
    *head = block;
    rlsf->first_bits |= UINT32_C(1) << place.first;
    rlsf->second_bits[place.first] |= UINT32_C(1) << place.second;
    rlsf->heap.steps.writes += 3;
    rlsf->heap.tally.free += size - HEADER;
    rlsf->heap.tally.free_blocks++;
}

static void list_remove(rlsf_t *rlsf, uint32_t block)
{
    hs_sim_t *heap = &rlsf->heap;
    const uint32_t size = size_of(heap, block);
    const place_t place = floor_of(size);
    const uint32_t next = link_at(heap, block + NEXT_FREE);
    const uint32_t previous = link_at(heap, block + PREVIOUS_FREE);
    if (next != HS_NONE) {
        put_link(heap, next + PREVIOUS_FREE, previous);
    }
    if (previous != HS_NONE) {
        put_link(heap, previous + NEXT_FREE, next);
    } else {
        rlsf->heads[place.first][place.second] = next;
        heap->steps.writes++;
        if (next == HS_NONE) {
            rlsf->second_bits[place.first] &= ~(UINT32_C(1) << place.second);
            rlsf->first_bits &= ~((rlsf->second_bits[place.first] == 0 ? UINT32_C(1) : 0)
                                  << place.first);
            heap->steps.writes += 2;
        }
    }
    heap->tally.free -= size - HEADER;
    heap->tally.free_blocks--;
}

/* The first list in use from there on; false: none. */
static bool list_from(const rlsf_t *rlsf, place_t *place)
{
    if (place->first >= FIRST_LEVELS) {
        return false;
    }
    uint32_t second = rlsf->second_bits[place->first] & hs_bits_from(place->second);
    if (second == 0) {
        const uint32_t first = rlsf->first_bits & (hs_bits_from(place->first) << 1);
        if (first == 0) {
            return false;
        }
        place->first = hs_bits_lowest(first);
        second = rlsf->second_bits[place->first];
    }
    place->second = hs_bits_lowest(second);
    return true;
}

/* ---- malloc and free -------------------------------------------------------------------------- */

/* Bytes for which a request searches, 0: refused. */
static uint32_t searched(uint32_t align, uint32_t size)
{
    const uint32_t over = align > HEADER ? align : HEADER;
    return size == 0 || size >= TOO_LARGE - over - GRANULE ? 0 : up(size + over);
}

/* A block, free and in no list, is used up to `size`; the rest is free again. */
static void use(rlsf_t *rlsf, uint32_t block, uint32_t size)
{
    hs_sim_t *heap = &rlsf->heap;
    const uint32_t rest = size_of(heap, block) - size;
    if (rest != 0) {
        put_size(heap, block + size, rest, 0);
        list_add(rlsf, block + size, rest);
    }
    put_size(heap, block, size, USED);
}

static uint32_t allocate(rlsf_t *rlsf, uint32_t align, uint32_t size)
{
    hs_sim_t *heap = &rlsf->heap;
    const uint32_t wanted = searched(align, size);
    place_t place = {FIRST_LEVELS, 0};
    if (wanted != 0) {
        place = ceiling_of(wanted);
    }
    heap->steps.bins += 2;
    if (!list_from(rlsf, &place)) {
        return HS_NONE;
    }
    const uint32_t block = rlsf->heads[place.first][place.second];
    const uint32_t front = align > HEADER ? align : HEADER;
    const uint32_t payload = ((heap->base + block + HEADER + front - 1) & ~(front - 1)) - heap->base;
    heap->steps.nodes++;
    list_remove(rlsf, block);
    use(rlsf, block, up(payload - block + size));
    if (align >= GRANULE) {
        put_link(heap, payload - 4, block);
        const bool has_room = hs_order_add(&heap->index->by_place, hs_index_key(block, payload));
        HS_ASSERT(has_room); /* host memory ends */
        (void)has_room;
    }
    heap->tally.used += block + size_of(heap, block) - payload;
    heap->tally.used_blocks++;
    return payload;
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    return allocate(rlsf_of(heap), 4, size);
}

static uint32_t model_aligned(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    (void)at;
    return allocate(rlsf_of(heap), align, size);
}

/* Frees a block that is in no tally. */
static void release(rlsf_t *rlsf, uint32_t block)
{
    hs_sim_t *heap = &rlsf->heap;
    uint32_t size = size_of(heap, block);
    const uint32_t previous = link_at(heap, block + PREVIOUS);
    if (is_free(heap, block + size)) {
        list_remove(rlsf, block + size);
        size += size_of(heap, block + size);
    }
    if (previous != HS_NONE && is_free(heap, previous)) {
        list_remove(rlsf, previous);
        size += size_of(heap, previous);
        block = previous;
    }
    put_size(heap, block, size, 0);
    list_add(rlsf, block, size);
}

/* The block of a payload: the word before it leads to it, or, without an alignment, to the one before. */
static uint32_t aligned_block(const hs_sim_t *heap, uint32_t offset)
{
    const uint32_t block = link_at(heap, offset - 4);
    const bool is_own = block != HS_NONE && block < offset && block + size_of(heap, block) > offset;
    return is_own ? block : offset - HEADER;
}

static uint32_t usable(const hs_sim_t *heap, uint32_t block, uint32_t offset)
{
    return block + size_of(heap, block) - offset;
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    return usable(heap, offset - HEADER, offset);
}

static uint32_t aligned_usable(const hs_sim_t *heap, uint32_t offset)
{
    return usable(heap, aligned_block(heap, offset), offset);
}

static void give(hs_sim_t *heap, uint32_t block, uint32_t offset)
{
    heap->tally.used -= usable(heap, block, offset);
    heap->tally.used_blocks--;
    release(rlsf_of(heap), block);
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    give(heap, offset - HEADER, offset);
}

static void aligned_free(hs_sim_t *heap, uint32_t offset)
{
    const uint32_t block = aligned_block(heap, offset);
    if (block != offset - HEADER) {
        hs_order_remove(&heap->index->by_place, hs_index_key(block, offset));
    }
    give(heap, block, offset);
}

/* ---- realloc ---------------------------------------------------------------------------------- */

/* The block that is made of this one and of free neighbours, for `size`; HS_NONE: there is no room. */
static uint32_t widen(rlsf_t *rlsf, uint32_t block, uint32_t size)
{
    hs_sim_t *heap = &rlsf->heap;
    const uint32_t next = block + size_of(heap, block);
    const uint32_t previous = link_at(heap, block + PREVIOUS);
    uint32_t whole = size_of(heap, block) + (is_free(heap, next) ? size_of(heap, next) : 0);
    if (whole < size) {
        if (previous == HS_NONE || !is_free(heap, previous) ||
            whole + size_of(heap, previous) < size) {
            return HS_NONE;
        }
        heap->steps.copied += size_of(heap, block) - HEADER;
        list_remove(rlsf, previous);
        whole += size_of(heap, previous);
        block = previous;
    }
    if (is_free(heap, next)) {
        list_remove(rlsf, next);
    }
    put_size(heap, block, whole, 0);
    return block;
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t wanted)
{
    rlsf_t *rlsf = rlsf_of(heap);
    uint32_t block = offset - HEADER;
    const uint32_t old = size_of(heap, block);
    if (wanted >= TOO_LARGE - GRANULE - HEADER) {
        return HS_NONE;
    }
    const uint32_t size = up(HEADER + wanted);
    if (size < old) {
        put_size(heap, block, size, USED);
        put_size(heap, block + size, old - size, USED);
        heap->tally.used -= old - size;
        release(rlsf, block + size);
        return offset;
    }
    if (size > old) {
        block = widen(rlsf, block, size);
        if (block == HS_NONE) {
            const uint32_t moved = model_malloc(heap, wanted);
            if (moved != HS_NONE) {
                hs_region_note_low(heap);
                heap->steps.copied += old - HEADER;
                model_free(heap, offset);
            }
            return moved;
        }
        use(rlsf, block, size);
        heap->tally.used += size - old;
    }
    return block + HEADER;
}

/* ---- questions -------------------------------------------------------------------------------- */

static bool model_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const uint32_t wanted = searched(align == 0 ? 4 : align, size);
    (void)at;
    if (wanted == 0) {
        return false;
    }
    place_t place = ceiling_of(wanted);
    return list_from(rlsf_of_const(heap), &place);
}

/* The last list in use; false: none. */
static bool last_list(const rlsf_t *rlsf, place_t *place)
{
    if (rlsf->first_bits == 0) {
        return false;
    }
    place->first = hs_bits_highest(rlsf->first_bits);
    place->second = hs_bits_highest(rlsf->second_bits[place->first]);
    return true;
}

/* What every block of the last list has. */
static uint32_t model_largest_allocatable(hs_sim_t *heap)
{
    place_t place;
    if (!last_list(rlsf_of(heap), &place)) {
        return 0;
    }
    const uint32_t power = UINT32_C(1) << (place.first + 4);
    const uint32_t part = place.first == 0 ? 0 : (power >> 5) * place.second;
    return power + part - HEADER;
}

/* Bound: visits the blocks of one list. */
static uint32_t model_largest_free(const hs_sim_t *heap)
{
    const rlsf_t *rlsf = rlsf_of_const(heap);
    place_t place;
    uint32_t largest = 0;
    if (!last_list(rlsf, &place)) {
        return 0;
    }
    for (uint32_t block = rlsf->heads[place.first][place.second]; block != HS_NONE;
         block = link_at(heap, block + NEXT_FREE)) {
        const uint32_t size = size_of(heap, block) - HEADER;
        largest = size > largest ? size : largest;
    }
    return largest;
}

static void model_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const rlsf_t *rlsf = rlsf_of_const(heap);
    out->free = heap->tally.free;
    out->minimum_free = heap->tally.minimum_free; /* it knows neither */
    out->largest_free = model_largest_free(heap);
    out->allocated = build_of(heap)->reports
                         ? rlsf->last + GRANULE - rlsf->start - heap->tally.free
                         : heap->tally.used;
}

/* ---- walk and check --------------------------------------------------------------------------- */

static bool is_block(const rlsf_t *rlsf, uint32_t block)
{
    const uint32_t size = size_of(&rlsf->heap, block);
    return size >= GRANULE && size <= rlsf->last - block;
}

/* Where the payload of a used block begins. */
static uint32_t payload_at(const hs_sim_t *heap, uint32_t block)
{
    const hs_order_t *aligned = &heap->index->by_place;
    const uint32_t at = hs_order_below(aligned, hs_index_key(block, 0));
    const bool is_aligned = at < aligned->count && hs_order_high(aligned, at) == block;
    return is_aligned ? hs_order_low(aligned, at) : block + HEADER;
}

static void model_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const rlsf_t *rlsf = rlsf_of_const(heap);
    for (uint32_t block = rlsf->start; block != rlsf->last; block += size_of(heap, block)) {
        const bool is_used = !is_free(heap, block);
        if (!is_block(rlsf, block)) {
            return;
        }
        const uint32_t payload = is_used ? payload_at(heap, block) : block + HEADER;
        const hs_walk_block_t seen = {payload, usable(heap, block, payload), is_used};
        if (!visit(context, &seen)) {
            return;
        }
    }
}

/* Its neighbours know each other, and a free one its list. */
static bool is_sound(const rlsf_t *rlsf, uint32_t block, uint32_t previous)
{
    const hs_sim_t *heap = &rlsf->heap;
    const uint32_t word = hs_region_get(heap, block);
    if (!is_block(rlsf, block) || (word & (GRANULE - 1) & ~USED) != 0 ||
        link_at(heap, block + PREVIOUS) != previous) {
        return false;
    }
    if ((word & USED) != 0) {
        const uint32_t payload = payload_at(heap, block);
        return payload == block + HEADER || (payload < block + size_of(heap, block) &&
                                             link_at(heap, payload - 4) == block);
    }
    const place_t place = floor_of(size_of(heap, block));
    const uint32_t next = link_at(heap, block + NEXT_FREE);
    const uint32_t before = link_at(heap, block + PREVIOUS_FREE);
    const bool next_is_sound = next == HS_NONE || (next % 4 == rlsf->start % 4 && next < rlsf->last &&
                                                   link_at(heap, next + PREVIOUS_FREE) == block);
    const bool is_led_to = before == HS_NONE
                               ? rlsf->heads[place.first][place.second] == block
                               : before % 4 == rlsf->start % 4 && before < rlsf->last &&
                                     link_at(heap, before + NEXT_FREE) == block;
    return next_is_sound && is_led_to && (previous == HS_NONE || !is_free(heap, previous));
}

static hs_status_t model_check(const hs_sim_t *heap, uint32_t *where)
{
    const rlsf_t *rlsf = rlsf_of_const(heap);
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    uint32_t previous = HS_NONE;
    uint32_t block = rlsf->start;
    while (block != rlsf->last) {
        if (!is_sound(rlsf, block, previous)) {
            return hs_seen_fault(block, where);
        }
        const bool used = !is_free(heap, block);
        const uint32_t payload = used ? payload_at(heap, block) : block + HEADER;
        hs_seen_add(&seen, usable(heap, block, payload), used);
        previous = block;
        block += size_of(heap, block);
    }
    if (hs_region_get(heap, block) != (GRANULE | USED | LAST) ||
        link_at(heap, block + PREVIOUS) != previous) {
        return hs_seen_fault(block, where);
    }
    return hs_seen_agrees(&heap->tally, &seen) ? HS_OK : hs_seen_fault(rlsf->start, where);
}

static hs_status_t model_create(hs_sim_t *heap)
{
    rlsf_t *rlsf = rlsf_of(heap);
    const uint32_t start = (0u - heap->base) & (GRANULE - 1);
    if (heap->size < start + 2 * GRANULE) {
        return HS_ERR_MEMORY;
    }
    heap->index = hs_index_new(0);
    if (heap->index == NULL) {
        return HS_ERR_MEMORY;
    }
    heap->around.front = heap->around.owner = build_of(heap)->front;
    rlsf->start = start;
    rlsf->last = start + ((heap->size - start) & ~(GRANULE - 1)) - GRANULE;
    memset(rlsf->heads, 0xFF, sizeof rlsf->heads);
    put_size(heap, start, rlsf->last - start, 0);
    put_link(heap, start + PREVIOUS, HS_NONE);
    put(heap, rlsf->last, GRANULE | USED | LAST);
    list_add(rlsf, start, rlsf->last - start);
    heap->steps.writes = 0;
    return HS_OK;
}

#define SAME_IN_ALL_BUILDS                                                                         \
    .state_size = sizeof(rlsf_t), .granule = 4, .has_aligned = true, .aligned_is_own = true,       \
    .serves_up_to_largest = true, .undoes_malloc = true, .create = model_create,                   \
    .malloc = model_malloc, .free = model_free, .realloc = model_realloc,                          \
    .aligned = model_aligned, .aligned_free = aligned_free, .usable = model_usable,                \
    .aligned_usable = aligned_usable, .fits = model_fits,                                          \
    .largest_allocatable = model_largest_allocatable, .largest_free = model_largest_free,          \
    .reported = model_reported, .walk = model_walk, .check = model_check

const hs_model_t hs_model_rlsf = {
    .name = "rlsf",
    .title = "Rust's rlsf: two-level segregated fit with a granule of 16",
    .has_realloc = true,
    .build = &(const rlsf_build_t){true, false, 0},
    SAME_IN_ALL_BUILDS,
};

const hs_model_t hs_model_embedded_alloc_tlsf = {
    .name = "embedded-alloc-tlsf",
    .title = "TlsfHeap of embedded-alloc: rlsf whose realloc always moves",
    .build = &(const rlsf_build_t){false, true, 0},
    SAME_IN_ALL_BUILDS,
};

const hs_model_t hs_model_esp_alloc_tlsf = {
    .name = "esp-alloc-tlsf",
    .title = "esp-alloc with TLSF and one region: rlsf whose realloc always moves",
    .places_as = "embedded-alloc-tlsf",
    .build = &(const rlsf_build_t){false, false, 0},
    SAME_IN_ALL_BUILDS,
};

const hs_model_t hs_model_esp_alloc_malloc_tlsf = {
    .name = "esp-alloc-malloc-tlsf",
    .title = "esp-alloc's malloc for C with TLSF: a word in front of each block",
    .build = &(const rlsf_build_t){false, false, 4},
    SAME_IN_ALL_BUILDS,
};
