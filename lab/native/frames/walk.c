#include "frames/walk.h"

#include <stdlib.h>
#include <string.h>

#include "frames/walk_state.h"

#define VISITS 32u    /* of an instruction, on average */
#define DEEPER_MAX 8u /* times that the stack pointer at one address is found deeper */

hs_walk_t *hs_walk_new(const hs_code_t *code, const uint8_t *ends)
{
    hs_walk_t *walk = calloc(1, sizeof *walk);
    if (walk != NULL) {
        walk->code = code;
        walk->ends = ends;
    }
    return walk;
}

void hs_walk_delete(hs_walk_t *walk)
{
    if (walk != NULL) {
        free(walk->leader_at);
        free(walk->length_at);
        free(walk->leaders);
        free(walk->waiting);
        hs_calls_free(&walk->calls);
        free(walk);
    }
}

void hs_walk_forget(hs_walk_t *walk, const uint8_t *functions)
{
    hs_calls_forget(&walk->calls, functions);
}

const hs_lab_call_row_t *hs_walk_calls(const hs_walk_t *walk, size_t *count)
{
    *count = walk->calls.count;
    return walk->calls.rows;
}

/* Room for one more of `count` things; NULL: no host memory, and the walk's status says so. */
static void *grown(hs_walk_t *walk, void *things, size_t size, size_t count, size_t *room)
{
    if (count < *room) {
        return things;
    }
    const size_t more = *room == 0 ? 64 : *room * 2;
    void *const result = realloc(things, more * size);
    if (result == NULL) {
        walk->status = HS_ERR_MEMORY;
        return NULL;
    }
    *room = more;
    return result;
}

static void enqueue(hs_walk_t *walk, size_t leader)
{
    if (walk->leaders[leader].waiting) {
        return;
    }
    uint32_t *const waiting =
        grown(walk, walk->waiting, sizeof *waiting, walk->waiting_count, &walk->waiting_room);
    if (waiting != NULL) {
        walk->waiting = waiting;
        walk->waiting[walk->waiting_count++] = (uint32_t)leader;
        walk->leaders[leader].waiting = true;
    }
}

static void arrive_again(hs_walk_t *walk, hs_leader_t *leader, const hs_state_t *state)
{
    const uint8_t sp = walk->code->is.sp;
    const uint32_t before = leader->state.reg[sp].number;
    if (!hs_state_merge(&leader->state, state, sp)) {
        return;
    }
    if (leader->state.reg[sp].number != before && ++leader->deeper > DEEPER_MAX) {
        walk->row->flags |= HS_LAB_FRAME_GROWS;
        return;
    }
    enqueue(walk, (size_t)(leader - walk->leaders));
}

void hs_walk_arrive(hs_walk_t *walk, uint32_t address, const hs_state_t *state)
{
    const uint32_t offset = address - walk->in->start;
    if (walk->leader_at[offset] >= 0) {
        arrive_again(walk, &walk->leaders[walk->leader_at[offset]], state);
        return;
    }
    hs_leader_t *const leaders =
        grown(walk, walk->leaders, sizeof *leaders, walk->leader_count, &walk->leader_room);
    if (leaders == NULL) {
        return;
    }
    walk->leaders = leaders;
    walk->leader_at[offset] = (int32_t)walk->leader_count;
    walk->leaders[walk->leader_count] = (hs_leader_t){.state = *state, .address = address};
    enqueue(walk, walk->leader_count++);
}

/* ---- one instruction --------------------------------------------------------------------------- */

void hs_walk_set_sp(hs_walk_t *walk, hs_state_t *state, hs_value_t value, const hs_step_t *step)
{
    hs_value_t *const sp = &state->reg[walk->code->is.sp];
    memset(state->slot, 0, sizeof state->slot);
    if (value.kind == HS_VALUE_FRAME || value.kind == HS_VALUE_VARIABLE) {
        walk->row->flags |= value.kind == HS_VALUE_VARIABLE ? HS_LAB_FRAME_DYNAMIC : 0;
        walk->row->flags |= step->op == HS_STEP_AND ? HS_LAB_FRAME_ALIGNED : 0;
        *sp = (hs_value_t){HS_VALUE_FRAME, value.number};
    } else {
        walk->row->flags |= HS_LAB_FRAME_ELSEWHERE;
    }
    const uint32_t depth = hs_walk_depth(walk, state);
    walk->row->frame = depth > walk->row->frame ? depth : walk->row->frame;
}

