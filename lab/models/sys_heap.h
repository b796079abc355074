/*
 * The chunks and buckets of Zephyr's sys_heap, for the files of that model only; the layout is drawn
 * in sys_heap.c.
 */
#ifndef HEAPSCOPE_MODELS_SYS_HEAP_H
#define HEAPSCOPE_MODELS_SYS_HEAP_H

#include "bits.h"
#include "region.h"
#include "region_half.h"

#define SYS_HEAP_UNIT UINT32_C(8)
#define SYS_HEAP_SMALL_UNITS UINT32_C(0x7FFF) /* above it the fields are words */

#define SYS_HEAP_END UINT32_C(8) /* of the structure: number of units, which is the end's place */
#define SYS_HEAP_BUCKET_BITS UINT32_C(12)
#define SYS_HEAP_BUCKETS UINT32_C(16)

/* Fields of a chunk, in the order of their places. */
#define SYS_HEAP_LEFT UINT32_C(0) /* size of the chunk to the left */
#define SYS_HEAP_SIZE UINT32_C(1) /* size times 2; bit 0: used */
#define SYS_HEAP_PREVIOUS_FREE UINT32_C(2)
#define SYS_HEAP_NEXT_FREE UINT32_C(3)

#define SYS_HEAP_TRIES 3 /* CONFIG_SYS_HEAP_ALLOC_LOOPS */
#define SYS_HEAP_NO_CHUNK UINT32_C(0)

/* The effect of a configuration and of the layer above the heap; a model's `build`. Bytes. */
typedef struct hs_sys_heap_build {
    uint32_t statistics; /* at the structure's end: CONFIG_SYS_HEAP_RUNTIME_STATS */
    bool big_only;       /* CONFIG_SYS_HEAP_BIG_ONLY: fields are words in every heap */
    uint32_t alignment;  /* for which malloc and realloc ask; 0: they do not */
    uint32_t front;      /* k_malloc's word in front of what the program gets */
} hs_sys_heap_build_t;

/* Chunks are named by their first unit, counted from the structure, which is chunk 0. */
typedef struct hs_sys_heap {
    hs_sim_t heap;
    uint32_t at;     /* of the structure */
    uint32_t end;    /* the last chunk, of size 0 and used */
    uint32_t first;  /* the first chunk behind the structure */
    uint32_t header; /* bytes: 4 with half words as fields, 8 with words */
    uint32_t chunk_min;
    uint32_t buckets;
    uint32_t listed;    /* units of all chunks in buckets */
    uint32_t allocated; /* units of all used chunks */
} hs_sys_heap_t;

static inline const hs_sys_heap_build_t *sys_heap_build(const hs_sim_t *heap)
{
    return heap->model->build;
}

static inline hs_sys_heap_t *sys_heap_of(hs_sim_t *heap)
{
    return (hs_sys_heap_t *)heap;
}

static inline const hs_sys_heap_t *sys_heap_of_const(const hs_sim_t *heap)
{
    return (const hs_sys_heap_t *)heap;
}

static inline bool sys_heap_is_small(const hs_sys_heap_t *state)
{
    return state->header == 4;
}

static inline uint32_t sys_heap_field_at(const hs_sys_heap_t *state, uint32_t chunk, uint32_t field)
{
    return state->at + chunk * SYS_HEAP_UNIT + field * (state->header / 2);
}

static inline uint32_t sys_heap_get(const hs_sys_heap_t *state, uint32_t chunk, uint32_t field)
{
    uint32_t at = sys_heap_field_at(state, chunk, field);
    return sys_heap_is_small(state) ? hs_region_get_half(&state->heap, at)
                                    : hs_region_get(&state->heap, at);
}

static inline void sys_heap_set(hs_sys_heap_t *state, uint32_t chunk, uint32_t field,
                                uint32_t value)
{
    uint32_t at = sys_heap_field_at(state, chunk, field);
    if (sys_heap_is_small(state)) {
        hs_region_put_half(&state->heap, at, value);
    } else {
        hs_region_put(&state->heap, at, value);
    }
    state->heap.steps.writes++;
}

