/* Thumb and Thumb-2, by "ARMv7-M Architecture Reference Manual" (DDI 0403E), chapter A5. */
#include "frames/thumb.h"

void hs_thumb_load_list(uint32_t list, uint32_t base, bool back, hs_step_t *step)
{
    step->clobbers = list & 0x7FFF;
    if (base == HS_THUMB_SP) {
        if (back) {
            hs_step_add(step, HS_THUMB_SP, HS_THUMB_SP, hs_thumb_count(list) * 4);
        }
    } else if (back) {
        step->clobbers |= 1u << base;
    }
    if (list >> HS_THUMB_PC & 1) {
        step->flow = HS_FLOW_RETURN;
    }
}

static void shifts(uint32_t half, hs_step_t *step)
{
    const uint32_t rd = half & 7, rs = half >> 3 & 7, rn = half >> 6 & 7;
    step->clobbers = 1u << rd;
    switch (half >> 11) {
    case 0:
        hs_step_one(step, HS_STEP_SHIFT, rd, rs, half >> 6 & 31);
        break;
    case 3:
        if (half & 0x400) {
            hs_step_add(step, rd, rs, half & 0x200 ? 0 - rn : rn);
        } else {
            hs_step_pair(step, half & 0x200 ? HS_STEP_LESS : HS_STEP_SUM, rd, rs, rn, 0);
        }
        break;
    default:
        break;
    }
}

static void high_registers(uint32_t half, hs_step_t *step)
{
    const uint32_t rd = (half & 7) | (half >> 4 & 8), rm = half >> 3 & 15;
    switch (half >> 8 & 3) {
    case 0:
        if (rd == HS_THUMB_PC) {
            hs_step_by(step, HS_FLOW_JUMP_REGISTER, HS_THUMB_PC);
        }
        hs_step_pair(step, HS_STEP_SUM, rd, rd, rm, 0);
        break;
    case 1:
        break;
    case 2:
        if (rd != HS_THUMB_PC) {
            hs_step_add(step, rd, rm, 0);
            break;
        }
        /* fall through */
    default:
        if ((half >> 7 & 7) == 7) { /* blx */
            step->link = HS_THUMB_LR;
            hs_step_by(step, HS_FLOW_CALL_REGISTER, rm);
        } else if (rm == HS_THUMB_LR) {
            step->flow = HS_FLOW_RETURN;
        } else {
            hs_step_by(step, HS_FLOW_JUMP_REGISTER, rm);
        }
    }
}

static void memory(uint32_t half, hs_step_t *step)
{
    const uint32_t rt = half & 7, rn = half >> 3 & 7, rm = half >> 6 & 7, five = half >> 6 & 31;
    switch (half >> 11) {
    case 0x0B: /* ldr with an index, and ldrsb, ldrh ... of the same half */
        step->clobbers = 1u << rt;
        if (!(half & 0x600)) {
            hs_step_pair(step, HS_STEP_INDEXED, rt, rn, rm, 0);
        }
        break;
    case 0x0A: /* str, strh, strb, ldrsb */
        step->clobbers = (half >> 9 & 3) == 3 ? 1u << rt : 0;
        break;
    case 0x0C:
        hs_step_store(step, rt, rn, five * 4);
        break;
    case 0x0D:
        hs_step_one(step, HS_STEP_LOAD, rt, rn, five * 4);
        break;
    case 0x0F:
    case 0x11:
        step->clobbers = 1u << rt;
        break;
    case 0x12:
        hs_step_store(step, half >> 8 & 7, HS_THUMB_SP, (half & 0xFF) * 4);
        break;
    case 0x13:
        hs_step_one(step, HS_STEP_LOAD, half >> 8 & 7, HS_THUMB_SP, (half & 0xFF) * 4);
        break;
    default:
        break;
    }
}

