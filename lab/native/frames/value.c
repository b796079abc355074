#include "frames/value.h"

static hs_value_t value(uint32_t kind, uint32_t number)
{
    return (hs_value_t){kind, number};
}

static bool in_frame(hs_value_t one)
{
    return one.kind == HS_VALUE_FRAME || one.kind == HS_VALUE_VARIABLE;
}

static hs_value_t added(hs_value_t one, uint32_t number)
{
    const bool moves =
        in_frame(one) || one.kind == HS_LAB_VALUE_NUMBER || one.kind == HS_VALUE_INDEX;
    if (number == 0 || moves) {
        return value(one.kind, moves ? one.number + number : one.number);
    }
    return value(HS_LAB_VALUE_UNKNOWN, 0);
}

static hs_value_t sum(hs_value_t a, hs_value_t b, uint32_t shift)
{
    if (b.kind == HS_LAB_VALUE_NUMBER) {
        return a.kind == HS_LAB_VALUE_NUMBER || in_frame(a) || a.kind == HS_VALUE_INDEX
                   ? added(a, b.number << shift)
                   : value(HS_VALUE_INDEX, b.number << shift);
    }
    if (in_frame(a)) {
        return value(HS_VALUE_VARIABLE, a.number);
    }
    if (in_frame(b) && shift == 0) {
        return a.kind == HS_LAB_VALUE_NUMBER ? added(b, a.number)
                                             : value(HS_VALUE_VARIABLE, b.number);
    }
    if (a.kind == HS_LAB_VALUE_NUMBER || a.kind == HS_VALUE_INDEX) {
        return value(HS_VALUE_INDEX, a.number);
    }
    if (b.kind == HS_VALUE_INDEX && shift == 0) {
        return b;
    }
    return value(HS_LAB_VALUE_UNKNOWN, 0);
}

static hs_value_t less(hs_value_t a, hs_value_t b, uint32_t shift)
{
    if (b.kind == HS_LAB_VALUE_NUMBER) {
        return added(a, 0 - (b.number << shift));
    }
    return in_frame(a) ? value(HS_VALUE_VARIABLE, a.number) : value(HS_LAB_VALUE_UNKNOWN, 0);
}

static hs_value_t masked(hs_value_t a, uint32_t mask)
{
    if (a.kind == HS_LAB_VALUE_NUMBER) {
        return value(HS_LAB_VALUE_NUMBER, a.number & mask);
    }
    /* An alignment moves it down by at most what the mask clears. */
    return in_frame(a) && ~mask < 4096 ? value(a.kind, a.number - ~mask)
                                       : value(HS_LAB_VALUE_UNKNOWN, 0);
}

/* The word at base + offset. */
static hs_value_t loaded(const hs_code_t *code, hs_value_t base, uint32_t offset)
{
    uint32_t word;
    switch (base.kind) {
    case HS_LAB_VALUE_NUMBER:
        return hs_code_word(code, base.number + offset, false, &word)
                   ? value(HS_LAB_VALUE_NUMBER, word)
                   : value(HS_LAB_VALUE_LOADED, base.number + offset);
    case HS_VALUE_INDEX:
        return value(HS_LAB_VALUE_TABLE, base.number + offset);
    case HS_VALUE_FRAME:
    case HS_VALUE_VARIABLE:
        return value(HS_LAB_VALUE_UNKNOWN, 0);
    default:
        return value(HS_LAB_VALUE_FIELD, offset);
    }
}

hs_value_t hs_value_of(const hs_code_t *code, const hs_state_t *state, const hs_step_t *step)
{
    const hs_value_t a = state->reg[step->ra], b = state->reg[step->rb];
    uint32_t word;
    switch (step->op) {
    case HS_STEP_SET:
        return value(HS_LAB_VALUE_NUMBER, step->number);
    case HS_STEP_UPPER: {
        const hs_value_t own = state->reg[step->rd];
        return own.kind == HS_LAB_VALUE_NUMBER
                   ? value(HS_LAB_VALUE_NUMBER, (own.number & 0xFFFF) | step->number << 16)
                   : value(HS_LAB_VALUE_UNKNOWN, 0);
    }
    case HS_STEP_ADD:
        return added(a, step->number);
    case HS_STEP_SUM:
        return sum(a, b, step->shift);
    case HS_STEP_LESS:
        return less(a, b, step->shift);
    case HS_STEP_SHIFT:
        if (step->number == 0) {
            return a;
        }
        return a.kind == HS_LAB_VALUE_NUMBER && step->number < 32
                   ? value(HS_LAB_VALUE_NUMBER, a.number << step->number)
                   : value(HS_LAB_VALUE_UNKNOWN, 0);
    case HS_STEP_AND:
        return masked(a, step->number);
    case HS_STEP_LITERAL:
        return hs_code_word(code, step->number, true, &word) ? value(HS_LAB_VALUE_NUMBER, word)
                                                             : value(HS_LAB_VALUE_UNKNOWN, 0);
    case HS_STEP_LOAD:
        return loaded(code, a, step->number);
    case HS_STEP_INDEXED:
        return loaded(code, sum(a, b, step->shift), 0);
    default:
        return value(HS_LAB_VALUE_UNKNOWN, 0);
    }
}

/* Two values of one register; both are kept where they are the same. */
static bool merge(hs_value_t *into, hs_value_t other)
{
    if ((into->kind == other.kind && into->number == other.number) ||
        into->kind == HS_LAB_VALUE_UNKNOWN) {
        return false;
    }
    *into = value(HS_LAB_VALUE_UNKNOWN, 0);
    return true;
}

bool hs_state_merge(hs_state_t *into, const hs_state_t *other, uint8_t sp)
{
    bool changed = false;
    const uint32_t mine = into->reg[sp].number, theirs = other->reg[sp].number;
    for (size_t i = 0; i < HS_STEP_REGISTERS; i++) {
        changed |= i != sp && merge(&into->reg[i], other->reg[i]);
    }
    for (size_t i = 0; i < HS_STATE_SLOTS; i++) {
        changed |= merge(&into->slot[i], other->slot[i]);
    }
    if ((int32_t)theirs < (int32_t)mine) {
        into->reg[sp].number = theirs;
        changed = true;
    }
    return changed;
}
