/* RISC-V of 32 bits with compressed instructions, by "The RISC-V Instruction Set Manual, Volume I" (20240411):
 * chapters 2, 26 (C), 27 (Zcmp), 28 (Zba). */
#include "frames/step.h"

#define SP 2u
#define RA 1u
#define ALTERNATE 5u /* t0, the link of millicode */

static void by_register(hs_step_t *step, uint32_t rd, uint32_t rs)
{
    if (rd == RA || rd == ALTERNATE) {
        step->link = (uint8_t)rd;
        hs_step_by(step, HS_FLOW_CALL_REGISTER, rs);
    } else if (rs == RA) {
        step->flow = HS_FLOW_RETURN;
    } else {
        hs_step_by(step, HS_FLOW_JUMP_REGISTER, rs);
    }
}

static void immediate(uint32_t word, hs_step_t *step)
{
    const uint32_t rd = word >> 7 & 31, rs = word >> 15 & 31;
    const uint32_t value = hs_step_signed(word >> 20, 12);
    switch (word >> 12 & 7) {
    case 0:
        hs_step_add(step, rd, rs, value);
        break;
    case 1:
        if (word >> 25 == 0) {
            hs_step_one(step, HS_STEP_SHIFT, rd, rs, word >> 20 & 31);
        }
        break;
    case 7:
        hs_step_one(step, HS_STEP_AND, rd, rs, value);
        break;
    default:
        break;
    }
}

static void registers(uint32_t word, hs_step_t *step)
{
    const uint32_t rd = word >> 7 & 31, ra = word >> 15 & 31, rb = word >> 20 & 31;
    const uint32_t kind = (word >> 25) << 3 | (word >> 12 & 7);
    if (kind == 0) {
        hs_step_pair(step, HS_STEP_SUM, rd, ra, rb, 0);
    } else if (kind == 0x100) {
        hs_step_pair(step, HS_STEP_LESS, rd, ra, rb, 0);
    } else if (kind == 0x82 || kind == 0x84 || kind == 0x86) { /* sh1add, sh2add, sh3add */
        hs_step_pair(step, HS_STEP_SUM, rd, rb, ra, (kind & 7) / 2);
    }
}

static uint32_t jump_of(uint32_t word)
{
    return hs_step_signed(word >> 31 << 20 | (word >> 12 & 0xFF) << 12 | (word >> 20 & 1) << 11 |
                              (word >> 21 & 0x3FF) << 1,
                          21);
}

static uint32_t branch_of(uint32_t word)
{
    return hs_step_signed(word >> 31 << 12 | (word >> 7 & 1) << 11 | (word >> 25 & 0x3F) << 5 |
                              (word >> 8 & 0xF) << 1,
                          13);
}

/* A floating-point instruction whose result is a register of integers. */
static bool to_integer(uint32_t word)
{
    const uint32_t kind = word >> 27;
    return kind == 0x14 || kind == 0x18 || kind == 0x1C;
}

static void whole(uint32_t word, uint32_t pc, hs_step_t *step)
{
    const uint32_t rd = word >> 7 & 31, rs = word >> 15 & 31;
    step->size = 4;
    switch (word & 0x7F) {
    case 0x37:
        hs_step_set(step, rd, word & 0xFFFFF000);
        break;
    case 0x17:
        hs_step_set(step, rd, pc + (word & 0xFFFFF000));
        break;
    case 0x13:
        step->clobbers = 1u << rd;
        immediate(word, step);
        break;
    case 0x33:
        step->clobbers = 1u << rd;
        registers(word, step);
        break;
    case 0x03:
        step->clobbers = 1u << rd;
        if ((word >> 12 & 7) == 2) {
            hs_step_one(step, HS_STEP_LOAD, rd, rs, hs_step_signed(word >> 20, 12));
        }
        break;
    case 0x23:
        if ((word >> 12 & 7) == 2) {
            hs_step_store(step, word >> 20 & 31, rs, hs_step_signed((word >> 25) << 5 | rd, 12));
        }
        break;
    case 0x63:
        hs_step_to(step, HS_FLOW_BRANCH, pc + branch_of(word));
        break;
    case 0x6F:
        hs_step_to(step, rd == 0 ? HS_FLOW_JUMP : HS_FLOW_CALL, pc + jump_of(word));
        step->link = (uint8_t)rd;
        break;
    case 0x67: {
        by_register(step, rd, rs);
        step->number = hs_step_signed(word >> 20, 12); /* HS_STEP_NOTHING does not read it */
        break;
    }
    case 0x73:
        step->clobbers = 1u << rd;
        if (word == 0x30200073 || word == 0x10200073) { /* mret, sret */
            step->flow = HS_FLOW_RETURN;
        }
        break;
    case 0x53:
        step->clobbers = to_integer(word) ? 1u << rd : 0;
        break;
    case 0x2F:
        step->clobbers = 1u << rd;
        break;
    case 0x0B: /* of a maker's own; none of them moves the stack pointer */
    case 0x2B:
    case 0x5B:
    case 0x7B:
        step->clobbers = 1u << rd & ~(1u << SP);
        break;
    case 0x0F:
    case 0x07:
    case 0x27:
    case 0x43:
    case 0x47:
    case 0x4B:
    case 0x4F:
    case 0x57:
        break;
    default:
        step->size = 0;
    }
}