static void store(const hs_walk_t *walk, hs_state_t *state, const hs_step_t *step)
{
    if (step->ra == walk->code->is.sp && step->number / 4 < HS_STATE_SLOTS) {
        state->slot[step->number / 4] = state->reg[step->rb];
    }
}

static void forget(hs_walk_t *walk, hs_state_t *state, uint32_t registers)
{
    const uint32_t sp = walk->code->is.sp;
    for (uint32_t i = 0; registers != 0; i++, registers >>= 1) {
        if ((registers & 1u) && i != sp) {
            state->reg[i] = (hs_value_t){0};
        } else if (registers & 1u) {
            walk->row->flags |= HS_LAB_FRAME_ELSEWHERE;
        }
    }
}

/* Registers and the stack pointer. `maybe`: it is under a condition. */
static void apply(hs_walk_t *walk, hs_state_t *state, const hs_step_t *step, uint32_t pc,
                  bool maybe)
{
    const hs_convention_t *const is = &walk->code->is;
    if (is->pc != HS_CODE_NONE) {
        state->reg[is->pc] = (hs_value_t){HS_LAB_VALUE_NUMBER, pc + 4};
    }
    const bool computes = step->op != HS_STEP_NOTHING && step->op != HS_STEP_STORE;
    const hs_value_t value = hs_value_of(walk->code, state, step);
    if (step->op == HS_STEP_STORE) {
        store(walk, state, step);
    }
    forget(walk, state, computes ? step->clobbers & ~(1u << step->rd) : step->clobbers);
    if (computes && step->rd == is->sp) {
        const hs_value_t before = state->reg[is->sp];
        hs_walk_set_sp(walk, state, value, step);
        if (maybe && (int32_t)before.number < (int32_t)state->reg[is->sp].number) {
            state->reg[is->sp] = before; /* the deeper one */
        }
    } else if (computes) {
        state->reg[step->rd] = maybe ? (hs_value_t){0} : value;
    }
    if (is->zero != HS_CODE_NONE) {
        state->reg[is->zero] = (hs_value_t){HS_LAB_VALUE_NUMBER, 0};
    }
    walk->row->flags |= step->entry ? HS_LAB_FRAME_WINDOW : 0;
}

void hs_walk_after_call(hs_walk_t *walk, hs_state_t *state, const hs_step_t *step)
{
    const uint32_t kept = step->window != 0 ? (1u << step->window) - 1 : walk->code->is.kept;
    forget(walk, state, ~kept & ~(1u << walk->code->is.sp));
    memset(state->slot, 0, sizeof state->slot);
    if (walk->code->is.zero != HS_CODE_NONE) {
        state->reg[walk->code->is.zero] = (hs_value_t){HS_LAB_VALUE_NUMBER, 0};
    }
}

/* ---- a function -------------------------------------------------------------------------------- */

/* Goes on from a leader to the next one, or to where control does not come on. */
static void run(hs_walk_t *walk, size_t leader)
{
    hs_state_t state = walk->leaders[leader].state;
    uint32_t pc = walk->leaders[leader].address;
    uint32_t conditional = 0;
    bool after_call = false;
    for (bool first = true; walk->status == HS_OK; first = false) {
        if (!hs_walk_inside(walk, pc)) {
            if (!after_call) { /* a call at the end does not come back */
                hs_walk_jump(walk, walk->in->end - 1, &state, pc);
            }
            return;
        }
        if (!first && walk->leader_at[pc - walk->in->start] >= 0) {
            hs_walk_arrive(walk, pc, &state);
            return;
        }
        size_t left;
        hs_step_t step;
        const uint8_t *const bytes = hs_code_bytes(walk->code, pc, &left);
        walk->code->is.read(bytes, left, pc, &step);
        if (step.size == 0 ||
            ++walk->visits > (uint64_t)VISITS * (walk->in->end - walk->in->start)) {
            walk->row->flags |= HS_LAB_FRAME_UNREAD;
            return;
        }
        walk->row->instructions += walk->length_at[pc - walk->in->start] == 0;
        walk->length_at[pc - walk->in->start] = step.size;
        const bool maybe = conditional > 0;
        conditional -= maybe;
        hs_state_t before;
        if (maybe) {
            before = state;
        }
        apply(walk, &state, &step, pc, maybe);
        const bool on = hs_walk_follow(walk, &state, &step, pc);
        if (!on && !maybe) {
            return;
        }
        if (!on) { /* the condition may not hold */
            state = before;
        }
        conditional = step.conditional != 0 ? step.conditional : conditional;
        after_call = step.flow == HS_FLOW_CALL || step.flow == HS_FLOW_CALL_REGISTER;
        pc += step.size;
    }
}

