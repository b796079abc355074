/*
 * One instruction of any of the instruction sets, as far as it moves the stack pointer or control, or makes a
 * number that may become an address, a size or a distance. Private.
 */
#ifndef HEAPSCOPE_FRAMES_STEP_H
#define HEAPSCOPE_FRAMES_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HS_STEP_REGISTERS 32u

/* Its effect on registers. Each register of `clobbers` is unknown afterwards, but for `rd`. */
typedef enum hs_step_op {
    HS_STEP_NOTHING,
    HS_STEP_SET,     /* rd = number */
    HS_STEP_UPPER,   /* the upper half of rd = number */
    HS_STEP_ADD,     /* rd = ra + number */
    HS_STEP_SUM,     /* rd = ra + (rb << shift) */
    HS_STEP_LESS,    /* rd = ra - (rb << shift) */
    HS_STEP_SHIFT,   /* rd = ra << number */
    HS_STEP_AND,     /* rd = ra & number */
    HS_STEP_LITERAL, /* rd = the word at the address `number`, which is constant */
    HS_STEP_LOAD,    /* rd = the word at ra + number */
    HS_STEP_INDEXED, /* rd = the word at ra + (rb << shift) */
    HS_STEP_STORE    /* the word at ra + number = rb */
} hs_step_op_t;

/* Where control goes. */
typedef enum hs_step_flow {
    HS_FLOW_NEXT,
    HS_FLOW_BRANCH, /* to `target`, or on */
    HS_FLOW_JUMP,
    HS_FLOW_CALL,
    HS_FLOW_CALL_REGISTER, /* to what is in `reg` */
    HS_FLOW_JUMP_REGISTER, /* to what is in `reg` */
    HS_FLOW_RETURN,
    HS_FLOW_STOP,    /* a trap */
    HS_FLOW_TABLE_8, /* by a table of bytes behind it */
    HS_FLOW_TABLE_16
} hs_step_flow_t;

typedef struct hs_step {
    uint8_t size; /* bytes; 0: no instruction that is known */
    uint8_t op, flow;
    uint8_t rd, ra, rb, shift, reg;
    uint8_t link;        /* of a call: the register with the address of return */
    uint8_t window;      /* of a call: registers that the window turns by */
    uint8_t conditional; /* how many of the next instructions are under a condition */
    bool entry;          /* `entry` of Xtensa's windows */
    uint32_t number, target, clobbers;
} hs_step_t;

/* Reads the instruction of up to `left` bytes at `pc`. */
typedef void (*hs_step_read_t)(const uint8_t *bytes, size_t left, uint32_t pc, hs_step_t *step);

void hs_step_xtensa(const uint8_t *bytes, size_t left, uint32_t pc, hs_step_t *step);
void hs_step_riscv(const uint8_t *bytes, size_t left, uint32_t pc, hs_step_t *step);
void hs_step_riscv_zcmp(const uint8_t *bytes, size_t left, uint32_t pc, hs_step_t *step);
void hs_step_thumb(const uint8_t *bytes, size_t left, uint32_t pc, hs_step_t *step);

/* The low `bits` of a word as a number with a sign. */
static inline uint32_t hs_step_signed(uint32_t word, unsigned bits)
{
    const uint32_t sign = 1u << (bits - 1);
    word &= (sign << 1) - 1;
    return (word ^ sign) - sign;
}

static inline void hs_step_set(hs_step_t *step, uint32_t rd, uint32_t number)
{
    step->op = HS_STEP_SET;
    step->rd = (uint8_t)rd;
    step->number = number;
}

static inline void hs_step_add(hs_step_t *step, uint32_t rd, uint32_t ra, uint32_t number)
{
    step->op = HS_STEP_ADD;
    step->rd = (uint8_t)rd;
    step->ra = (uint8_t)ra;
    step->number = number;
}

/* HS_STEP_SUM, LESS or INDEXED. */
static inline void hs_step_pair(hs_step_t *step, hs_step_op_t op, uint32_t rd, uint32_t ra,
                                uint32_t rb, uint32_t shift)
{
    step->op = (uint8_t)op;
    step->rd = (uint8_t)rd;
    step->ra = (uint8_t)ra;
    step->rb = (uint8_t)rb;
    step->shift = (uint8_t)shift;
}

/* HS_STEP_LOAD, AND or SHIFT: one register and a number. */
static inline void hs_step_one(hs_step_t *step, hs_step_op_t op, uint32_t rd, uint32_t ra,
                               uint32_t number)
{
    hs_step_add(step, rd, ra, number);
    step->op = (uint8_t)op;
}

static inline void hs_step_store(hs_step_t *step, uint32_t rb, uint32_t ra, uint32_t number)
{
    step->op = HS_STEP_STORE;
    step->ra = (uint8_t)ra;
    step->rb = (uint8_t)rb;
    step->number = number;
}

static inline void hs_step_to(hs_step_t *step, hs_step_flow_t flow, uint32_t target)
{
    step->flow = (uint8_t)flow;
    step->target = target;
}

static inline void hs_step_by(hs_step_t *step, hs_step_flow_t flow, uint32_t reg)
{
    step->flow = (uint8_t)flow;
    step->reg = (uint8_t)reg;
}

#endif
