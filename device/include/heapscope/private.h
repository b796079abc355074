/*
 * A private heap: one subsystem's own memory, of a fixed size, so that what it does never costs
 * anyone else a contiguous block, nor they it. Made on the caller's memory or on a block from a
 * source, with the caller's lock or none, guarded or not. All of it is given back at once.
 *
 * Calls are those of heap.h in time and meaning, but for the lock, and for what is reported
 * when a request does not fit. Without a lock not reentrant.
 */
#ifndef HEAPSCOPE_PRIVATE_H
#define HEAPSCOPE_PRIVATE_H

#include "heapscope/guard.h"
#include "heapscope/source.h"
#include "heapscope/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hs_private hs_private_t;

/* A request that did not fit. */
typedef struct hs_private_failure {
    size_t size;      /* asked for; SIZE_MAX: a product that overflows */
    size_t alignment; /* asked for; 0: the heap's own */
    size_t largest;   /* the largest size that malloc would have served */
    size_t free;
} hs_private_failure_t;

/* All zero is not enough: a size, and memory or a source, must be there. */
typedef struct hs_private_config {
    const char *name;          /* for meminfo, must outlive the heap; NULL: "private" */
    size_t size;               /* bytes, the heap's own data included */
    void *memory;              /* of that size; NULL: one block from `source` */
    const hs_source_t *source; /* copied; NULL with `memory` */
    hs_heap_config_t heap;
    const hs_guard_config_t *guard; /* NULL: none; must outlive the heap; needs HS_GUARD */
    void (*lock)(void *context);    /* NULL: none. Held during each operation, in meminfo only while
                                     * the figures are read */
    void (*unlock)(void *context);
    /* Called without the lock when a request does not fit; not for size 0. `true`: something was
     * freed, try once more. NULL: such requests are counted only. */
    bool (*full)(void *context, const hs_private_failure_t *failure);
    void *context; /* of lock, unlock and full */
} hs_private_config_t;

/* ---- life ------------------------------------------------------------------------------------- */

/* The handle lies at the start of the memory, but for alignment. NULL: too small, the source has no
 * such block, a lock without unlock or the reverse, a guard without HS_GUARD, or a value that
 * hs_heap_create() or hs_guard_init() refuses. Time: as hs_heap_create(). */
hs_private_t *hs_private_create(const hs_private_config_t *config);

/* Every block is gone at once, and the memory goes back to its source, if it came from one. No call
 * may be under way. NULL is fine. */
void hs_private_destroy(hs_private_t *heap);

/* ---- blocks: as in heap.h -------------------------------------------------------------------- */

void *hs_private_malloc(hs_private_t *heap, size_t size);
void *hs_private_calloc(hs_private_t *heap, size_t count, size_t size);
void *hs_private_aligned_alloc(hs_private_t *heap, size_t alignment, size_t size);
/* An address where no used block of this heap begins gives NULL and counts as misuse. */
void *hs_private_realloc(hs_private_t *heap, void *block, size_t size);
/* HS_ERR_ARGUMENT, HS_ERR_CORRUPT: refused, nothing changed, counted as misuse. NULL is fine. */
hs_status_t hs_private_free(hs_private_t *heap, void *block);

size_t hs_private_usable_size(hs_private_t *heap, const void *block);
/* Would aligned_alloc (alignment up to the heap's own: malloc) succeed now? */
bool hs_private_fits(hs_private_t *heap, size_t alignment, size_t size);

/* The source from which pools, or a private heap within this one, take memory. */
hs_source_t hs_private_source(hs_private_t *heap);

/* ---- figures ---------------------------------------------------------------------------------- */

typedef struct hs_private_info {
    size_t size;    /* of the memory, as configured */
    size_t control; /* the heap's own data in it, and the cost of alignment */
    size_t total;   /* = size - control = used + free */
    size_t used;    /* all that blocks take, their rounding and guard included */
    size_t free;
    size_t largest;         /* request that malloc would serve now, and every smaller one */
    size_t peak;            /* of used */
    uint32_t fragmentation; /* percent of the free memory that no single request can have: 100 - 100
                             * largest / free, rounded down; 0 when nothing is free */
    uint32_t blocks;        /* in use */
    uint32_t failures;      /* requests that got NULL for want of room */
    size_t failed_size; /* of the last of them, and what was the largest then; 0 before the first */
    size_t failed_largest;
    uint32_t misuse; /* frees and reallocs of addresses where no used block begins */
} hs_private_info_t;

void hs_private_info(hs_private_t *heap, hs_private_info_t *info); /* O(1) */
const char *hs_private_name(const hs_private_t *heap);

/* The figures as two or three lines of text, each with a line feed at its end:
 *   script: 258744 total, 176824 used, 81920 free, 65536 largest, 20 % fragmented, 190464 peak
 *   script: 1560 blocks, 1 failures, 0 misuse
 *   script: last failure 70000 bytes, largest then 65536 */
void hs_private_meminfo(hs_private_t *heap, hs_text_t text);

/* Makes all checks of the heap and of its guard; O(n). */
hs_status_t hs_private_check(hs_private_t *heap);

#ifdef __cplusplus
}
#endif

#endif
