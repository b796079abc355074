/*
 * Zephyr's sys_heap: chunks of 8-byte units, a bucket for each power of two.
 * Source: Zephyr lib/heap/heap.c and heap.h, for 32-bit targets, CONFIG_SYS_HEAP_ALLOC_LOOPS 3; k_malloc
 * of kernel/mempool.c, malloc of lib/libc/common/source/stdlib/malloc.c.
 *
 *     +0     chunk 0, the structure: its header, in a room of 8 bytes
 *     +8     units of the heap, bitmap of buckets in use
 *     +16    for each bucket the chunk with which its next search begins, 0 if it is empty
 *            chunks
 *     end    a chunk of size 0, used
 *
 *     chunk  size of the chunk to the left; its own size times 2, bit 0: used; payload, in a free
 *            chunk the previous and the next one of its bucket
 *
 * All sizes and links are in units, as half words in heaps to 32767 units, as words in larger ones,
 * where a chunk of one unit has no room for links and is in no bucket. Buckets are rings: chunks are
 * put in at the back, and a search moves the front on even if it finds nothing.
 *
 * Run-time statistics are three more words behind the buckets. The C library's malloc and realloc ask for
 * the alignment of max_align_t, 8 on Arm and 16 on RISC-V, and k_malloc for a word more, in which it keeps
 * its heap's address in front of what the program gets.
 */
#include "sys_heap.h"

#include "list.h"

/* ---- buckets ---------------------------------------------------------------------------------- */

static void set_front(hs_sys_heap_t *state, uint32_t bucket, uint32_t chunk)
{
    hs_region_put(&state->heap, sys_heap_bucket_at(state, bucket), chunk);
    state->heap.steps.writes++;
}

static void flip_bucket_bit(hs_sys_heap_t *state, uint32_t bucket)
{
    uint32_t bits = sys_heap_bucket_bits(state) ^ UINT32_C(1) << bucket;
    hs_region_put(&state->heap, state->at + SYS_HEAP_BUCKET_BITS, bits);
    state->heap.steps.writes++;
}

static void join(hs_sys_heap_t *state, uint32_t first, uint32_t second)
{
    sys_heap_set(state, first, SYS_HEAP_NEXT_FREE, second);
    sys_heap_set(state, second, SYS_HEAP_PREVIOUS_FREE, first);
}

/* A free chunk goes to the back of its bucket. */
static void bucket_add(hs_sys_heap_t *state, uint32_t chunk)
{
    uint32_t size = sys_heap_size(state, chunk);
    state->heap.tally.free += sys_heap_payload(state, size);
    state->heap.tally.free_blocks++;
    if (size < state->chunk_min) {
        return;
    }
    state->listed += size;
    uint32_t bucket = sys_heap_bucket(state, size);
    uint32_t front = sys_heap_front(state, bucket);
    if (front == SYS_HEAP_NO_CHUNK) {
        flip_bucket_bit(state, bucket);
        set_front(state, bucket, chunk);
        join(state, chunk, chunk);
    } else {
        join(state, sys_heap_get(state, front, SYS_HEAP_PREVIOUS_FREE), chunk);
        join(state, chunk, front);
    }
}

/* The front becomes the chunk behind the one that leaves, even if that was not the front. */
static void bucket_remove(hs_sys_heap_t *state, uint32_t chunk)
{
    uint32_t size = sys_heap_size(state, chunk);
    state->heap.tally.free -= sys_heap_payload(state, size);
    state->heap.tally.free_blocks--;
    if (size < state->chunk_min) {
        return;
    }
    state->listed -= size;
    uint32_t bucket = sys_heap_bucket(state, size);
    uint32_t next = sys_heap_next_free(state, chunk);
    if (next == chunk) {
        flip_bucket_bit(state, bucket);
        set_front(state, bucket, SYS_HEAP_NO_CHUNK);
    } else {
        set_front(state, bucket, next);
        join(state, sys_heap_get(state, chunk, SYS_HEAP_PREVIOUS_FREE), next);
    }
}

/* Looks at a few chunks of the bucket of `units`, moving its front past those that are too small.
 * Bound: SYS_HEAP_TRIES. */
