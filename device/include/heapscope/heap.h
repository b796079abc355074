/*
 * The heap: dynamic memory on one region of a microcontroller, in bounded time and with almost no
 * metadata. Freestanding C11, on the caller's memory, no globals, no recursion; all positions are
 * kept as offsets, so a heap behaves the same on a 64-bit host and on the chip. Not reentrant:
 * calls from several tasks or interrupts need the caller's lock.
 *
 * Used blocks carry no header. One bit per granule of 8 bytes, in a bitmap beside the blocks, says
 * where blocks begin and which are free; docs/design/heap.md has the reasons and the worst cases.
 *
 * Costs: every operation is O(1) in the number of blocks unless it says otherwise; realloc and
 * calloc add the bytes that they copy or clear.
 */
#ifndef HEAPSCOPE_HEAP_H
#define HEAPSCOPE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/config.h"
#include "heapscope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hs_heap hs_heap_t;

/* How a heap keeps its control data. Chosen at creation. */
typedef enum hs_form {
    HS_FORM_AUTO = 0, /* small where the size allows it, otherwise wide */
    HS_FORM_SMALL =
        1,            /* up to HS_SMALL_MAX bytes; smallest control block, slots of 4 and 8 bytes */
    HS_FORM_WIDE = 2, /* up to HS_WIDE_MAX bytes: external RAM */
    HS_FORM_WORD = 3  /* as wide, and promises that neither the heap's data nor any payload is
                        * touched but by aligned 32-bit loads and stores (ESP32 IRAM) */
} hs_form_t;

#define HS_SMALL_MAX 0x0007FF00u /* bytes of a region */
#define HS_WIDE_MAX 0x02000000u

#define HS_ALIGNMENT_DEFAULT 8u
#define HS_ALIGNMENT_MAX 0x00100000u /* of hs_heap_aligned_alloc; bytes */

/* All zero means: form by size, alignment HS_ALIGNMENT_DEFAULT. */
typedef struct hs_heap_config {
    hs_form_t form;
    uint32_t alignment; /* of every block: 4, 8 or 16; 0 for the default. 4 costs the same as 8.
                         * In the small form blocks of up to 4 and up to 8 bytes are aligned to 4
                         * and to 8 at most: no object that needs more fits into them. */
} hs_heap_config_t;

/* ---- life ------------------------------------------------------------------------------------- */

/* Makes a heap on `size` bytes at `memory`, which it owns until the caller takes the memory back;
 * there is nothing to destroy. The handle points into the region, not always at its start. Any
 * alignment of `memory` will do; what rounding to it costs is lost. A larger region than the form
 * allows is used up to that size. NULL: the region is too small for one block, or `config` holds a
 * value that is not documented. `config` NULL: all defaults. Time: one word written per 256 bytes. */
hs_heap_t *hs_heap_create(void *memory, size_t size, const hs_heap_config_t *config);

/* ---- blocks ----------------------------------------------------------------------------------- */

/* NULL: size is 0, or no free block that the search looks at can hold it. The search looks at up to 4
 * blocks of its own bin (none may fit) and up to 4 of a larger one (each fits); where no larger bin has
 * blocks, at up to 6 of its own. It can return NULL although a fitting block exists; every size up to
 * hs_heap_largest() is served. Low addresses are preferred. */
void *hs_heap_malloc(hs_heap_t *heap, size_t size);

#if HS_ENDS
/* From then on malloc, calloc and a realloc that moves take a block from the high end of the free block
 * that they find, or, with false and in a new heap, from its low end. Which one is found, and whether one
 * is, does not depend on it. Aligned blocks and those that realloc leaves in place keep to the low end. */
void hs_heap_set_end(hs_heap_t *heap, bool high);
#endif

/* Allocates count * size bytes and clears them. NULL also when the product overflows. */
void *hs_heap_calloc(hs_heap_t *heap, size_t count, size_t size);

/* The byte at result + `offset` is aligned to `alignment`, a power of two up to HS_ALIGNMENT_MAX.
 * The search looks at 16 blocks that may hold it, then for one so large that it certainly does. NULL
 * also for any other alignment, and where `offset` exceeds `size` or is not a multiple of the smaller
 * of `alignment` and the heap's own (8 or 16). */
