/* The knowledge of a register, and of all of them at one address. Private. */
#ifndef HEAPSCOPE_FRAMES_VALUE_H
#define HEAPSCOPE_FRAMES_VALUE_H

#include "frames/code.h"
#include "frames/step.h"
#include "rows/frames.h"

/* Beyond HS_LAB_VALUE_*. Offsets count from the stack pointer at the function's start. */
#define HS_VALUE_FRAME 16    /* it plus `number` */
#define HS_VALUE_VARIABLE 17 /* the same, and a number that is not known */
#define HS_VALUE_INDEX 18    /* `number` plus one that is not known */
#define HS_VALUE_RETURN 19   /* the address that the function returns to */

typedef struct hs_value {
    uint32_t kind, number;
} hs_value_t;

#define HS_STATE_SLOTS 4u

typedef struct hs_state {
    hs_value_t reg[HS_STEP_REGISTERS];
    hs_value_t slot[HS_STATE_SLOTS]; /* words that were stored at the stack pointer */
} hs_state_t;

/* The result of an instruction that computes one. */
hs_value_t hs_value_of(const hs_code_t *code, const hs_state_t *state, const hs_step_t *step);
/* Makes `into` hold on both ways to an address, with the deeper stack pointer `sp`; true: it was changed. */
bool hs_state_merge(hs_state_t *into, const hs_state_t *other, uint8_t sp);

#endif
