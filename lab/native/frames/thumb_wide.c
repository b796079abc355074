/* Thumb-2's instructions of 32 bits, by "ARMv7-M Architecture Reference Manual" (DDI 0403E), A5.3. */
#include "frames/thumb.h"

static uint32_t expanded(uint32_t i, uint32_t low)
{
    const uint32_t code = i << 11 | (low >> 12 & 7) << 8 | (low & 0xFF), byte = low & 0xFF;
    switch (code >> 8) {
    case 0:
        return byte;
    case 1:
        return byte << 16 | byte;
    case 2:
        return byte << 24 | byte << 8;
    case 3:
        return byte * 0x01010101u;
    default: {
        const uint32_t turn = code >> 7, value = 0x80u | (code & 0x7F);
        return value >> turn | value << (32 - turn); /* turn is 8 to 31 */
    }
    }
}

static void immediates(uint32_t high, uint32_t low, uint32_t pc, hs_step_t *step)
{
    const uint32_t rn = high & 15, rd = low >> 8 & 15, i = high >> 10 & 1;
    const uint32_t twelve = i << 11 | (low >> 12 & 7) << 8 | (low & 0xFF);
    step->clobbers = rd == HS_THUMB_PC ? 0 : 1u << rd;
    if (high & 0x200) {
        const uint32_t sixteen = rn << 12 | twelve;
        switch (high >> 4 & 31) {
        case 0:
        case 10: {
            const uint32_t value = high & 0xA0 ? 0 - twelve : twelve;
            if (rn == HS_THUMB_PC) {
                hs_step_set(step, rd, ((pc + 4) & ~3u) + value);
            } else {
                hs_step_add(step, rd, rn, value);
            }
            break;
        }
        case 4:
            hs_step_set(step, rd, sixteen);
            break;
        case 12:
            hs_step_set(step, rd, sixteen);
            step->op = HS_STEP_UPPER;
            break;
        default:
            break;
        }
        return;
    }
    if (rd == HS_THUMB_PC) {
        return; /* tst, teq, cmn, cmp */
    }
    const uint32_t value = expanded(i, low), kind = high >> 5 & 15;
    if (kind == 2 && rn == HS_THUMB_PC) {
        hs_step_set(step, rd, value);
    } else if (kind == 3 && rn == HS_THUMB_PC) {
        hs_step_set(step, rd, ~value);
    } else if (kind == 8) {
        hs_step_add(step, rd, rn, value);
    } else if (kind == 13) {
        hs_step_add(step, rd, rn, 0 - value);
    } else if (kind <= 1) {
        hs_step_one(step, HS_STEP_AND, rd, rn, kind == 0 ? value : ~value);
    }
}

static void branches(uint32_t high, uint32_t low, uint32_t pc, hs_step_t *step)
{
    const uint32_t s = high >> 10 & 1, j1 = low >> 13 & 1, j2 = low >> 11 & 1;
    const uint32_t far = hs_step_signed(s << 24 | (~(j1 ^ s) & 1) << 23 | (~(j2 ^ s) & 1) << 22 |
                                            (high & 0x3FF) << 12 | (low & 0x7FF) << 1,
                                        25);
    switch (low >> 12 & 5) {
    case 5:
        step->link = HS_THUMB_LR;
        hs_step_to(step, HS_FLOW_CALL, pc + 4 + far);
        break;
    case 4:
        step->link = HS_THUMB_LR;
        hs_step_to(step, HS_FLOW_CALL, ((pc + 4) & ~3u) + (far & ~3u));
        break;
    case 1:
        hs_step_to(step, HS_FLOW_JUMP, pc + 4 + far);
        break;
    default:
        if ((high >> 7 & 7) == 7) { /* system: mrs has a result, udf.w stops */
            const bool stops = (high & 0xFFF0) == 0xF7F0;
            step->flow = stops ? HS_FLOW_STOP : HS_FLOW_NEXT;
            step->clobbers = (high & 0xFFE0) == 0xF3E0 ? 1u << (low >> 8 & 15) & 0x7FFF : 0;
        } else {
            hs_step_to(step, HS_FLOW_BRANCH,
                       pc + 4 +
                           hs_step_signed(s << 20 | j2 << 19 | j1 << 18 | (high & 0x3F) << 12 |
                                              (low & 0x7FF) << 1,
                                          21));
        }
    }
}

/* A load or a store writes its address back. */
static void write_back(uint32_t rn, bool up, uint32_t bytes, hs_step_t *step)
{
    hs_step_add(step, rn, rn, up ? bytes : 0 - bytes);
}

static void several(uint32_t high, uint32_t low, hs_step_t *step)
{
    const uint32_t rn = high & 15, rt = low >> 12, bytes = (low & 0xFF) * 4;
    if (!(high & 0x40)) { /* ldm, stm */
        const bool back = high & 0x20;
        if (high & 0x10) {
            hs_thumb_load_list(low, rn, back, step);
        } else if (back && rn == HS_THUMB_SP) {
            write_back(HS_THUMB_SP, false, hs_thumb_count(low) * 4, step);
        } else {
            step->clobbers = back ? 1u << rn : 0;
        }
    } else if ((high & 0xFFF0) == 0xE8D0 && (low & 0xFFE0) == 0xF000) {
        hs_step_by(step, low & 0x10 ? HS_FLOW_TABLE_16 : HS_FLOW_TABLE_8, rn);
    } else if ((high & 0x120) == 0) { /* exclusive: a result of a load, or of a store's success */
        step->clobbers = (1u << rt | 1u << (low >> 8 & 15) | 1u << (low & 15)) & 0x5FFF;
    } else {
        if (high & 0x10) {
            step->clobbers = (1u << rt | 1u << (low >> 8 & 15)) & 0x7FFF;
        }
        if (high & 0x20) {
            write_back(rn, high & 0x80, bytes, step);
        }
    }
}

