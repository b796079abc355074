/*
 * A function's instructions in every order that control can take, with what is known of the registers.
 * Each address is visited until nothing more becomes unknown there, and at most HS_WALK_VISITS times for each
 * byte of the function.
 */
#ifndef HEAPSCOPE_FRAMES_WALK_H
#define HEAPSCOPE_FRAMES_WALK_H

#include "frames/code.h"
#include "frames/value.h"
#include "heapscope/status.h"

typedef struct hs_walk hs_walk_t;

/* `ends`: for each function, whether it never returns. All are the caller's, and outlive the walk. */
hs_walk_t *hs_walk_new(const hs_code_t *code, const uint8_t *ends);
void hs_walk_delete(hs_walk_t *walk);
/* Forgets the calls of the functions whose byte is not 0. */
void hs_walk_forget(hs_walk_t *walk, const uint8_t *functions);
/* Walks a function by its number; its calls are added to the rows. */
hs_status_t hs_walk_function(hs_walk_t *walk, size_t function, hs_lab_frame_row_t *out);
const hs_lab_call_row_t *hs_walk_calls(const hs_walk_t *walk, size_t *count);

#endif
