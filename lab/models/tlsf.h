/*
 * The block layer of the TLSF family: bins, splitting, merging. Everything that differs between the members
 * (number of bins, where the control structure has its parts, rounding of requests) is data in
 * hs_tlsf_t; what they report about themselves is the affair of each model's file.
 *
 * Source: mattconte/tlsf tlsf.c; espressif/tlsf as in ESP-IDF v5.5.5.
 */
#ifndef HEAPSCOPE_MODELS_TLSF_H
#define HEAPSCOPE_MODELS_TLSF_H

#include "model.h"

/* Where ESP-IDF has the parts of a control structure that follows its region's size (idf_tlsf.c). */
#define HS_TLSF_SIZED_NULL UINT32_C(20)
#define HS_TLSF_SIZED_FL_BITMAP UINT32_C(44)
#define HS_TLSF_SIZED_SL_BITMAPS UINT32_C(56)

/* Set by the model before hs_tlsf_open(), constant afterwards. Positions are offsets. */
typedef struct hs_tlsf {
    hs_sim_t heap;
    uint32_t bins_log2;      /* log2 of the bins per first level */
    uint32_t fl_max;         /* requests of 2^fl_max and more are refused; below 32 */
    uint32_t null_block;     /* the block to which empty bins point, 16 bytes */
    uint32_t fl_bitmap;      /* one word */
    uint32_t sl_bitmaps;     /* one word per first level */
    uint32_t heads;          /* one word per bin */
    uint32_t pool;           /* the first size word */
    uint32_t pool_size;      /* bytes from there to the region's end */
    bool is_sized;           /* the first three of these positions are HS_TLSF_SIZED_… */
    bool keeps_rounding;     /* malloc keeps the size to which the search rounded (v5.5) */
    bool leads_any;          /* aligned() leaves a gap for `at` whatever the alignment (v4.3) */
    uint32_t counted_header; /* bytes of a used block that its own count of free ones takes off */
    /* Set by hs_tlsf_open(). */
    uint32_t shape; /* which copy of malloc and free is made for it (tlsf.c) */
    uint32_t fl_count;
    uint32_t small;    /* below it a bin holds one size only */
    uint32_t sentinel; /* the last block, of size 0 and used */
    /* The highest bin in use; while heap.largest is unknown, no bin above it is in use. */
    uint32_t top;
} hs_tlsf_t;

/* First levels of a TLSF with these limits. */
uint32_t hs_tlsf_fl_count(uint32_t fl_max, uint32_t bins_log2);

/* The copies of malloc and free: for these bins a level, and for tables that follow the region's size. */
typedef enum hs_tlsf_shape {
    HS_TLSF_SHAPE_ANY,
    HS_TLSF_SHAPE_SIZED_16,
    HS_TLSF_SHAPE_SIZED_32,
    HS_TLSF_SHAPE_FIXED_32
} hs_tlsf_shape_t;

/* The copy of malloc and free for these bins and positions. */
uint32_t hs_tlsf_shape(const hs_tlsf_t *tlsf);

/* Empty bins and one free block over the whole pool; sets the tally but for `control`.
 * HS_ERR_MEMORY: the pool holds no block, or one beyond 2^fl_max. */
hs_status_t hs_tlsf_open(hs_tlsf_t *tlsf);

/* The same as the functions of struct hs_model. */
uint32_t hs_tlsf_malloc(hs_tlsf_t *tlsf, uint32_t size);
void hs_tlsf_free(hs_tlsf_t *tlsf, uint32_t offset);
uint32_t hs_tlsf_realloc(hs_tlsf_t *tlsf, uint32_t offset, uint32_t size);
/* The byte at result + (`gap` rounded up to 4) is aligned. */
uint32_t hs_tlsf_aligned(hs_tlsf_t *tlsf, uint32_t align, uint32_t size, uint32_t gap);
/* Would aligned() with leads_any and an alignment of at most 4 cut the room for `gap` from a block that
 * is too short then? The real one hands it out, and the program writes into the next block. */
bool hs_tlsf_is_short(const hs_tlsf_t *tlsf, uint32_t size, uint32_t gap);
uint32_t hs_tlsf_usable(const hs_tlsf_t *tlsf, uint32_t offset);
bool hs_tlsf_fits(const hs_tlsf_t *tlsf, uint32_t align, uint32_t size);

/* Lower bound of the highest bin in use: whatever a larger request rounds to, no bin holds it.
 * O(1). */
uint32_t hs_tlsf_largest_allocatable(const hs_tlsf_t *tlsf);
/* The same, kept in the heap from then on. */
uint32_t hs_tlsf_find_largest(hs_tlsf_t *tlsf);
/* The same as in struct hs_model. */
uint32_t hs_tlsf_likeness(const hs_sim_t *heap);
/* Walks that highest bin. */
uint32_t hs_tlsf_largest_free(const hs_tlsf_t *tlsf);
void hs_tlsf_walk(const hs_tlsf_t *tlsf, hs_walk_fn visit, void *context);
void hs_tlsf_walk_free(const hs_tlsf_t *tlsf, hs_walk_fn visit, void *context);
/* Blocks, flags, back links, bins, bitmaps and tally; not the model's own words. */
hs_status_t hs_tlsf_check(const hs_tlsf_t *tlsf, uint32_t *where);

#endif
