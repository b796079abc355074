#include "frames/code.h"

bool hs_code_convention(uint32_t machine, hs_convention_t *out)
{
    switch (machine) {
    case HS_LAB_CODE_XTENSA: /* without windows: a1, a12 to a15 */
        *out = (hs_convention_t){hs_step_xtensa, 0xF002, 1, 0, HS_CODE_NONE, HS_CODE_NONE, 2, 6, 1};
        return true;
    case HS_LAB_CODE_RISCV: /* sp, gp, tp, s0 to s11 */
    case HS_LAB_CODE_RISCV_ZCMP:
        *out = (hs_convention_t){machine == HS_LAB_CODE_RISCV ? hs_step_riscv : hs_step_riscv_zcmp,
                                 0x0FFC031C,
                                 2,
                                 1,
                                 0,
                                 HS_CODE_NONE,
                                 10,
                                 8,
                                 2};
        return true;
    case HS_LAB_CODE_THUMB: /* r4 to r11, sp */
        *out = (hs_convention_t){hs_step_thumb, 0x2FF0, 13, 14, HS_CODE_NONE, 15, 0, 4, 2};
        return true;
    default:
        return false;
    }
}

static const hs_lab_code_part_t *part_at(const hs_code_t *code, uint32_t address)
{
    size_t low = 0, high = code->part_count; /* ascending, without overlap */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (address - code->parts[middle].address < code->parts[middle].size) {
            return &code->parts[middle];
        }
        if (address < code->parts[middle].address) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}

const uint8_t *hs_code_bytes(const hs_code_t *code, uint32_t address, size_t *left)
{
    const hs_lab_code_part_t *const part = part_at(code, address);
    if (part == NULL) {
        *left = 0;
        return NULL;
    }
    *left = part->size - (address - part->address);
    return part->bytes + (address - part->address);
}

bool hs_code_word(const hs_code_t *code, uint32_t address, bool any, uint32_t *word)
{
    const hs_lab_code_part_t *const part = part_at(code, address);
    if (part == NULL || (part->writable && !any)) {
        return false;
    }
    const uint32_t offset = address - part->address;
    if (part->size - offset < 4) {
        return false;
    }
    const uint8_t *const bytes = part->bytes + offset;
    *word =
        bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    return true;
}

size_t hs_code_function(const hs_code_t *code, uint32_t address)
{
    size_t low = 0, high = code->function_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (code->functions[middle].start == address) {
            return middle;
        }
        if (code->functions[middle].start < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return SIZE_MAX;
}
