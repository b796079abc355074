/* Sums over the events of a recording, and what it tells of regions. */
#ifndef HEAPSCOPE_NATIVE_ACCOUNT_H
#define HEAPSCOPE_NATIVE_ACCOUNT_H

#include <stddef.h>

#include "heapscope/trace.h"
#include "rows/listen.h"
#include "rows/trace.h"
#include "trace/lost_kinds.h"

typedef struct hs_account {
    hs_lab_listened_t sums;
    hs_lab_listened_region_t regions[HS_LAB_LISTENED_REGIONS];
    size_t region_count;
    hs_lost_kinds_t kinds;
    uint64_t lost;    /* by LOST records */
    uint64_t by_kind; /* the same by LOST_KIND, which tells of lost chunks, too */
    uint64_t left_out;
    uint64_t heard; /* stamped events */
} hs_account_t;

/* Takes the next event. O(regions). */
void hs_account_event(hs_account_t *account, const hs_event_t *event);

#endif
