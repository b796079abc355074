/*
 * The runs of umm_malloc, for the files of that model only; the layout is drawn in umm.c.
 */
#ifndef HEAPSCOPE_MODELS_UMM_H
#define HEAPSCOPE_MODELS_UMM_H

#include "free_index.h"
#include "largest.h"
#include "region.h"
#include "region_half.h"

#define UMM_UNITS_MIN UINT32_C(3)     /* list head, one run, end */
#define UMM_UNITS_MAX UINT32_C(32768) /* what a 15-bit index reaches */

#define UMM_HEADER UINT32_C(4)
#define UMM_HEAD UINT32_C(0)  /* index of the list head; in links the end of the list */
#define UMM_FIRST UINT32_C(1) /* index of the first run */

#define UMM_IS_FREE UINT32_C(0x8000)
#define UMM_INDEX UINT32_C(0x7FFF)

#define UMM_PREVIOUS UINT32_C(2)
#define UMM_NEXT_FREE UINT32_C(4)
#define UMM_PREVIOUS_FREE UINT32_C(6)

typedef struct hs_umm {
    hs_sim_t heap;
    uint32_t shift;         /* a unit has 1 << shift bytes */
    uint32_t last;          /* index of the end */
    uint32_t minimum_units; /* least number of free units after an operation */
    hs_largest_t largest;   /* in units */
} hs_umm_t;

static inline hs_umm_t *umm_of(hs_sim_t *heap)
{
    return (hs_umm_t *)heap;
}

static inline const hs_umm_t *umm_of_const(const hs_sim_t *heap)
{
    return (const hs_umm_t *)heap;
}

/* Bytes of so many units, headers included. */
static inline uint32_t umm_bytes(const hs_umm_t *umm, uint32_t units)
{
    return units << umm->shift;
}

static inline uint32_t umm_place(const hs_umm_t *umm, uint32_t run, uint32_t field)
{
    return umm_bytes(umm, run) + field;
}

static inline uint32_t umm_field(const hs_umm_t *umm, uint32_t run, uint32_t field)
{
    return hs_region_get_half(&umm->heap, umm_place(umm, run, field));
}

static inline void umm_set_field(hs_umm_t *umm, uint32_t run, uint32_t field, uint32_t index)
{
    hs_region_put_half(&umm->heap, umm_place(umm, run, field), index);
}

static inline uint32_t umm_next(const hs_umm_t *umm, uint32_t run)
{
    return umm_field(umm, run, 0) & UMM_INDEX;
}

static inline bool umm_is_free(const hs_umm_t *umm, uint32_t run)
{
    return (umm_field(umm, run, 0) & UMM_IS_FREE) != 0;
}

/* In units; not for the end. */
static inline uint32_t umm_size(const hs_umm_t *umm, uint32_t run)
{
    return umm_next(umm, run) - run;
}

static inline uint32_t umm_payload(const hs_umm_t *umm, uint32_t units)
{
    return umm_bytes(umm, units) - UMM_HEADER;
}

static inline uint32_t umm_offset(const hs_umm_t *umm, uint32_t run)
{
    return umm_place(umm, run, UMM_HEADER);
}

static inline uint32_t umm_run_at(const hs_umm_t *umm, uint32_t offset)
{
    return offset >> umm->shift;
}

/* Units that a request takes; more than any heap has where it is too large. */
static inline uint32_t umm_units_for(const hs_umm_t *umm, uint32_t size)
{
    uint32_t body = umm_payload(umm, 1);
    uint32_t units = size <= body ? 1 : 2 + ((size - body - 1) >> umm->shift);
    return units < UMM_INDEX ? units : UMM_INDEX;
}

/* The free memory as umm counts it: the units of free runs, headers included. */
static inline uint32_t umm_free_units(const hs_umm_t *umm)
{
    return (umm->heap.tally.free + UMM_HEADER * umm->heap.tally.free_blocks) >> umm->shift;
}

/* In the index: runs of one size are distinguished by their rank along the list. */
static inline uint64_t umm_index_key(const hs_index_t *index, uint32_t run, uint32_t size)
{
    return (uint64_t)size << 48 | (uint64_t)index->ranks[run] << 16 | run;
}

/* ---- umm_query.c: what reads a heap without changing it; as in struct hs_model ------------------ */

uint32_t hs_umm_usable(const hs_sim_t *heap, uint32_t offset);
uint32_t hs_umm_largest_free(const hs_sim_t *heap);
uint32_t hs_umm_largest_allocatable(hs_sim_t *heap);
bool hs_umm_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at);
void hs_umm_reported(const hs_sim_t *heap, hs_reported_t *out);
void hs_umm_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context);
hs_status_t hs_umm_check(const hs_sim_t *heap, uint32_t *where);

#endif