static uint32_t search_bucket(hs_sys_heap_t *state, uint32_t bucket, uint32_t units)
{
    uint32_t first = sys_heap_front(state, bucket);
    uint32_t chunk = first;
    if (first == SYS_HEAP_NO_CHUNK) {
        return SYS_HEAP_NO_CHUNK;
    }
    for (int tries = SYS_HEAP_TRIES; tries > 0; tries--) {
        state->heap.steps.nodes++;
        if (sys_heap_size(state, chunk) >= units) {
            return chunk;
        }
        chunk = sys_heap_next_free(state, chunk);
        set_front(state, bucket, chunk);
        if (chunk == first) {
            break;
        }
    }
    return SYS_HEAP_NO_CHUNK;
}

/* Takes a free chunk of at least `units` out of its bucket. */
static uint32_t take(hs_sys_heap_t *state, uint32_t units)
{
    uint32_t bucket = sys_heap_bucket(state, units);
    uint32_t chunk = search_bucket(state, bucket, units);
    state->heap.steps.bins++;
    if (chunk == SYS_HEAP_NO_CHUNK) {
        uint32_t larger = sys_heap_bucket_bits(state) & hs_bits_from(bucket) << 1;
        state->heap.steps.bins++;
        if (larger == 0) {
            return SYS_HEAP_NO_CHUNK;
        }
        chunk = sys_heap_front(state, hs_bits_lowest(larger));
        state->heap.steps.nodes++;
    }
    bucket_remove(state, chunk);
    return chunk;
}

/* ---- chunks ----------------------------------------------------------------------------------- */

static void set_size(hs_sys_heap_t *state, uint32_t chunk, uint32_t size, uint32_t used)
{
    sys_heap_set(state, chunk, SYS_HEAP_SIZE, size << 1 | used);
}

/* Cuts a chunk in two at `right`; both are free, and in no bucket. */
static void split(hs_sys_heap_t *state, uint32_t left, uint32_t right)
{
    uint32_t end = sys_heap_right(state, left);
    set_size(state, left, right - left, 0);
    set_size(state, right, end - right, 0);
    sys_heap_set(state, right, SYS_HEAP_LEFT, right - left);
    sys_heap_set(state, end, SYS_HEAP_LEFT, end - right);
}

/* The result is free, and in no bucket. */
static void merge(hs_sys_heap_t *state, uint32_t left, uint32_t right)
{
    uint32_t end = sys_heap_right(state, right);
    set_size(state, left, end - left, 0);
    sys_heap_set(state, end, SYS_HEAP_LEFT, end - left);
}

/* Cuts off what a chunk has beyond `units`, if anything, into its bucket. */
static void cut_rest(hs_sys_heap_t *state, uint32_t chunk, uint32_t units)
{
    if (sys_heap_size(state, chunk) > units) {
        split(state, chunk, chunk + units);
        bucket_add(state, chunk + units);
    }
}

/* A chunk in no tally becomes used. */
static void use(hs_sys_heap_t *state, uint32_t chunk)
{
    uint32_t size = sys_heap_size(state, chunk);
    set_size(state, chunk, size, 1);
    state->allocated += size;
    state->heap.tally.used += sys_heap_payload(state, size);
    state->heap.tally.used_blocks++;
}

/* A used chunk leaves the tally. */
static void unuse(hs_sys_heap_t *state, uint32_t chunk)
{
    uint32_t size = sys_heap_size(state, chunk);
    set_size(state, chunk, size, 0);
    state->allocated -= size;
    state->heap.tally.used -= sys_heap_payload(state, size);
    state->heap.tally.used_blocks--;
}

/* Frees a chunk that is in no tally. */
static void release(hs_sys_heap_t *state, uint32_t chunk)
{
    uint32_t right = sys_heap_right(state, chunk);
    uint32_t left = chunk - sys_heap_get(state, chunk, SYS_HEAP_LEFT);
    if (!sys_heap_is_used(state, right)) {
        bucket_remove(state, right);
        merge(state, chunk, right);
    }
    if (!sys_heap_is_used(state, left)) {
        bucket_remove(state, left);
        merge(state, left, chunk);
        chunk = left;
    }
    bucket_add(state, chunk);
}

/* ---- operations ------------------------------------------------------------------------------- */

static uint32_t allocate(hs_sys_heap_t *state, uint32_t size)
{
    if (size == 0 || sys_heap_is_too_large(state, size)) {
        return HS_NONE;
    }
    uint32_t units = sys_heap_units_for(state, size, 0);
    uint32_t chunk = take(state, units);
    if (chunk == SYS_HEAP_NO_CHUNK) {
        return HS_NONE;
    }
    cut_rest(state, chunk, units);
    use(state, chunk);
    return sys_heap_offset(state, chunk);
}

