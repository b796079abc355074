#include "frames/frames.h"

#include <string.h>

#define PASSES 8 /* who ends because its callee does is known one pass later */

static bool never_returns(const hs_lab_frame_row_t *frame)
{
    const uint32_t unknown =
        HS_LAB_FRAME_RETURNS | HS_LAB_FRAME_UNREAD | HS_LAB_FRAME_SWEPT | HS_LAB_FRAME_ELSEWHERE;
    return !(frame->flags & unknown);
}

/* Functions that are now known to end; false: none that was not before. */
static bool find_ends(const hs_code_t *code, uint8_t *ends, const hs_lab_frame_row_t *frames)
{
    bool changed = false;
    for (size_t i = 0; i < code->function_count; i++) {
        if (!ends[i] && never_returns(&frames[i])) {
            ends[i] = 2; /* since the last pass */
            changed = true;
        }
    }
    return changed;
}

/* Those that call one which was not known to end before. */
static void find_callers(const hs_code_t *code, const hs_walk_t *walk, uint8_t *ends,
                         uint8_t *again)
{
    size_t count;
    const hs_lab_call_row_t *const calls = hs_walk_calls(walk, &count);
    memset(again, 0, code->function_count);
    for (size_t i = 0; i < count; i++) {
        if (calls[i].kind == HS_LAB_CALL_DIRECT) {
            const size_t callee = hs_code_function(code, calls[i].target);
            if (callee != SIZE_MAX && ends[callee] == 2) {
                again[calls[i].function] = 1;
            }
        }
    }
    for (size_t i = 0; i < code->function_count; i++) {
        ends[i] = ends[i] != 0;
    }
}

hs_status_t hs_frames_read(const hs_code_t *code, hs_walk_t *walk, uint8_t *ends, uint8_t *again,
                           hs_lab_frame_row_t *frames)
{
    for (size_t i = 0; i < code->function_count; i++) {
        ends[i] = (code->functions[i].flags & HS_LAB_FUNCTION_ENDS) != 0;
        again[i] = 1;
    }
    for (unsigned pass = 0; pass < PASSES; pass++) {
        hs_walk_forget(walk, again);
        for (size_t i = 0; i < code->function_count; i++) {
            const hs_status_t status = again[i] ? hs_walk_function(walk, i, &frames[i]) : HS_OK;
            if (status != HS_OK) {
                return status;
            }
        }
        if (!find_ends(code, ends, frames)) {
            break;
        }
        find_callers(code, walk, ends, again);
    }
    return HS_OK;
}
