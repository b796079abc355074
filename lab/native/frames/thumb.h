/* Helpers of both lengths of Thumb's instructions. Private. */
#ifndef HEAPSCOPE_FRAMES_THUMB_H
#define HEAPSCOPE_FRAMES_THUMB_H

#include "frames/step.h"

#define HS_THUMB_SP 13u
#define HS_THUMB_LR 14u
#define HS_THUMB_PC 15u

/* Bits of a list of registers. */
static inline uint32_t hs_thumb_count(uint32_t list)
{
    uint32_t count = 0;
    for (; list != 0; list &= list - 1) {
        count++;
    }
    return count;
}

/* Loads a list of registers from `base`; `back`: which is moved behind them. */
void hs_thumb_load_list(uint32_t list, uint32_t base, bool back, hs_step_t *step);
/* The instruction of two halves. */
void hs_thumb_wide(uint32_t high, uint32_t low, uint32_t pc, hs_step_t *step);

#endif