/* The block's start is aligned; behind k_malloc's word, if there is one. */
static uint32_t model_aligned(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    hs_sys_heap_t *state = sys_heap_of(heap);
    const uint32_t front = heap->around.front;
    (void)at;
    if (align <= (front != 0 ? front : state->header)) {
        return allocate(state, size);
    }
    if (size == 0 || sys_heap_is_too_large(state, size)) {
        return HS_NONE;
    }
    uint32_t match = take(state, sys_heap_units_for(state, size, sys_heap_slack(state, align)));
    if (match == SYS_HEAP_NO_CHUNK) {
        return HS_NONE;
    }
    uint32_t address = heap->base + sys_heap_offset(state, match) + front;
    uint32_t offset = ((address + align - 1) & ~(align - 1)) - heap->base - front;
    uint32_t chunk = sys_heap_chunk_at(state, offset);
    uint32_t behind = (offset + size - state->at + SYS_HEAP_UNIT - 1) / SYS_HEAP_UNIT;
    if (chunk > match) {
        split(state, match, chunk);
        bucket_add(state, match);
    }
    cut_rest(state, chunk, behind - chunk);
    use(state, chunk);
    return offset;
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    return model_aligned(heap, sys_heap_build(heap)->alignment, size, 0);
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    hs_sys_heap_t *state = sys_heap_of(heap);
    uint32_t chunk = sys_heap_chunk_at(state, offset);
    unuse(state, chunk);
    release(state, chunk);
}

/* ---- realloc ---------------------------------------------------------------------------------- */

/* Gives back what is beyond `units`. */
static void shrink(hs_sys_heap_t *state, uint32_t chunk, uint32_t units)
{
    unuse(state, chunk);
    split(state, chunk, chunk + units);
    use(state, chunk);
    release(state, chunk + units);
}

/* Takes just what is missing from the free chunk to the right, if it has that much. */
static bool grow(hs_sys_heap_t *state, uint32_t chunk, uint32_t units)
{
    uint32_t size = sys_heap_size(state, chunk);
    uint32_t right = chunk + size;
    if (sys_heap_is_used(state, right) || size + sys_heap_size(state, right) < units) {
        return false;
    }
    bucket_remove(state, right);
    cut_rest(state, right, units - size);
    unuse(state, chunk);
    merge(state, chunk, right);
    use(state, chunk);
    return true;
}

static bool resize_in_place(hs_sys_heap_t *state, uint32_t offset, uint32_t size)
{
    uint32_t chunk = sys_heap_chunk_at(state, offset);
    uint32_t held = sys_heap_size(state, chunk);
    if (sys_heap_is_too_large(state, size)) {
        return false;
    }
    uint32_t units = sys_heap_units_for(state, size, offset - sys_heap_offset(state, chunk));
    if (held < units) {
        return grow(state, chunk, units);
    }
    if (held > units) {
        shrink(state, chunk, units);
    }
    return true;
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    if (resize_in_place(sys_heap_of(heap), offset, size)) {
        return offset;
    }
    uint32_t moved = model_malloc(heap, size);
    if (moved != HS_NONE) {
        uint32_t old = hs_sys_heap_usable(heap, offset);
        hs_region_note_low(heap);
        heap->steps.copied += old < size ? old : size;
        model_free(heap, offset);
    }
    return moved;
}

/* ---- creation --------------------------------------------------------------------------------- */

/* Places the structure and the end between whole units; false if they do not fit. */
static bool place(hs_sys_heap_t *state, uint32_t base, uint32_t size)
{
    uint32_t start = (base + SYS_HEAP_UNIT - 1) & ~(SYS_HEAP_UNIT - 1);
    const hs_sys_heap_build_t *build = sys_heap_build(&state->heap);
    uint32_t footer = build->big_only || size / SYS_HEAP_UNIT > SYS_HEAP_SMALL_UNITS ? 8 : 4;
    uint32_t skipped = start - base;
    if (start < base || size < skipped + footer) {
        return false;
    }
    state->at = skipped;
    state->end = (size - skipped - footer) / SYS_HEAP_UNIT;
    state->header = build->big_only || state->end > SYS_HEAP_SMALL_UNITS ? 8 : 4;
    state->chunk_min = state->header == 8 ? 2 : 1;
    if (state->end < state->chunk_min) {
        return false;
    }
    state->buckets = sys_heap_bucket(state, state->end) + 1;
    uint32_t structure = SYS_HEAP_BUCKETS + 4 * state->buckets + build->statistics;
    state->first = (structure + SYS_HEAP_UNIT - 1) / SYS_HEAP_UNIT;
    return state->end >= state->first + state->chunk_min;
}

