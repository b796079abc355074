/* Frames and calls out of machine code: what goes in, and the rows that come out. */
#ifndef HEAPSCOPE_ROWS_FRAMES_H
#define HEAPSCOPE_ROWS_FRAMES_H

#include <stdint.h>

/* cffi: begin */
/* Instruction sets. ZCMP: RISC-V whose cm.push takes the encodings of c.fsdsp. */
#define HS_LAB_CODE_XTENSA 1
#define HS_LAB_CODE_RISCV 2
#define HS_LAB_CODE_RISCV_ZCMP 3
#define HS_LAB_CODE_THUMB 4

/* Bytes of the program as they are loaded. `writable`: the program may change them. */
typedef struct hs_lab_code_part {
    uint32_t address, size, writable;
    const uint8_t *bytes;
} hs_lab_code_part_t;

/* Facts of a function by its name. CASE_*: a helper of Thumb-1 that jumps by the table behind its call. */
#define HS_LAB_FUNCTION_ENDS 1    /* it never returns */
#define HS_LAB_FUNCTION_RETURNS 2 /* a jump to it returns from the caller, as __riscv_restore_N */
#define HS_LAB_FUNCTION_CASE_U8 4
#define HS_LAB_FUNCTION_CASE_S8 8
#define HS_LAB_FUNCTION_CASE_U16 16
#define HS_LAB_FUNCTION_CASE_S16 32
#define HS_LAB_FUNCTION_CASE_32 64

/* A function of the program, in ascending order of `start`, without overlap. `pushes`: bytes by which a
 * call of it moves the caller's stack pointer down, as __riscv_save_N. */
typedef struct hs_lab_function {
    uint32_t start, end, flags, pushes;
} hs_lab_function_t;

/* Why a frame is not known to the byte. */
#define HS_LAB_FRAME_DYNAMIC                                                                       \
    1 /* a variable is taken from the stack pointer: alloca, a variable array */
#define HS_LAB_FRAME_ELSEWHERE                                                                     \
    2                        /* the stack pointer is set to what is not of this function's frame */
#define HS_LAB_FRAME_GROWS 4 /* a loop moves the stack pointer */
#define HS_LAB_FRAME_UNREAD                                                                        \
    8 /* bytes of it are no instruction that is known, or are not in the file */
#define HS_LAB_FRAME_ALIGNED 16 /* it aligns the stack pointer: the frame is the largest possible */
#define HS_LAB_FRAME_SWEPT                                                                         \
    32 /* a jump table is not known: what nothing leads to was read in its order */
#define HS_LAB_FRAME_WINDOW 64   /* it begins with `entry` of Xtensa's windows */
#define HS_LAB_FRAME_RETURNS 128 /* it returns, or ends with another function's call */

/* `frame`: bytes from the stack pointer at its start to the deepest one in it. */
typedef struct hs_lab_frame_row {
    uint32_t frame, flags, instructions, unreached; /* bytes that nothing leads to */
} hs_lab_frame_row_t;

#define HS_LAB_CALL_DIRECT 0
#define HS_LAB_CALL_INDIRECT 1
/* The knowledge of an argument, or of where an indirect call leads. */
#define HS_LAB_VALUE_UNKNOWN 0
#define HS_LAB_VALUE_NUMBER 1 /* it is this number */
#define HS_LAB_VALUE_LOADED 2 /* the word at this address, which the program may change */
#define HS_LAB_VALUE_TABLE 3  /* a word of the table that begins here */
#define HS_LAB_VALUE_FIELD 4  /* the word so many bytes behind an address that is not known */
#define HS_LAB_CALL_ARGUMENTS 8

/* `depth`: bytes of the caller's own below the stack pointer at its start, when control leaves. `tail`: as a jump.
 * `target`: of a direct call; `from` says what is known of an indirect one, by `known`. */
typedef struct hs_lab_call_row {
    uint32_t function, site, kind, tail, target, depth, known, from;
    uint32_t argument_known[8], argument[8];
} hs_lab_call_row_t;
/* cffi: end */

#endif