static inline uint32_t sys_heap_size(const hs_sys_heap_t *state, uint32_t chunk)
{
    return sys_heap_get(state, chunk, SYS_HEAP_SIZE) >> 1;
}

static inline bool sys_heap_is_used(const hs_sys_heap_t *state, uint32_t chunk)
{
    return (sys_heap_get(state, chunk, SYS_HEAP_SIZE) & 1) != 0;
}

static inline uint32_t sys_heap_right(const hs_sys_heap_t *state, uint32_t chunk)
{
    return chunk + sys_heap_size(state, chunk);
}

static inline uint32_t sys_heap_next_free(const hs_sys_heap_t *state, uint32_t chunk)
{
    return sys_heap_get(state, chunk, SYS_HEAP_NEXT_FREE);
}

static inline uint32_t sys_heap_payload(const hs_sys_heap_t *state, uint32_t size)
{
    return size * SYS_HEAP_UNIT - state->header;
}

/* Offset of a chunk's payload. */
static inline uint32_t sys_heap_offset(const hs_sys_heap_t *state, uint32_t chunk)
{
    return state->at + chunk * SYS_HEAP_UNIT + state->header;
}

/* The chunk of a payload; that of an aligned block may begin up to 4 bytes behind the header. */
static inline uint32_t sys_heap_chunk_at(const hs_sys_heap_t *state, uint32_t offset)
{
    return (offset - state->header - state->at) / SYS_HEAP_UNIT;
}

/* The bucket of a chunk of at least chunk_min. */
static inline uint32_t sys_heap_bucket(const hs_sys_heap_t *state, uint32_t size)
{
    return hs_bits_highest(size - state->chunk_min + 1);
}

static inline uint32_t sys_heap_bucket_at(const hs_sys_heap_t *state, uint32_t bucket)
{
    return state->at + SYS_HEAP_BUCKETS + 4 * bucket;
}

/* The chunk with which the bucket's next search begins. */
static inline uint32_t sys_heap_front(const hs_sys_heap_t *state, uint32_t bucket)
{
    return hs_region_get(&state->heap, sys_heap_bucket_at(state, bucket));
}

static inline uint32_t sys_heap_bucket_bits(const hs_sys_heap_t *state)
{
    return hs_region_get(&state->heap, state->at + SYS_HEAP_BUCKET_BITS);
}

/* Units for a request of `size` bytes that begin `gap` bytes behind a header; no chunk has as many
 * as `end`. */
static inline uint32_t sys_heap_units_for(const hs_sys_heap_t *state, uint32_t size, uint32_t gap)
{
    uint32_t odd = size % SYS_HEAP_UNIT + gap % SYS_HEAP_UNIT + state->header + SYS_HEAP_UNIT - 1;
    uint32_t units = size / SYS_HEAP_UNIT + gap / SYS_HEAP_UNIT + odd / SYS_HEAP_UNIT;
    return units < state->end ? units : state->end;
}

static inline bool sys_heap_is_too_large(const hs_sys_heap_t *state, uint32_t size)
{
    return size / SYS_HEAP_UNIT >= state->end;
}

/* The addition to an aligned request: room to move within the chunk that is found. The word that
 * k_malloc puts in front lies before what is aligned. */
static inline uint32_t sys_heap_slack(const hs_sys_heap_t *state, uint32_t align)
{
    const uint32_t front = state->heap.around.front;
    const uint32_t gap = front != 0 && align > front ? front : state->header;
    return align > gap ? align - gap : 0;
}

/* ---- sys_heap_query.c: what reads a heap without changing it; as in struct hs_model -------------- */

uint32_t hs_sys_heap_usable(const hs_sim_t *heap, uint32_t offset);
uint32_t hs_sys_heap_largest_free(const hs_sim_t *heap);
uint32_t hs_sys_heap_largest_allocatable(hs_sim_t *heap);
bool hs_sys_heap_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at);
void hs_sys_heap_reported(const hs_sim_t *heap, hs_reported_t *out);
void hs_sys_heap_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context);
hs_status_t hs_sys_heap_check(const hs_sim_t *heap, uint32_t *where);

#endif
