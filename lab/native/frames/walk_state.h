/* A walk's own state, which its two halves share. Private. */
#ifndef HEAPSCOPE_FRAMES_WALK_STATE_H
#define HEAPSCOPE_FRAMES_WALK_STATE_H

#include "frames/calls.h"
#include "frames/walk.h"

/* An address that control comes to from more than one side. */
typedef struct hs_leader {
    hs_state_t state;
    uint32_t address, deeper;
    bool waiting;
} hs_leader_t;

struct hs_walk {
    const hs_code_t *code;
    const uint8_t *ends;
    /* of the function that is walked, by the offset of an address */
    const hs_lab_function_t *in;
    uint32_t number;
    hs_lab_frame_row_t *row;
    int32_t *leader_at;
    uint8_t *length_at; /* of an instruction that was visited */
    size_t room;
    hs_leader_t *leaders;
    size_t leader_count, leader_room;
    uint32_t *waiting; /* leaders */
    size_t waiting_count, waiting_room;
    hs_calls_t calls;
    hs_state_t lost; /* where a jump leads that is not known */
    bool is_lost;
    uint64_t visits;
    hs_status_t status;
};

/* Is it an address of the function that is walked? */
static inline bool hs_walk_inside(const hs_walk_t *walk, uint32_t address)
{
    return address - walk->in->start < walk->in->end - walk->in->start;
}

/* Bytes of the stack below the function's start. */
static inline uint32_t hs_walk_depth(const hs_walk_t *walk, const hs_state_t *state)
{
    const int32_t offset = (int32_t)state->reg[walk->code->is.sp].number;
    return offset < 0 ? 0 - (uint32_t)offset : 0;
}

/* Control comes to an address of the function. */
void hs_walk_arrive(hs_walk_t *walk, uint32_t address, const hs_state_t *state);
/* The stack pointer gets a value. */
void hs_walk_set_sp(hs_walk_t *walk, hs_state_t *state, hs_value_t value, const hs_step_t *step);
/* Forgets what an ordinary function may change. */
void hs_walk_after_call(hs_walk_t *walk, hs_state_t *state, const hs_step_t *step);
/* Follows a jump to an address, into the function or out of it. */
void hs_walk_jump(hs_walk_t *walk, uint32_t site, const hs_state_t *state, uint32_t target);
/* Where control goes after an instruction; false: not to the next one. */
bool hs_walk_follow(hs_walk_t *walk, hs_state_t *state, const hs_step_t *step, uint32_t pc);

#endif