void *hs_heap_aligned_alloc(hs_heap_t *heap, size_t alignment, size_t size, size_t offset);

/* In place when it shrinks, when it grows into a free block behind it, and, with the contents moved
 * down, into a free block before it; else a new block. NULL: the old block is untouched (size 0:
 * freed). `block` NULL allocates. An address where no used block of this heap begins also gives NULL.
 * A moved block keeps only the heap's own alignment. */
void *hs_heap_realloc(hs_heap_t *heap, void *block, size_t size);

/* Would realloc of this block take a new one and copy? False where it stays, where it slides down into
 * the free memory before it, and where no block begins. For callers who give their lock up while
 * contents are copied: they then malloc, copy and free. Needs HS_LOCKS. */
bool hs_heap_moves(const hs_heap_t *heap, const void *block, size_t size);

/* HS_ERR_ARGUMENT: not the address of a used block: foreign, interior, or freed before (also when
 * its neighbours have since been merged with it). HS_ERR_CORRUPT: a free neighbour contradicts
 * itself. Nothing changed in either case. NULL is fine. */
hs_status_t hs_heap_free(hs_heap_t *heap, void *block);

/* ---- questions about a block: 0 or NULL where no used block begins ---------------------------- */

size_t hs_heap_usable_size(const hs_heap_t *heap, const void *block); /* payload bytes */
/* Payload and metadata, the block's share of the bitmap rounded up to bytes. */
size_t hs_heap_full_size(const hs_heap_t *heap, const void *block);
/* The used block that `address` lies in. Walks: O(n) in the blocks before it. */
void *hs_heap_containing_block(const hs_heap_t *heap, const void *address);

/* ---- questions about the heap; bytes of payload ----------------------------------------------- */

/* Includes the free slots of slabs, which serve only requests of up to 8 bytes. */
size_t hs_heap_free_size(const hs_heap_t *heap);
size_t hs_heap_minimum_free(const hs_heap_t *heap); /* low-water mark of hs_heap_free_size */
size_t hs_heap_reset_minimum(hs_heap_t *heap);      /* to the present free size; gives the old */
void hs_heap_restore_minimum(hs_heap_t *heap, size_t minimum); /* the smaller of both remains */

/* Would aligned_alloc (alignment up to the heap's own: malloc) succeed now? */
bool hs_heap_fits(const hs_heap_t *heap, size_t alignment, size_t size, size_t offset);
/* The largest size that malloc would serve now; it also serves every smaller one. */
size_t hs_heap_largest(const hs_heap_t *heap);

typedef struct hs_heap_info {
    size_t total;   /* of the region as given to blocks, payload: free + used */
    size_t control; /* the control block, without the bitmap */
    size_t bitmap;  /* the bitmap */
    size_t free;    /* = hs_heap_free_size */
    size_t used;    /* payload of used blocks, as handed out (usable sizes) */
    size_t minimum_free;
    size_t largest_free; /* the largest free block */
    size_t free_blocks;
    size_t used_blocks;
} hs_heap_info_t;

void hs_heap_info(const hs_heap_t *heap, hs_heap_info_t *info); /* walks: O(n) in the blocks */

/* Every block once, in address order; a slot, used or free, counts as a block. `visit` may not change
 * the heap; false stops. O(n). */
typedef bool (*hs_heap_visit_t)(void *context, void *block, size_t size, bool used);
void hs_heap_walk(const hs_heap_t *heap, hs_heap_visit_t visit, void *context);

/* ---- integrity -------------------------------------------------------------------------------- */

/* Is `block` a used block whose own and neighbours' metadata agree? O(1). HS_ERR_ARGUMENT: no used
 * block begins there. HS_ERR_CORRUPT: the metadata around it contradict each other. */
hs_status_t hs_heap_check_block(const hs_heap_t *heap, const void *block);

/* Checks all metadata; O(n), and it terminates whatever the bytes are. HS_ERR_CORRUPT: *where (may be
 * NULL) is the address of the first fault. */
hs_status_t hs_heap_check(const hs_heap_t *heap, const void **where);

#ifdef __cplusplus
}
#endif

#endif
