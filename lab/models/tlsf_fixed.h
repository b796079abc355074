/*
 * The control structure of a TLSF whose number of bins is fixed when it is built, 32 a level: that of
 * mattconte/tlsf, and of ESP-IDF v4.3, which took it over.
 *
 *     control + 0    null block
 *     control + 16   bitmap of first levels
 *     control + 20   bitmaps of second levels, one word each
 *                    heads of bins, one word each
 *                    pool
 */
#ifndef HEAPSCOPE_MODELS_TLSF_FIXED_H
#define HEAPSCOPE_MODELS_TLSF_FIXED_H

#include "bits.h"
#include "tlsf.h"

#define TLSF_FIXED_BINS_LOG2 UINT32_C(5)
#define TLSF_FIXED_FIELDS UINT32_C(20)   /* null block and bitmap of first levels */
#define TLSF_FIXED_POOL_MIN UINT32_C(20) /* the smallest block and two headers */

/* Bytes of the control structure: 1604, 2132 and 3188 for limits of 2^18, 2^22 and 2^30. */
static inline uint32_t tlsf_fixed_control(uint32_t fl_max)
{
    uint32_t fl_count = hs_tlsf_fl_count(fl_max, TLSF_FIXED_BINS_LOG2);
    return TLSF_FIXED_FIELDS + 4 * fl_count + (4 * fl_count << TLSF_FIXED_BINS_LOG2);
}

/*
 * An empty heap whose control structure is at offset `control`. HS_ERR_MEMORY: the region does not
 * start at a whole word, or is too small, or its only block would reach 2^fl_max. The real ones
 * refuse only what is larger: for a block of exactly that size they write behind their tables.
 */
static inline hs_status_t tlsf_fixed_open(hs_tlsf_t *tlsf, uint32_t control, uint32_t fl_max)
{
    uint32_t before_pool = control + tlsf_fixed_control(fl_max);
    if (tlsf->heap.base % 4 != 0 || tlsf->heap.size < before_pool + TLSF_FIXED_POOL_MIN) {
        return HS_ERR_MEMORY;
    }
    tlsf->fl_max = fl_max;
    tlsf->bins_log2 = TLSF_FIXED_BINS_LOG2;
    tlsf->keeps_rounding = false;
    tlsf->null_block = control;
    tlsf->fl_bitmap = control + 16;
    tlsf->sl_bitmaps = control + TLSF_FIXED_FIELDS;
    tlsf->heads = tlsf->sl_bitmaps + 4 * hs_tlsf_fl_count(fl_max, TLSF_FIXED_BINS_LOG2);
    tlsf->pool = before_pool;
    tlsf->pool_size = tlsf->heap.size - before_pool;
    if (hs_bits_down4(tlsf->pool_size - 8) >> fl_max != 0) {
        return HS_ERR_MEMORY;
    }
    tlsf->heap.tally.control = before_pool;
    return hs_tlsf_open(tlsf);
}

#endif