static hs_status_t create(hs_sim_t *heap)
{
    hs_sys_heap_t *state = sys_heap_of(heap);
    if (!place(state, heap->base, heap->size)) {
        return HS_ERR_MEMORY;
    }
    heap->around.front = heap->around.owner = sys_heap_build(heap)->front;
    hs_region_put(heap, state->at + SYS_HEAP_END, state->end);
    hs_region_put(heap, state->at + SYS_HEAP_BUCKET_BITS, 0);
    for (uint32_t bucket = 0; bucket < state->buckets; bucket++) {
        set_front(state, bucket, SYS_HEAP_NO_CHUNK);
    }
    uint32_t whole = state->end - state->first;
    set_size(state, 0, state->first, 1);
    sys_heap_set(state, 0, SYS_HEAP_LEFT, 0);
    set_size(state, state->first, whole, 0);
    sys_heap_set(state, state->first, SYS_HEAP_LEFT, state->first);
    set_size(state, state->end, 0, 1);
    sys_heap_set(state, state->end, SYS_HEAP_LEFT, whole);
    bucket_add(state, state->first);
    heap->tally.control = state->first * SYS_HEAP_UNIT;
    heap->steps.writes = 0;
    return HS_OK;
}

#define STATISTICS UINT32_C(12)

#define SAME_IN_ALL_BUILDS                                                                         \
    .state_size = sizeof(hs_sys_heap_t), .granule = 4, .has_realloc = true, .has_aligned = true,   \
    .serves_up_to_largest = true, .create = create, .malloc = model_malloc, .free = model_free,    \
    .realloc = model_realloc, .aligned = model_aligned, .aligned_free = model_free,                \
    .usable = hs_sys_heap_usable, .aligned_usable = hs_sys_heap_usable, .fits = hs_sys_heap_fits,  \
    .largest_allocatable = hs_sys_heap_largest_allocatable,                                        \
    .largest_free = hs_sys_heap_largest_free, .reported = hs_sys_heap_reported,                    \
    .walk = hs_sys_heap_walk, .check = hs_sys_heap_check

#define BUILD(statistics, big_only, alignment, front)                                              \
    &(const hs_sys_heap_build_t){statistics, big_only, alignment, front}

const hs_model_t hs_model_sys_heap = {
    .name = "sys_heap",
    .title = "Zephyr sys_heap: 8-byte units, a bucket for each power of two",
    .build = BUILD(0, false, 0, 0),
    SAME_IN_ALL_BUILDS,
};

const hs_model_t hs_model_sys_heap_stats = {
    .name = "sys_heap-stats",
    .title = "Zephyr sys_heap with run-time statistics",
    .build = BUILD(STATISTICS, false, 0, 0),
    SAME_IN_ALL_BUILDS,
};

const hs_model_t hs_model_sys_heap_big = {
    .name = "sys_heap-big",
    .title = "Zephyr sys_heap built for large heaps only",
    .build = BUILD(0, true, 0, 0),
    SAME_IN_ALL_BUILDS,
};

const hs_model_t hs_model_zephyr_malloc = {
    .name = "zephyr-malloc",
    .title = "Zephyr malloc of the C library on Arm: sys_heap with an alignment of 8",
    .build = BUILD(0, false, 8, 0),
    SAME_IN_ALL_BUILDS,
};

const hs_model_t hs_model_zephyr_malloc_16 = {
    .name = "zephyr-malloc-16",
    .title = "Zephyr malloc of the C library on RISC-V: sys_heap with an alignment of 16",
    .build = BUILD(0, false, 16, 0),
    SAME_IN_ALL_BUILDS,
};

const hs_model_t hs_model_zephyr_malloc_stats = {
    .name = "zephyr-malloc-stats",
    .title = "Zephyr malloc of the C library on Arm, with run-time statistics",
    .build = BUILD(STATISTICS, false, 8, 0),
    SAME_IN_ALL_BUILDS,
};

const hs_model_t hs_model_zephyr_k_malloc = {
    .name = "zephyr-k_malloc",
    .title = "Zephyr k_malloc: sys_heap with a word in front of each block",
    .build = BUILD(0, false, 0, 4),
    SAME_IN_ALL_BUILDS,
};