static void shifted(uint32_t high, uint32_t low, hs_step_t *step)
{
    const uint32_t rn = high & 15, rd = low >> 8 & 15, rm = low & 15, kind = high >> 5 & 15;
    const uint32_t shift = (low >> 12 & 7) << 2 | (low >> 6 & 3);
    const bool left = !(low & 0x30);
    if (rd == HS_THUMB_PC) {
        return; /* tst, teq, cmn, cmp */
    }
    step->clobbers = 1u << rd;
    if (!left) {
        return;
    }
    if (kind == 2 && rn == HS_THUMB_PC) {
        hs_step_one(step, HS_STEP_SHIFT, rd, rm, shift);
    } else if (kind == 8) {
        hs_step_pair(step, HS_STEP_SUM, rd, rn, rm, shift);
    } else if (kind == 13) {
        hs_step_pair(step, HS_STEP_LESS, rd, rn, rm, shift);
    }
}

static void coprocessor(uint32_t high, uint32_t low, hs_step_t *step)
{
    const uint32_t rn = high & 15, bytes = (low & 0xFF) * 4;
    if ((high & 0xFE00) == 0xEC00 && (high & 0x1E0) != 0x40 && (high & 0x20)) {
        write_back(rn, high & 0x80, bytes, step); /* vpush, vpop, vldm, vstm */
    } else if ((high & 0xFFE0) == 0xEC40) {       /* two registers at once */
        step->clobbers = high & 0x10 ? (1u << (low >> 12) | 1u << rn) & 0x5FFF : 0;
    } else if ((high & 0xFF10) == 0xEE10 && (low & 0x10)) {
        step->clobbers = 1u << (low >> 12) & 0x7FFF;
    }
}

static void load_word(uint32_t high, uint32_t low, uint32_t pc, hs_step_t *step)
{
    const uint32_t rn = high & 15, rt = low >> 12, twelve = low & 0xFFF;
    if (rn == HS_THUMB_PC) {
        step->op = HS_STEP_LITERAL;
        step->rd = (uint8_t)rt;
        step->number = ((pc + 4) & ~3u) + (high & 0x80 ? twelve : 0 - twelve);
    } else if (high & 0x80) {
        hs_step_one(step, HS_STEP_LOAD, rt, rn, twelve);
    } else if (!(low & 0xFC0)) {
        hs_step_pair(step, HS_STEP_INDEXED, rt, rn, low & 15, low >> 4 & 3);
    } else if ((low & 0xD00) == 0xC00) {
        hs_step_one(step, HS_STEP_LOAD, rt, rn, low & 0x200 ? low & 0xFF : 0 - (low & 0xFF));
    } else {
        step->clobbers = 1u << rt & 0x7FFF;
        write_back(rn, low & 0x200, low & 0xFF, step);
        if (rt == HS_THUMB_PC) {
            step->flow = HS_FLOW_RETURN; /* ldr pc, [sp], #4 */
        }
        return;
    }
    if (rt == HS_THUMB_PC) {
        hs_step_by(step, HS_FLOW_JUMP_REGISTER, HS_THUMB_PC);
    }
}

static void single(uint32_t high, uint32_t low, uint32_t pc, hs_step_t *step)
{
    const uint32_t rn = high & 15, rt = low >> 12;
    const bool word = (high & 0x60) == 0x40, plain = high & 0x80;
    if ((high & 0x10) && word && !(high & 0x100)) {
        load_word(high, low, pc, step);
        return;
    }
    if (high & 0x10) {
        step->clobbers = rt == HS_THUMB_PC ? 0 : 1u << rt;
    } else if (word && plain) {
        hs_step_store(step, rt, rn, low & 0xFFF);
    }
    if (!plain && rn != HS_THUMB_PC && (low & 0x900) == 0x900) {
        write_back(rn, low & 0x200, low & 0xFF, step);
    }
}

void hs_thumb_wide(uint32_t high, uint32_t low, uint32_t pc, hs_step_t *step)
{
    step->size = 4;
    switch (high >> 8 & 0x1F) {
    case 0x08:
    case 0x09:
        several(high, low, step);
        break;
    case 0x0A:
    case 0x0B:
        shifted(high, low, step);
        break;
    case 0x0C:
    case 0x0D:
    case 0x0E:
    case 0x0F:
        coprocessor(high, low, step);
        break;
    case 0x18:
    case 0x19:
        single(high, low, pc, step);
        break;
    case 0x1A:
        step->clobbers = 1u << (low >> 8 & 15) & 0x7FFF;
        break;
    case 0x1B:
        step->clobbers = (1u << (low >> 8 & 15) | 1u << (low >> 12)) & 0x7FFF;
        break;
    case 0x1C:
    case 0x1D:
    case 0x1E:
    case 0x1F:
        break;
    default:
        if (low & 0x8000) {
            branches(high, low, pc, step);
        } else {
            immediates(high, low, pc, step);
        }
    }
}
