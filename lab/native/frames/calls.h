/* The calls of a program as rows; one of each site, however often control comes to it. Private. */
#ifndef HEAPSCOPE_FRAMES_CALLS_H
#define HEAPSCOPE_FRAMES_CALLS_H

#include "frames/code.h"
#include "frames/value.h"

typedef struct hs_calls {
    hs_lab_call_row_t *rows;
    size_t count, room;
    uint32_t start;  /* of the function whose calls are added */
    int32_t *row_at; /* by the offset of a site in it; -1: none */
    size_t row_at_room;
} hs_calls_t;

void hs_calls_free(hs_calls_t *calls);
/* The calls that are added next are of this function. False: no host memory. */
bool hs_calls_begin(hs_calls_t *calls, const hs_lab_function_t *function);
/* Fills in what is known of the arguments, with the registers turned by `window`. */
void hs_calls_arguments(hs_lab_call_row_t *row, const hs_convention_t *is, const hs_state_t *state,
                        uint32_t window);
/* A value that differs from an earlier row of the same site becomes unknown. False: no host memory. */
bool hs_calls_add(hs_calls_t *calls, const hs_lab_call_row_t *row);
/* Drops the rows of the functions whose byte is not 0. */
void hs_calls_forget(hs_calls_t *calls, const uint8_t *functions);

#endif
