/* The digest over all results of a replay. */
#ifndef HEAPSCOPE_NATIVE_RESULT_H
#define HEAPSCOPE_NATIVE_RESULT_H

#include "chip/chip.h"
#include "rows/replay.h"

#define HS_FNV_PRIME UINT64_C(0x100000001b3)

/* But for the count of results. */
static HS_INLINE_FOR_CALLER void hs_result_digest(hs_lab_summary_t *summary, uint32_t value)
{
    uint64_t digest = summary->digest;
    digest = (digest ^ (value & 0xFFu)) * HS_FNV_PRIME;
    digest = (digest ^ (value >> 8 & 0xFFu)) * HS_FNV_PRIME;
    digest = (digest ^ (value >> 16 & 0xFFu)) * HS_FNV_PRIME;
    digest = (digest ^ (value >> 24)) * HS_FNV_PRIME;
    summary->digest = digest;
}

static HS_INLINE_FOR_CALLER void hs_result_add(hs_lab_summary_t *summary, uint32_t value)
{
    hs_result_digest(summary, value);
    summary->results++;
}

#endif
