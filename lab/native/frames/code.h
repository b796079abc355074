/* A program as it is loaded: its bytes, its functions, and the conventions of its processor. Private. */
#ifndef HEAPSCOPE_FRAMES_CODE_H
#define HEAPSCOPE_FRAMES_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames/step.h"
#include "rows/frames.h"

/* The convention of calls. `kept`: registers that a call leaves as they are, where no window turns. */
typedef struct hs_convention {
    hs_step_read_t read;
    uint32_t kept;
    uint8_t sp, link, zero, pc;  /* registers; HS_CODE_NONE: the processor has no such register */
    uint8_t argument, arguments; /* the first register, and how many are in registers */
    uint8_t unit;                /* bytes that every instruction begins at a multiple of */
} hs_convention_t;

#define HS_CODE_NONE 255u

typedef struct hs_code {
    hs_convention_t is;
    const hs_lab_code_part_t *parts;
    size_t part_count;
    const hs_lab_function_t *functions;
    size_t function_count;
} hs_code_t;

/* False: no such instruction set. */
bool hs_code_convention(uint32_t machine, hs_convention_t *out);
/* Up to the part's end; NULL: nothing is loaded there. */
const uint8_t *hs_code_bytes(const hs_code_t *code, uint32_t address, size_t *left);
/* False: nothing is loaded there; or the program may change it, unless `any`. */
bool hs_code_word(const hs_code_t *code, uint32_t address, bool any, uint32_t *word);
/* The function that begins there; SIZE_MAX: none. */
size_t hs_code_function(const hs_code_t *code, uint32_t address);

#endif