static void miscellaneous(uint32_t half, uint32_t pc, hs_step_t *step)
{
    if ((half & 0xFF00) == 0xB000) {
        const uint32_t bytes = (half & 0x7F) * 4;
        hs_step_add(step, HS_THUMB_SP, HS_THUMB_SP, half & 0x80 ? 0 - bytes : bytes);
    } else if ((half & 0xF500) == 0xB100) {
        hs_step_to(step, HS_FLOW_BRANCH, pc + 4 + ((half >> 3 & 31) << 1 | (half >> 9 & 1) << 6));
    } else if ((half & 0xFE00) == 0xB400) {
        hs_step_add(step, HS_THUMB_SP, HS_THUMB_SP, 0 - hs_thumb_count(half & 0x1FF) * 4);
    } else if ((half & 0xFE00) == 0xBC00) {
        hs_thumb_load_list((half & 0xFF) | (half & 0x100) << 7, HS_THUMB_SP, true, step);
    } else if ((half & 0xFF00) == 0xB200 || (half & 0xFF00) == 0xBA00) {
        step->clobbers = 1u << (half & 7);
    } else if ((half & 0xFF00) == 0xBF00 && (half & 15) != 0) {
        const uint32_t mask = half & 15;
        step->conditional = (uint8_t)(mask & 1 ? 4 : mask & 2 ? 3 : mask & 4 ? 2 : 1);
    }
}

static void half_word(uint32_t half, uint32_t pc, hs_step_t *step)
{
    const uint32_t rd = half >> 8 & 7, byte = half & 0xFF;
    switch (half >> 12) {
    case 0:
    case 1:
        shifts(half, step);
        break;
    case 2:
        if (!(half & 0x800)) {
            hs_step_set(step, rd, byte);
        }
        break;
    case 3:
        hs_step_add(step, rd, rd, half & 0x800 ? 0 - byte : byte);
        break;
    case 4:
        if (half & 0x800) {
            step->op = HS_STEP_LITERAL;
            step->rd = (uint8_t)rd;
            step->number = ((pc + 4) & ~3u) + byte * 4;
        } else if (half & 0x400) {
            high_registers(half, step);
        } else {
            const uint32_t kind = half >> 6 & 15;
            step->clobbers = kind == 8 || kind == 10 || kind == 11 ? 0 : 1u << (half & 7);
        }
        break;
    case 10:
        if (half & 0x800) {
            hs_step_add(step, rd, HS_THUMB_SP, byte * 4);
        } else {
            hs_step_set(step, rd, ((pc + 4) & ~3u) + byte * 4);
        }
        break;
    case 11:
        miscellaneous(half, pc, step);
        break;
    case 12:
        if (half & 0x800) {
            hs_thumb_load_list(byte, rd, true, step);
        } else {
            step->clobbers = 1u << rd;
        }
        break;
    case 13:
        if ((half & 0xF00) == 0xE00) {
            step->flow = HS_FLOW_STOP;
        } else if ((half & 0xF00) == 0xF00) {
            step->clobbers = 15; /* svc: by the convention of calls */
        } else {
            hs_step_to(step, HS_FLOW_BRANCH, pc + 4 + hs_step_signed(byte << 1, 9));
        }
        break;
    case 14:
        hs_step_to(step, HS_FLOW_JUMP, pc + 4 + hs_step_signed((half & 0x7FF) << 1, 12));
        break;
    default:
        memory(half, step);
    }
}

void hs_step_thumb(const uint8_t *bytes, size_t left, uint32_t pc, hs_step_t *step)
{
    *step = (hs_step_t){0};
    if (left < 2) {
        return;
    }
    const uint32_t half = bytes[0] | (uint32_t)bytes[1] << 8;
    if (half >> 11 < 0x1D) {
        step->size = 2;
        half_word(half, pc, step);
    } else if (left >= 4) {
        hs_thumb_wide(half, bytes[2] | (uint32_t)bytes[3] << 8, pc, step);
    }
}
