/* Where control goes from an instruction: calls, jumps, and tables of both. */
#include <stddef.h>

#include "frames/walk_state.h"

#define ENTRIES_MAX 4096u /* of a jump table */

/* ---- calls ------------------------------------------------------------------------------------ */

static void call_to(hs_walk_t *walk, uint32_t site, const hs_state_t *state, uint32_t target,
                    uint32_t window, bool tail)
{
    hs_lab_call_row_t row = {.function = walk->number,
                             .site = site,
                             .depth = hs_walk_depth(walk, state),
                             .target = target,
                             .tail = tail};
    hs_calls_arguments(&row, &walk->code->is, state, window);
    walk->status = hs_calls_add(&walk->calls, &row) ? walk->status : HS_ERR_MEMORY;
}

static void call_by(hs_walk_t *walk, uint32_t site, const hs_state_t *state, hs_value_t value,
                    uint32_t window, bool tail)
{
    const bool known = value.kind <= HS_LAB_VALUE_FIELD;
    hs_lab_call_row_t row = {.function = walk->number,
                             .site = site,
                             .kind = HS_LAB_CALL_INDIRECT,
                             .depth = hs_walk_depth(walk, state),
                             .tail = tail,
                             .known = known ? value.kind : HS_LAB_VALUE_UNKNOWN,
                             .from = known ? value.number : 0};
    hs_calls_arguments(&row, &walk->code->is, state, window);
    walk->status = hs_calls_add(&walk->calls, &row) ? walk->status : HS_ERR_MEMORY;
}

/* ---- where control goes ------------------------------------------------------------------------ */

static uint32_t code_address(const hs_walk_t *walk, uint32_t word)
{
    return walk->code->is.pc == HS_CODE_NONE ? word : word & ~1u;
}

static void returns(hs_walk_t *walk)
{
    walk->row->flags |= HS_LAB_FRAME_RETURNS;
}

void hs_walk_jump(hs_walk_t *walk, uint32_t site, const hs_state_t *state, uint32_t target)
{
    if (hs_walk_inside(walk, target)) {
        hs_walk_arrive(walk, target, state);
        return;
    }
    const size_t callee = hs_code_function(walk->code, target);
    const uint32_t flags = callee == SIZE_MAX ? 0 : walk->code->functions[callee].flags;
    if (!(flags & HS_LAB_FUNCTION_RETURNS)) {
        call_to(walk, site, state, target, 0, true);
    }
    if (callee == SIZE_MAX || !walk->ends[callee]) {
        returns(walk);
    }
}

/* A jump by the table of words at `table`; false: its first word is not in the function. */
static bool by_words(hs_walk_t *walk, const hs_state_t *state, uint32_t table)
{
    uint32_t word, i = 0;
    while (i < ENTRIES_MAX && hs_code_word(walk->code, table + i * 4, true, &word) &&
           hs_walk_inside(walk, code_address(walk, word))) {
        hs_walk_arrive(walk, code_address(walk, word), state);
        i++;
    }
    return i > 0;
}

/* The table of offsets that ends where the first of its targets begins. */
static void by_offsets(hs_walk_t *walk, const hs_state_t *state, uint32_t table, uint32_t size,
                       bool has_sign, uint32_t scale)
{
    uint32_t end = walk->in->end;
    for (uint32_t i = 0; i < ENTRIES_MAX && table + (i + 1) * size <= end; i++) {
        size_t left;
        const uint8_t *const bytes = hs_code_bytes(walk->code, table + i * size, &left);
        if (bytes == NULL || left < size) {
            return;
        }
        uint32_t value = 0;
        for (uint32_t k = 0; k < size; k++) {
            value |= (uint32_t)bytes[k] << (8 * k);
        }
        const uint32_t target =
            table + (has_sign ? hs_step_signed(value, size * 8) : value) * scale;
        if (!hs_walk_inside(walk, target)) {
            continue;
        }
        end = target >= table && target < end ? target : end;
        hs_walk_arrive(walk, target, state);
    }
}

static void lose(hs_walk_t *walk, const hs_state_t *state)
{
    if (walk->is_lost) {
        (void)hs_state_merge(&walk->lost, state, walk->code->is.sp);
    } else {
        walk->lost = *state;
        walk->is_lost = true;
    }
}

