/* Sums over the events of a recording, and what it tells of regions. */
#ifndef HEAPSCOPE_NATIVE_ACCOUNT_H
#define HEAPSCOPE_NATIVE_ACCOUNT_H

#include <stddef.h>

#include "heapscope/trace.h"
#include "rows/listen.h"
#include "rows/trace.h"

typedef struct hs_account {
    hs_lab_listened_t sums;
    hs_lab_listened_region_t regions[HS_LAB_LISTENED_REGIONS];
    size_t region_count;
    uint64_t kinds_left; /* events of the last LOST of which no kind was told yet */
    uint64_t left_out_most;
    uint64_t heard; /* stamped events */
} hs_account_t;

/* Takes the next event. O(regions). */
void hs_account_event(hs_account_t *account, const hs_event_t *event);

#endif
