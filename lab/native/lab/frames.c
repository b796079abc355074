/* Frames and calls out of machine code, for the binding. */
#include "frames/frames.h"

#include <stdlib.h>

#include "lab/frames.h"

struct hs_lab_frames {
    hs_lab_frame_row_t *frames;
    size_t count;
    hs_code_t code;
    uint8_t *ends, *again;
    hs_walk_t *walk;
};

/* Parts and functions ascend without overlap, and have bytes. */
static bool in_order(const hs_code_t *code)
{
    for (size_t i = 0; i < code->part_count; i++) {
        const hs_lab_code_part_t *const part = &code->parts[i];
        if (part->size == 0 || part->address + (part->size - 1) < part->address ||
            (i > 0 && part[-1].address + (part[-1].size - 1) >= part->address)) {
            return false;
        }
    }
    for (size_t i = 0; i < code->function_count; i++) {
        const hs_lab_function_t *const one = &code->functions[i];
        if (one->start >= one->end || (i > 0 && one[-1].end > one->start)) {
            return false;
        }
    }
    return true;
}

hs_lab_frames_t *hs_lab_frames_new(uint32_t machine, const hs_lab_code_part_t *parts,
                                   size_t part_count, const hs_lab_function_t *functions,
                                   size_t function_count, int *status)
{
    *status = HS_ERR_MEMORY;
    hs_lab_frames_t *result = calloc(1, sizeof *result);
    if (result == NULL) {
        return NULL;
    }
    result->code = (hs_code_t){.parts = parts,
                               .part_count = part_count,
                               .functions = functions,
                               .function_count = function_count};
    result->count = function_count;
    if (!hs_code_convention(machine, &result->code.is) || !in_order(&result->code)) {
        *status = HS_ERR_ARGUMENT;
        hs_lab_frames_delete(result);
        return NULL;
    }
    result->frames = calloc(function_count + 1, sizeof *result->frames);
    result->ends = calloc(function_count + 1, 1);
    result->again = calloc(function_count + 1, 1);
    result->walk = hs_walk_new(&result->code, result->ends);
    if (result->frames != NULL && result->ends != NULL && result->again != NULL &&
        result->walk != NULL) {
        *status = (int)hs_frames_read(&result->code, result->walk, result->ends, result->again,
                                      result->frames);
    }
    if (*status != HS_OK) {
        hs_lab_frames_delete(result);
        return NULL;
    }
    return result;
}

void hs_lab_frames_delete(hs_lab_frames_t *frames)
{
    if (frames != NULL) {
        hs_walk_delete(frames->walk);
        free(frames->frames);
        free(frames->ends);
        free(frames->again);
        free(frames);
    }
}

size_t hs_lab_frames_frames(const hs_lab_frames_t *frames, hs_lab_frame_row_t *rows,
                            size_t capacity)
{
    for (size_t i = 0; i < frames->count && i < capacity; i++) {
        rows[i] = frames->frames[i];
    }
    return frames->count;
}

size_t hs_lab_frames_calls(const hs_lab_frames_t *frames, hs_lab_call_row_t *rows, size_t capacity)
{
    size_t count;
    const hs_lab_call_row_t *const calls = hs_walk_calls(frames->walk, &count);
    for (size_t i = 0; i < count && i < capacity; i++) {
        rows[i] = calls[i];
    }
    return count;
}