/* The lowest address first: most of a function's joins come after all that leads to them. */
static void run_all(hs_walk_t *walk)
{
    while (walk->waiting_count > 0 && walk->status == HS_OK) {
        size_t lowest = 0;
        for (size_t i = 1; i < walk->waiting_count; i++) {
            if (walk->leaders[walk->waiting[i]].address <
                walk->leaders[walk->waiting[lowest]].address) {
                lowest = i;
            }
        }
        const uint32_t leader = walk->waiting[lowest];
        walk->waiting[lowest] = walk->waiting[--walk->waiting_count];
        walk->leaders[leader].waiting = false;
        run(walk, leader);
    }
}

/* Bytes that nothing leads to; where a jump was lost, they are walked from their first one on. */
static uint32_t sweep(hs_walk_t *walk)
{
    uint32_t unreached = 0;
    const uint32_t size = walk->in->end - walk->in->start;
    for (uint32_t offset = 0; offset < size && walk->status == HS_OK;) {
        if (walk->length_at[offset] == 0 && walk->is_lost && walk->leader_at[offset] < 0) {
            walk->row->flags |= HS_LAB_FRAME_SWEPT;
            hs_walk_arrive(walk, walk->in->start + offset, &walk->lost);
            run_all(walk);
        }
        if (walk->length_at[offset] != 0) {
            offset += walk->length_at[offset];
        } else {
            const uint32_t unit = walk->code->is.unit;
            unreached += unit < size - offset ? unit : size - offset;
            offset += unit;
        }
    }
    return unreached;
}

static bool make_room(hs_walk_t *walk, size_t size)
{
    if (size > walk->room) {
        free(walk->leader_at);
        free(walk->length_at);
        walk->leader_at = malloc(size * sizeof *walk->leader_at);
        walk->length_at = malloc(size);
        walk->room = size;
    }
    if (walk->leader_at == NULL || walk->length_at == NULL ||
        !hs_calls_begin(&walk->calls, walk->in)) {
        walk->room = 0;
        return false;
    }
    memset(walk->leader_at, 0xFF, size * sizeof *walk->leader_at);
    memset(walk->length_at, 0, size);
    return true;
}

hs_status_t hs_walk_function(hs_walk_t *walk, size_t function, hs_lab_frame_row_t *out)
{
    const hs_convention_t *const is = &walk->code->is;
    *out = (hs_lab_frame_row_t){0};
    walk->in = &walk->code->functions[function];
    walk->number = (uint32_t)function;
    walk->row = out;
    walk->leader_count = walk->waiting_count = 0;
    walk->is_lost = false;
    walk->visits = 0;
    walk->status = HS_OK;
    if (!make_room(walk, walk->in->end - walk->in->start)) {
        return HS_ERR_MEMORY;
    }
    hs_state_t state = {0};
    state.reg[is->sp] = (hs_value_t){HS_VALUE_FRAME, 0};
    state.reg[is->link] = (hs_value_t){HS_VALUE_RETURN, 0};
    if (is->zero != HS_CODE_NONE) {
        state.reg[is->zero] = (hs_value_t){HS_LAB_VALUE_NUMBER, 0};
        state.reg[5] = (hs_value_t){HS_VALUE_RETURN, 0}; /* t0, by which millicode returns */
    }
    hs_walk_arrive(walk, walk->in->start, &state);
    run_all(walk);
    out->unreached = sweep(walk);
    return walk->status;
}