/* ---- compressed ------------------------------------------------------------------------------- */

static void first_quadrant(uint32_t half, hs_step_t *step)
{
    const uint32_t rd = 8 + (half >> 2 & 7), rs = 8 + (half >> 7 & 7);
    const uint32_t word_offset =
        (half >> 10 & 7) << 3 | (half >> 6 & 1) << 2 | (half >> 5 & 1) << 6;
    switch (half >> 13) {
    case 0:
        if (half == 0) {
            step->flow = HS_FLOW_STOP;
        } else {
            hs_step_add(step, rd, SP,
                        (half >> 11 & 3) << 4 | (half >> 7 & 0xF) << 6 | (half >> 6 & 1) << 2 |
                            (half >> 5 & 1) << 3);
        }
        break;
    case 2:
        hs_step_one(step, HS_STEP_LOAD, rd, rs, word_offset);
        break;
    case 4: /* bytes and halves of Zcb */
        step->clobbers = half >> 10 & 2 ? 0 : 1u << rd;
        break;
    case 6:
        hs_step_store(step, rd, rs, word_offset);
        break;
    default:
        break;
    }
}

static uint32_t short_jump_of(uint32_t half)
{
    return hs_step_signed((half >> 12 & 1) << 11 | (half >> 11 & 1) << 4 | (half >> 9 & 3) << 8 |
                              (half >> 8 & 1) << 10 | (half >> 7 & 1) << 6 | (half >> 6 & 1) << 7 |
                              (half >> 3 & 7) << 1 | (half >> 2 & 1) << 5,
                          12);
}

static void arithmetic(uint32_t half, hs_step_t *step)
{
    const uint32_t rd = 8 + (half >> 7 & 7), rs = 8 + (half >> 2 & 7);
    const uint32_t value = hs_step_signed((half >> 12 & 1) << 5 | (half >> 2 & 31), 6);
    step->clobbers = 1u << rd;
    if ((half >> 10 & 3) == 2) {
        hs_step_one(step, HS_STEP_AND, rd, rd, value);
    } else if ((half & 0x1C60) == 0x0C00) {
        hs_step_pair(step, HS_STEP_LESS, rd, rd, rs, 0);
    }
}

static void second_quadrant(uint32_t half, uint32_t pc, hs_step_t *step)
{
    const uint32_t rd = half >> 7 & 31;
    const uint32_t value = hs_step_signed((half >> 12 & 1) << 5 | (half >> 2 & 31), 6);
    switch (half >> 13) {
    case 0:
        hs_step_add(step, rd, rd, value);
        break;
    case 1:
        step->link = RA;
        hs_step_to(step, HS_FLOW_CALL, pc + short_jump_of(half));
        break;
    case 2:
        hs_step_set(step, rd, value);
        break;
    case 3:
        if (rd == SP) {
            hs_step_add(step, SP, SP,
                        hs_step_signed((half >> 12 & 1) << 9 | (half >> 6 & 1) << 4 |
                                           (half >> 5 & 1) << 6 | (half >> 3 & 3) << 7 |
                                           (half >> 2 & 1) << 5,
                                       10));
        } else {
            hs_step_set(step, rd, value << 12);
        }
        break;
    case 4:
        arithmetic(half, step);
        break;
    case 5:
        hs_step_to(step, HS_FLOW_JUMP, pc + short_jump_of(half));
        break;
    default:
        hs_step_to(step, HS_FLOW_BRANCH,
                   pc + hs_step_signed((half >> 12 & 1) << 8 | (half >> 10 & 3) << 3 |
                                           (half >> 5 & 3) << 6 | (half >> 3 & 3) << 1 |
                                           (half >> 2 & 1) << 5,
                                       9));
    }
}

