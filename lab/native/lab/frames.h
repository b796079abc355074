/* The interface of frames and calls, as lab.h. */
#ifndef HEAPSCOPE_NATIVE_LAB_FRAMES_H
#define HEAPSCOPE_NATIVE_LAB_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "rows/frames.h"

/* cffi: begin */
typedef struct hs_lab_frames hs_lab_frames_t;

/* Reads the machine code of all functions. `machine`: HS_LAB_CODE_*; parts and functions ascend without overlap,
 * and are read only in this call. NULL: `status` is why; HS_ERR_ARGUMENT: no such machine, or another order. */
hs_lab_frames_t *hs_lab_frames_new(uint32_t machine, const hs_lab_code_part_t *parts,
                                   size_t part_count, const hs_lab_function_t *functions,
                                   size_t function_count, int *status);
void hs_lab_frames_delete(hs_lab_frames_t *frames);
/* One for each function, in their order; and the calls of all, function by function. */
size_t hs_lab_frames_frames(const hs_lab_frames_t *frames, hs_lab_frame_row_t *rows,
                            size_t capacity);
size_t hs_lab_frames_calls(const hs_lab_frames_t *frames, hs_lab_call_row_t *rows, size_t capacity);
/* cffi: end */

#endif
