#include "measure/headroom.h"

#include <string.h>

static hs_request_t request_of(const hs_headroom_t *headroom)
{
    const hs_request_t request = {headroom->row.size, 0, headroom->row.caps, false};
    return request;
}

void hs_headroom_look(hs_headroom_t *headroom, const hs_chip_t *chip, uint32_t index)
{
    const uint32_t bit = headroom->mask & UINT32_C(1) << index;
    if (bit != 0) {
        const hs_request_t request = request_of(headroom);
        headroom->served_by &= ~bit;
        headroom->served_by |= hs_region_fits(&chip->region[index], &request) ? bit : 0;
    }
}

static uint32_t largest_for(const hs_headroom_t *headroom)
{
    const uint32_t word = (headroom->row.caps & (HS_CAP_32BIT | HS_CAP_EXEC)) ? 3 : 0;
    const uint32_t largest = headroom->low->largest & ~word;
    return largest < headroom->limit ? largest : headroom->limit;
}

void hs_headroom_judge(hs_headroom_t *headroom, uint64_t event)
{
    hs_lab_need_row_t *row = &headroom->row;
    const int64_t margin = (int64_t)largest_for(headroom) - row->size;
    headroom->is_short = headroom->by_largest ? margin < 0 : headroom->served_by == 0;
    headroom->in_spell &= headroom->is_short;
    if (margin < row->minimum_margin) {
        row->minimum_margin = margin;
        row->minimum_margin_event = event;
    }
}

void hs_headroom_init(hs_headroom_t *headroom, hs_chip_t *chip, hs_lows_t *lows,
                      const hs_lab_need_t *need)
{
    memset(headroom, 0, sizeof *headroom);
    headroom->row.size = need->size;
    headroom->row.caps = need->caps;
    headroom->row.first_event = HS_LAB_NEVER;
    headroom->row.last_event = HS_LAB_NEVER;
    headroom->row.minimum_margin = INT64_MAX;
    headroom->mask = hs_chip_mask_for(chip, need->caps, need->size);
    headroom->limit = hs_chip_allowed(chip, UINT32_MAX);
    const uint32_t set = hs_lows_set(lows, chip, headroom->mask, need->caps);
    headroom->low = hs_lows_of(lows, set);
    headroom->by_largest = true;
    for (uint32_t i = 0; i < chip->count; i++) {
        if (headroom->mask >> i & 1u) {
            headroom->by_largest &= chip->region[i].heap->model->serves_up_to_largest;
            hs_headroom_look(headroom, chip, i);
        }
    }
    hs_headroom_judge(headroom, HS_LAB_NEVER);
}
