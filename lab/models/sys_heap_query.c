/* Questions to a heap of Zephyr's sys_heap and its integrity check. */
#include "seen.h"
#include "sys_heap.h"

uint32_t hs_sys_heap_usable(const hs_sim_t *heap, uint32_t offset)
{
    const hs_sys_heap_t *state = sys_heap_of_const(heap);
    uint32_t chunk = sys_heap_chunk_at(state, offset);
    return sys_heap_offset(state, sys_heap_right(state, chunk)) - state->header - offset;
}

/* ---- largest and fits ------------------------------------------------------------------------- */

/* The largest of the first `count` chunks of a bucket in use, in units. */
static uint32_t largest_in_bucket(const hs_sys_heap_t *state, uint32_t bucket, uint32_t count)
{
    uint32_t front = sys_heap_front(state, bucket);
    uint32_t chunk = front;
    uint32_t largest = 0;
    do {
        uint32_t size = sys_heap_size(state, chunk);
        largest = size > largest ? size : largest;
        chunk = sys_heap_next_free(state, chunk);
    } while (--count > 0 && chunk != front);
    return largest;
}

/* The highest bucket in use; 0 if all are empty. */
static uint32_t largest_of(const hs_sys_heap_t *state, uint32_t count)
{
    uint32_t bits = sys_heap_bucket_bits(state);
    uint32_t units = bits == 0 ? 0 : largest_in_bucket(state, hs_bits_highest(bits), count);
    return units == 0 ? 0 : sys_heap_payload(state, units);
}

/* Bound: visits the chunks of one bucket. */
uint32_t hs_sys_heap_largest_free(const hs_sim_t *heap)
{
    return largest_of(sys_heap_of_const(heap), heap->tally.free_blocks);
}

/* The chunk that the tries in the highest bucket find. Every smaller request is served too: by the same chunk,
 * or, from a lower bucket, by whatever is at the front of a higher one. */
uint32_t hs_sys_heap_largest_allocatable(hs_sim_t *heap)
{
    const hs_sys_heap_t *state = sys_heap_of_const(heap);
    const uint32_t payload = largest_of(state, SYS_HEAP_TRIES);
    const uint32_t slack = sys_heap_slack(state, sys_heap_build(heap)->alignment);
    return payload > slack ? payload - slack : 0;
}

/* Like a search, but without moving the bucket's front. */
bool hs_sys_heap_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const hs_sys_heap_t *state = sys_heap_of_const(heap);
    (void)at;
    if (size == 0 || sys_heap_is_too_large(state, size)) {
        return false;
    }
    if (align == 0) {
        align = sys_heap_build(heap)->alignment;
    }
    uint32_t units = sys_heap_units_for(state, size, sys_heap_slack(state, align));
    uint32_t bucket = sys_heap_bucket(state, units);
    uint32_t bits = sys_heap_bucket_bits(state) >> bucket;
    return bits > 1 || (bits == 1 && largest_in_bucket(state, bucket, SYS_HEAP_TRIES) >= units);
}

/* ---- reports and walk ------------------------------------------------------------------------- */

/* Without statistics it counts nothing; its debug listing adds up what is true. With them headers are
 * part of a chunk, and chunks in no bucket are not counted. The largest and the minimum, which it never
 * tells, are the true ones. */
void hs_sys_heap_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const hs_sys_heap_t *state = sys_heap_of_const(heap);
    const bool counts = sys_heap_build(heap)->statistics != 0;
    out->free = counts ? state->listed * SYS_HEAP_UNIT : heap->tally.free;
    out->minimum_free = heap->tally.minimum_free;
    out->largest_free = hs_sys_heap_largest_free(heap);
    out->allocated = counts ? state->allocated * SYS_HEAP_UNIT : heap->tally.used;
}

/* Ends early where a size leads out of the heap, so that damaged memory can be walked too. */
void hs_sys_heap_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const hs_sys_heap_t *state = sys_heap_of_const(heap);
    uint32_t chunk = state->first;
    while (chunk != state->end) {
        uint32_t size = sys_heap_size(state, chunk);
        if (size == 0 || size > state->end - chunk) {
            return;
        }
        hs_walk_block_t seen = {sys_heap_offset(state, chunk), sys_heap_payload(state, size),
                                sys_heap_is_used(state, chunk)};
        if (!visit(context, &seen)) {
            return;
        }
        chunk += size;
    }
}

/* ---- check ------------------------------------------------------------------------------------ */

typedef struct progress {
    hs_tally_t seen;
    uint32_t in_buckets; /* free chunks that are large enough to be in one */
    uint32_t left;       /* size of the chunk before */
    bool after_free;
} progress_t;

static hs_status_t fault_in(const hs_sys_heap_t *state, uint32_t chunk, uint32_t field,
                            uint32_t *where)
{
    return hs_seen_fault(sys_heap_field_at(state, chunk, field), where);
}

/* Could a chunk that is in a bucket be here? */
static bool is_free_chunk(const hs_sys_heap_t *state, uint32_t chunk)
{
    if (chunk < state->first || chunk >= state->end || sys_heap_is_used(state, chunk)) {
        return false;
    }
    uint32_t size = sys_heap_size(state, chunk);
    return size >= state->chunk_min && size <= state->end - chunk;
}

