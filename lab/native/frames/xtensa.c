/* Xtensa, by "Xtensa Instruction Set Architecture (ISA) Summary for all Xtensa LX Processors" (Cadence, 2022),
 * chapter 7: opcode maps. Fields: op0 t | s r | op1 op2. */
#include "frames/step.h"

#define SP 1u

typedef struct fields {
    uint32_t word, t, s, r, op1, op2;
} fields_t;

static void call_register(hs_step_t *step, uint32_t s, uint32_t window)
{
    hs_step_by(step, HS_FLOW_CALL_REGISTER, s);
    step->window = (uint8_t)(window * 4);
}

/* op0, op1 and op2 are 0: control and special registers. */
static void system_group(const fields_t *f, hs_step_t *step)
{
    switch (f->r) {
    case 0:
        if (f->t >> 2 == 3) {
            call_register(step, f->s, f->t & 3);
        } else if (f->t >> 2 == 2 && (f->t & 3) == 2) {
            hs_step_by(step, HS_FLOW_JUMP_REGISTER, f->s);
        } else if (f->t >> 2 == 2) {
            step->flow = HS_FLOW_RETURN;
        } else {
            step->flow = HS_FLOW_STOP;
        }
        break;
    case 1: /* movsp */
        hs_step_add(step, f->t, f->s, 0);
        break;
    case 3: /* rfe and its kind, rfi */
        step->flow = f->t <= 1 ? HS_FLOW_RETURN : HS_FLOW_NEXT;
        break;
    case 6: /* rsil */
        step->clobbers = 1u << f->t;
        break;
    default:
        break;
    }
}

static void first_group(const fields_t *f, hs_step_t *step)
{
    switch (f->op2) {
    case 0:
        system_group(f, step);
        break;
    case 2: /* or */
        step->clobbers = 1u << f->r;
        if (f->s == f->t) {
            hs_step_add(step, f->r, f->s, 0);
        }
        break;
    case 4:
    case 5:
        step->clobbers = 1u << f->t & ~(1u << SP);
        break;
    case 8:
    case 9:
    case 10:
    case 11:
        hs_step_pair(step, HS_STEP_SUM, f->r, f->t, f->s, f->op2 & 3);
        break;
    case 12:
        hs_step_pair(step, HS_STEP_LESS, f->r, f->s, f->t, 0);
        break;
    default:
        step->clobbers = 1u << f->r;
    }
}

static void group_zero(const fields_t *f, hs_step_t *step)
{
    switch (f->op1) {
    case 0:
        first_group(f, step);
        break;
    case 1:
        if (f->op2 <= 1) { /* slli */
            hs_step_one(step, HS_STEP_SHIFT, f->r, f->s, 32 - (f->t | (f->op2 & 1) << 4));
        } else {
            step->clobbers = f->op2 == 6 ? 1u << f->t : 1u << f->r; /* xsr */
        }
        break;
    case 2:
        step->clobbers = 1u << f->r;
        break;
    case 3: /* rsr and wsr; rur and wur; the rest has a result */
        step->clobbers = f->op2 == 0 ? 1u << f->t : f->op2 == 1 ? 0 : f->op2 == 15 ? 0 : 1u << f->r;
        break;
    case 4:
    case 5: /* extui */
        step->clobbers = 1u << f->r;
        break;
    case 8: /* floating point with an index; some write the address back */
        step->clobbers = 1u << f->s & ~(1u << SP);
        break;
    case 9: /* l32e, s32e */
        step->clobbers = f->op2 == 0 ? 1u << f->t : 0;
        break;
    case 10: /* floating point; some have a result in an address register */
        step->clobbers = 1u << f->r & ~(1u << SP);
        break;
    case 11:
        break;
    default: /* of a maker's own */
        step->clobbers = (1u << f->r | 1u << f->s | 1u << f->t) & ~(1u << SP);
    }
}

static void memory_group(const fields_t *f, hs_step_t *step)
{
    const uint32_t byte = f->word >> 16;
    switch (f->r) {
    case 2:
        hs_step_one(step, HS_STEP_LOAD, f->t, f->s, byte << 2);
        break;
    case 6:
        hs_step_store(step, f->t, f->s, byte << 2);
        break;
    case 10:
        hs_step_set(step, f->t, hs_step_signed(f->s << 8 | byte, 12));
        break;
    case 12:
        hs_step_add(step, f->t, f->s, hs_step_signed(byte, 8));
        break;
    case 13:
        hs_step_add(step, f->t, f->s, hs_step_signed(byte, 8) << 8);
        break;
    case 0:
    case 1:
    case 9:
    case 11:
    case 14:
        step->clobbers = 1u << f->t;
        break;
    default:
        break;
    }
}