static void moves(uint32_t half, hs_step_t *step)
{
    const uint32_t rd = half >> 7 & 31, rs = half >> 2 & 31;
    if (rs != 0 && !(half & 0x1000)) {
        hs_step_add(step, rd, rs, 0);
    } else if (rs != 0) {
        hs_step_pair(step, HS_STEP_SUM, rd, rd, rs, 0);
    } else if (rd != 0) {
        by_register(step, half & 0x1000 ? RA : 0, rd);
    }
}

static void third_quadrant(uint32_t half, hs_step_t *step)
{
    const uint32_t rd = half >> 7 & 31, rs = half >> 2 & 31;
    switch (half >> 13) {
    case 0:
        hs_step_one(step, HS_STEP_SHIFT, rd, rd, rs);
        break;
    case 2:
        hs_step_one(step, HS_STEP_LOAD, rd, SP,
                    (half >> 12 & 1) << 5 | (half >> 4 & 7) << 2 | (half >> 2 & 3) << 6);
        break;
    case 4:
        moves(half, step);
        break;
    case 6:
        hs_step_store(step, rs, SP, (half >> 9 & 0xF) << 2 | (half >> 7 & 3) << 6);
        break;
    default:
        break;
    }
}

/* cm.push and its kind; the others of Zcmp and Zcmt clobber. */
static void multiple(uint32_t half, hs_step_t *step)
{
    const uint32_t list = half >> 4 & 0xF;
    const uint32_t base = list < 4 ? 0 : list < 8 ? 16 : list < 12 ? 32 : list < 15 ? 48 : 64;
    const uint32_t bytes = base + (half >> 2 & 3) * 16;
    switch (half >> 8 & 31) {
    case 0x18:
        hs_step_add(step, SP, SP, 0 - bytes);
        break;
    case 0x1C:
    case 0x1E:
        step->flow = HS_FLOW_RETURN;
        /* fall through */
    case 0x1A:
        step->clobbers = 1u << RA | 0x0FFC0300u; /* ra, s0 to s11 */
        hs_step_add(step, SP, SP, bytes);
        break;
    default:
        if ((half >> 10 & 7) == 3) {
            step->clobbers = 0x0FFC0F00u; /* s registers, a0, a1 */
        } else {
            step->size = 0;
        }
    }
}

static void read_any(const uint8_t *bytes, size_t left, uint32_t pc, bool zcmp, hs_step_t *step)
{
    *step = (hs_step_t){0};
    if (left < 2) {
        return;
    }
    const uint32_t half = bytes[0] | (uint32_t)bytes[1] << 8;
    if ((half & 3) == 3) {
        if (left >= 4 && (half & 0x1C) != 0x1C) {
            whole(half | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24, pc, step);
        }
        return;
    }
    step->size = 2;
    switch (half & 3) {
    case 0:
        first_quadrant(half, step);
        break;
    case 1:
        second_quadrant(half, pc, step);
        break;
    default:
        if (zcmp && half >> 13 == 5) {
            multiple(half, step);
        } else {
            third_quadrant(half, step);
        }
    }
}

void hs_step_riscv(const uint8_t *bytes, size_t left, uint32_t pc, hs_step_t *step)
{
    read_any(bytes, left, pc, false, step);
}

void hs_step_riscv_zcmp(const uint8_t *bytes, size_t left, uint32_t pc, hs_step_t *step)
{
    read_any(bytes, left, pc, true, step);
}
