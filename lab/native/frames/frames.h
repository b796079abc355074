/* The frames of all functions of a program, and its calls. */
#ifndef HEAPSCOPE_FRAMES_FRAMES_H
#define HEAPSCOPE_FRAMES_FRAMES_H

#include "frames/walk.h"
#include "heapscope/status.h"

/* Fills `frames`, one of each function, and the rows of `walk`. `ends` has a byte for each function, which tells
 * from its name, and afterwards from its code too, that it never returns. `again` is such an array of the caller's.
 * Walks all functions once, and some at most seven times more. */
hs_status_t hs_frames_read(const hs_code_t *code, hs_walk_t *walk, uint8_t *ends, uint8_t *again,
                           hs_lab_frame_row_t *frames);

#endif