static void jump_group(const fields_t *f, uint32_t pc, hs_step_t *step)
{
    const uint32_t near = pc + 4 + hs_step_signed(f->word >> 16, 8);
    switch (f->t & 3) {
    case 0:
        hs_step_to(step, HS_FLOW_JUMP, pc + 4 + hs_step_signed(f->word >> 6, 18));
        break;
    case 1:
        hs_step_to(step, HS_FLOW_BRANCH, pc + 4 + hs_step_signed(f->word >> 12, 12));
        break;
    case 3:
        if (f->t >> 2 == 0) {
            step->entry = true;
            hs_step_add(step, f->s, f->s, 0 - (f->word >> 12 << 3));
            break;
        }
        if (f->t >> 2 == 1) { /* bf, bt, and loops, whose end is behind their body */
            if (f->r <= 1) {
                hs_step_to(step, HS_FLOW_BRANCH, near);
            } else if (f->r == 9 || f->r == 10) {
                hs_step_to(step, HS_FLOW_BRANCH, pc + 4 + (f->word >> 16));
            }
            break;
        }
        /* fall through */
    default:
        hs_step_to(step, HS_FLOW_BRANCH, near);
    }
}

static void narrow(const fields_t *f, uint32_t pc, uint32_t op0, hs_step_t *step)
{
    step->size = 2;
    switch (op0) {
    case 8:
        hs_step_one(step, HS_STEP_LOAD, f->t, f->s, f->r << 2);
        break;
    case 9:
        hs_step_store(step, f->t, f->s, f->r << 2);
        break;
    case 10:
        hs_step_pair(step, HS_STEP_SUM, f->r, f->s, f->t, 0);
        break;
    case 11:
        hs_step_add(step, f->r, f->s, f->t == 0 ? UINT32_MAX : f->t);
        break;
    case 12:
        if (f->t & 8) {
            hs_step_to(step, HS_FLOW_BRANCH, pc + 4 + ((f->t & 3) << 4 | f->r));
        } else {
            const uint32_t value = (f->t & 7) << 4 | f->r;
            hs_step_set(step, f->s, value >= 96 ? value - 128 : value);
        }
        break;
    default:
        if (f->r == 0) {
            hs_step_add(step, f->t, f->s, 0);
        } else if (f->r == 15 && f->t <= 1) {
            step->flow = HS_FLOW_RETURN;
        } else if (f->r == 15 && f->t == 6) {
            step->flow = HS_FLOW_STOP;
        } else if (f->r != 15) {
            step->size = 0;
        }
    }
}

void hs_step_xtensa(const uint8_t *bytes, size_t left, uint32_t pc, hs_step_t *step)
{
    *step = (hs_step_t){0};
    if (left < 2) {
        return;
    }
    const uint32_t op0 = bytes[0] & 15;
    fields_t f = {.t = bytes[0] >> 4, .s = bytes[1] & 15u, .r = bytes[1] >> 4};
    if (op0 >= 8 && op0 <= 13) {
        narrow(&f, pc, op0, step);
        return;
    }
    if (left < (op0 == 14 ? 4 : 3)) {
        return;
    }
    step->size = op0 == 14 ? 4 : 3; /* XCHAL_OP0_FORMAT_LENGTHS of esp32s3; others have no 14 */
    f.word = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
    f.op1 = bytes[2] & 15u;
    f.op2 = bytes[2] >> 4;
    switch (op0) {
    case 0:
        group_zero(&f, step);
        break;
    case 1:
        step->op = HS_STEP_LITERAL;
        step->rd = (uint8_t)f.t;
        step->number = ((pc + 3) & ~3u) + (0xFFFC0000u | f.word >> 8 << 2);
        break;
    case 2:
        memory_group(&f, step);
        break;
    case 3: /* floating point; some write the address back */
        step->clobbers = f.r & 8 ? 1u << f.s & ~(1u << SP) : 0;
        break;
    case 5:
        hs_step_to(step, HS_FLOW_CALL, (pc & ~3u) + 4 + (hs_step_signed(f.word >> 6, 18) << 2));
        step->window = (uint8_t)((f.t & 3) * 4);
        break;
    case 6:
        jump_group(&f, pc, step);
        break;
    case 7:
        hs_step_to(step, HS_FLOW_BRANCH, pc + 4 + hs_step_signed(f.word >> 16, 8));
        break;
    case 4: /* of multiplication with 40 bits, or a maker's own */
    default:
        step->clobbers = (1u << f.s | 1u << f.t | 1u << f.r) & ~(1u << SP);
    }
}
