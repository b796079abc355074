/*
 * Headroom for a contiguous request: after how many events it could not have been served, first
 * when, and by how little or how far.
 */
#ifndef HEAPSCOPE_NATIVE_HEADROOM_H
#define HEAPSCOPE_NATIVE_HEADROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "chip/chip.h"
#include "measure/lows.h"
#include "rows/replay.h"
#include "rows/trace.h"

typedef struct hs_headroom {
    hs_lab_need_row_t row;
    uint32_t mask;       /* the regions that could serve it */
    const hs_low_t *low; /* their marks */
    uint32_t limit;      /* larger requests fail by rule */
    bool by_largest;     /* their allocators serve every size up to the largest: no need to ask */
    uint32_t served_by;  /* else: the regions that would serve it now */
    bool is_short;       /* it could not be served now */
    bool in_spell;       /* nor after the event before */
} hs_headroom_t;

void hs_headroom_init(hs_headroom_t *headroom, hs_chip_t *chip, hs_lows_t *lows,
                      const hs_lab_need_t *need);
/* After hs_lows_settle of region `index`. */
void hs_headroom_look(hs_headroom_t *headroom, const hs_chip_t *chip, uint32_t index);
/* After all regions of the event settled and were looked at. */
void hs_headroom_judge(hs_headroom_t *headroom, uint64_t event);

/* The event is over, whether or not it touched a region. */
static inline void hs_headroom_close(hs_headroom_t *headroom, uint64_t event, uint64_t time)
{
    hs_lab_need_row_t *row = &headroom->row;
    if (!headroom->is_short) {
        return;
    }
    if (row->first_event == HS_LAB_NEVER) {
        row->first_event = event;
        row->first_time = time;
    }
    row->spells += !headroom->in_spell;
    headroom->in_spell = true;
    row->last_event = event;
    row->short_events++;
}

#endif
