/*
 * The pool that cannot fail: on it the allocator refuses no request of any program whose requests have the sizes of
 * a loaded trace and which never has more bytes live than the trace had, whatever it frees and in which order. The
 * proof is in docs/design/provable.md; what it takes for granted of an allocator is hs_search_t, and what one
 * block takes and which free block surely serves it, which are measured on new heaps of its model.
 */
#ifndef HEAPSCOPE_NATIVE_FIT_BOUND_H
#define HEAPSCOPE_NATIVE_FIT_BOUND_H

#include "fit/fit.h"
#include "model.h"
#include "rows/trials.h"

/* A size of requests: what it needs, and what it may take. Bytes with headers. */
typedef struct hs_sized {
    uint32_t request;
    uint32_t taken; /* by its block, at most */
    uint32_t gap;   /* the largest free block that may not serve it */
} hs_sized_t;

/* Measures it on new heaps. HS_ERR_MEMORY: no heap of this allocator serves it. */
hs_status_t hs_bound_size(hs_allocator_t allocator, uint32_t base, uint32_t request,
                          hs_sized_t *out);
/* The only free block of a new heap, header included; 0: there is no such heap. */
uint64_t hs_bound_bytes(hs_allocator_t allocator, uint32_t base, uint32_t size);
/* The bytes beside the allocator's own that surely serve all of the class: `sizes` ascending, `live` bytes of
 * blocks at most. `lowest`: it takes the lowest free block that serves. `strata` may be NULL. */
uint64_t hs_bound_of(const hs_sized_t *sizes, uint32_t count, uint64_t live, bool lowest,
                     uint32_t *strata);
/* The pool whose only free block, when it is new, has as many bytes; its tables may grow with it. 0: the allocator
 * makes none. */
uint64_t hs_bound_pool(hs_allocator_t allocator, uint32_t base, uint64_t bytes);
/* Some heaps for each size of the trace. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_fit_bound(const hs_fit_t *fit, hs_allocator_t allocator, hs_lab_bound_t *out);

#endif