static void jump_by(hs_walk_t *walk, uint32_t site, const hs_state_t *state, hs_value_t value)
{
    if (value.kind == HS_VALUE_RETURN) {
        returns(walk);
        return;
    }
    if (value.kind == HS_LAB_VALUE_NUMBER) {
        hs_walk_jump(walk, site, state, code_address(walk, value.number));
        return;
    }
    if (value.kind == HS_LAB_VALUE_TABLE && by_words(walk, state, value.number)) {
        return;
    }
    returns(walk);
    if (hs_walk_depth(walk, state) == 0) {
        call_by(walk, site, state, value, 0, true);
    }
    if (hs_walk_depth(walk, state) != 0 || value.kind == HS_VALUE_INDEX ||
        value.kind == HS_LAB_VALUE_UNKNOWN) {
        lose(walk, state);
    }
}

/* A helper that jumps by the table behind its call. */
static bool by_helper(hs_walk_t *walk, const hs_state_t *state, uint32_t flags, uint32_t next)
{
    if (flags & HS_LAB_FUNCTION_CASE_U8) {
        by_offsets(walk, state, next, 1, false, 2);
    } else if (flags & HS_LAB_FUNCTION_CASE_S8) {
        by_offsets(walk, state, next, 1, true, 2);
    } else if (flags & HS_LAB_FUNCTION_CASE_U16) {
        by_offsets(walk, state, next, 2, false, 2);
    } else if (flags & HS_LAB_FUNCTION_CASE_S16) {
        by_offsets(walk, state, next, 2, true, 2);
    } else if (flags & HS_LAB_FUNCTION_CASE_32) {
        by_offsets(walk, state, (next + 3) & ~3u, 4, true, 1);
    } else {
        return false;
    }
    return true;
}

/* False: the callee does not come back. */
static bool call(hs_walk_t *walk, hs_state_t *state, const hs_step_t *step, uint32_t pc,
                 uint32_t target)
{
    if (target != walk->in->start && hs_walk_inside(walk, target)) {
        hs_walk_arrive(walk, target,
                       state); /* a far jump of Thumb-1, or code of the same function */
        hs_walk_after_call(walk, state, step);
        return true;
    }
    const size_t callee = hs_code_function(walk->code, target);
    call_to(walk, pc, state, target, step->window, false);
    if (callee == SIZE_MAX) {
        hs_walk_after_call(walk, state, step);
        return true;
    }
    const hs_lab_function_t *const known = &walk->code->functions[callee];
    if (by_helper(walk, state, known->flags, pc + step->size) || walk->ends[callee]) {
        return false;
    }
    if (known->pushes != 0) { /* millicode keeps all registers but its own */
        hs_value_t down = state->reg[walk->code->is.sp];
        down.number -= known->pushes;
        hs_walk_set_sp(walk, state, down, step);
        return true;
    }
    hs_walk_after_call(walk, state, step);
    return true;
}

/* The offset of `jalr` is added to the register. */
static hs_value_t target_of(const hs_state_t *state, const hs_step_t *step)
{
    hs_value_t value = state->reg[step->reg];
    if (step->op == HS_STEP_NOTHING && value.kind == HS_LAB_VALUE_NUMBER) {
        value.number += step->number;
    }
    return value;
}

/* False: control does not come to the next instruction. */
bool hs_walk_follow(hs_walk_t *walk, hs_state_t *state, const hs_step_t *step, uint32_t pc)
{
    const uint32_t next = pc + step->size;
    switch (step->flow) {
    case HS_FLOW_BRANCH:
        if (hs_walk_inside(walk, step->target)) {
            hs_walk_arrive(walk, step->target, state);
        } else {
            hs_walk_jump(walk, pc, state, step->target);
        }
        return true;
    case HS_FLOW_JUMP:
        hs_walk_jump(walk, pc, state, step->target);
        return false;
    case HS_FLOW_CALL:
        return call(walk, state, step, pc, step->target);
    case HS_FLOW_CALL_REGISTER: {
        const hs_value_t value = target_of(state, step);
        if (value.kind == HS_LAB_VALUE_NUMBER) {
            return call(walk, state, step, pc, code_address(walk, value.number));
        }
        call_by(walk, pc, state, value, step->window, false);
        hs_walk_after_call(walk, state, step);
        return true;
    }
    case HS_FLOW_JUMP_REGISTER:
        jump_by(walk, pc, state, target_of(state, step));
        return false;
    case HS_FLOW_TABLE_8:
    case HS_FLOW_TABLE_16:
        if (step->reg == walk->code->is.pc) {
            by_offsets(walk, state, next, step->flow == HS_FLOW_TABLE_8 ? 1 : 2, false, 2);
        } else {
            lose(walk, state);
        }
        return false;
    case HS_FLOW_RETURN:
        returns(walk);
        return false;
    case HS_FLOW_STOP:
        return false;
    default:
        return true;
    }
}