/* Linked from both sides by chunks of the same bucket. */
static hs_status_t check_links(const hs_sys_heap_t *state, uint32_t chunk, uint32_t *where)
{
    uint32_t bucket = sys_heap_bucket(state, sys_heap_size(state, chunk));
    uint32_t next = sys_heap_next_free(state, chunk);
    uint32_t previous = sys_heap_get(state, chunk, SYS_HEAP_PREVIOUS_FREE);
    if (!is_free_chunk(state, next) ||
        sys_heap_bucket(state, sys_heap_size(state, next)) != bucket ||
        sys_heap_get(state, next, SYS_HEAP_PREVIOUS_FREE) != chunk) {
        return fault_in(state, chunk, SYS_HEAP_NEXT_FREE, where);
    }
    if (!is_free_chunk(state, previous) || sys_heap_next_free(state, previous) != chunk) {
        return fault_in(state, chunk, SYS_HEAP_PREVIOUS_FREE, where);
    }
    return HS_OK;
}

static hs_status_t check_chunk(const hs_sys_heap_t *state, uint32_t chunk, progress_t *progress,
                               uint32_t *where)
{
    uint32_t size = sys_heap_size(state, chunk);
    bool used = sys_heap_is_used(state, chunk);
    if (size == 0 || size > state->end - chunk || (!used && progress->after_free)) {
        return fault_in(state, chunk, SYS_HEAP_SIZE, where);
    }
    if (sys_heap_get(state, chunk, SYS_HEAP_LEFT) != progress->left) {
        return fault_in(state, chunk, SYS_HEAP_LEFT, where);
    }
    progress->left = size;
    progress->after_free = !used;
    hs_seen_add(&progress->seen, sys_heap_payload(state, size), used);
    if (used || size < state->chunk_min) {
        return HS_OK;
    }
    progress->in_buckets++;
    return check_links(state, chunk, where);
}

/* Bound: each step goes up by at least one unit. */
static hs_status_t check_chunks(const hs_sys_heap_t *state, progress_t *progress, uint32_t *where)
{
    for (uint32_t chunk = state->first; chunk != state->end; chunk = sys_heap_right(state, chunk)) {
        hs_status_t status = check_chunk(state, chunk, progress, where);
        if (status != HS_OK) {
            return status;
        }
    }
    if (sys_heap_get(state, state->end, SYS_HEAP_SIZE) != 1) {
        return fault_in(state, state->end, SYS_HEAP_SIZE, where);
    }
    return sys_heap_get(state, state->end, SYS_HEAP_LEFT) == progress->left
               ? HS_OK
               : fault_in(state, state->end, SYS_HEAP_LEFT, where);
}

/* One ring; *left is how many chunks no bucket has held yet, which bounds the walk. */
static hs_status_t check_bucket(const hs_sys_heap_t *state, uint32_t bucket, uint32_t *left,
                                uint32_t *where)
{
    uint32_t at = sys_heap_bucket_at(state, bucket);
    uint32_t front = sys_heap_front(state, bucket);
    bool in_use = (sys_heap_bucket_bits(state) >> bucket & 1) != 0;
    if (in_use != (front != SYS_HEAP_NO_CHUNK)) {
        return hs_seen_fault(state->at + SYS_HEAP_BUCKET_BITS, where);
    }
    if (!in_use) {
        return HS_OK;
    }
    uint32_t chunk = front;
    do {
        if (*left == 0 || !is_free_chunk(state, chunk) ||
            sys_heap_bucket(state, sys_heap_size(state, chunk)) != bucket) {
            return hs_seen_fault(at, where);
        }
        --*left;
        chunk = sys_heap_next_free(state, chunk);
    } while (chunk != front);
    return HS_OK;
}

static hs_status_t check_buckets(const hs_sys_heap_t *state, uint32_t in_buckets, uint32_t *where)
{
    uint32_t left = in_buckets;
    for (uint32_t bucket = 0; bucket < state->buckets; bucket++) {
        hs_status_t status = check_bucket(state, bucket, &left, where);
        if (status != HS_OK) {
            return status;
        }
    }
    if (left != 0 || (sys_heap_bucket_bits(state) & hs_bits_from(state->buckets)) != 0) {
        return hs_seen_fault(state->at + SYS_HEAP_BUCKET_BITS, where);
    }
    return HS_OK;
}

static hs_status_t check_structure(const hs_sys_heap_t *state, uint32_t *where)
{
    if (hs_region_get(&state->heap, state->at + SYS_HEAP_END) != state->end) {
        return hs_seen_fault(state->at + SYS_HEAP_END, where);
    }
    if (sys_heap_get(state, 0, SYS_HEAP_SIZE) != (state->first << 1 | 1)) {
        return fault_in(state, 0, SYS_HEAP_SIZE, where);
    }
    return sys_heap_get(state, 0, SYS_HEAP_LEFT) == 0 ? HS_OK
                                                      : fault_in(state, 0, SYS_HEAP_LEFT, where);
}

hs_status_t hs_sys_heap_check(const hs_sim_t *heap, uint32_t *where)
{
    const hs_sys_heap_t *state = sys_heap_of_const(heap);
    progress_t progress = {{0, 0, 0, 0, 0, 0, 0}, 0, state->first, false};
    hs_status_t status = check_structure(state, where);
    if (status == HS_OK) {
        status = check_chunks(state, &progress, where);
    }
    if (status == HS_OK) {
        status = check_buckets(state, progress.in_buckets, where);
    }
    if (status == HS_OK && !hs_seen_agrees(&heap->tally, &progress.seen)) {
        return fault_in(state, state->first, SYS_HEAP_SIZE, where);
    }
    return status;
}
