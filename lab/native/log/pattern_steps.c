/* A part is repeated by copies of its steps and by jumps around them. */
#include "pattern_steps.h"

#include <string.h>

#define REPEATS_MAX 64u

bool hs_steps_add(hs_pattern_t *pattern, unsigned what, unsigned arg, size_t x, size_t y)
{
    if (pattern->code_count == HS_PATTERN_CODE) {
        return false;
    }
    pattern->code[pattern->code_count++] =
        (hs_pattern_step_t){(uint8_t)what, (uint8_t)arg, (uint16_t)x, (uint16_t)y};
    return true;
}

static bool jumps(const hs_pattern_step_t *step)
{
    return step->what == HS_STEP_SPLIT || step->what == HS_STEP_JUMP;
}

/* Puts a step in front of what was emitted from `start` on. */
bool hs_steps_insert(hs_pattern_t *pattern, size_t start, unsigned what)
{
    if (!hs_steps_add(pattern, what, 0, 0, 0)) {
        return false;
    }
    hs_pattern_step_t *code = pattern->code;
    memmove(code + start + 1, code + start, (pattern->code_count - 1 - start) * sizeof *code);
    code[start] = (hs_pattern_step_t){(uint8_t)what, 0, 0, 0};
    for (size_t i = start + 1; i < pattern->code_count; i++) {
        if (jumps(&code[i])) { /* jumps from before `start` do not lead behind it yet */
            code[i].x = (uint16_t)(code[i].x + (code[i].x >= start));
            code[i].y = (uint16_t)(code[i].y + (code[i].y >= start));
        }
    }
    return true;
}

/* The same steps once more. */
static bool copy(hs_pattern_t *pattern, size_t start, size_t end)
{
    const size_t shift = pattern->code_count - start;
    for (size_t i = start; i < end; i++) {
        const hs_pattern_step_t step = pattern->code[i];
        const size_t by = jumps(&step) ? shift : 0;
        if (!hs_steps_add(pattern, step.what, step.arg, step.x + by, step.y + by)) {
            return false;
        }
    }
    return true;
}

/* Makes the steps from `start` on optional, or, with `back`, repeated. */
static bool optional(hs_pattern_t *pattern, size_t start, bool lazy, bool back)
{
    if (!hs_steps_insert(pattern, start, HS_STEP_SPLIT) ||
        (back && !hs_steps_add(pattern, HS_STEP_JUMP, 0, start, 0))) {
        return false;
    }
    const uint16_t in = (uint16_t)(start + 1), out = (uint16_t)pattern->code_count;
    pattern->code[start].x = lazy ? out : in;
    pattern->code[start].y = lazy ? in : out;
    return true;
}

/* Repeats what was emitted from `start` on. `most` 0: without an end. */
bool hs_steps_repeat(hs_pattern_t *pattern, size_t start, size_t least, size_t most, bool lazy)
{
    const size_t end = pattern->code_count;
    if (least > REPEATS_MAX || most > REPEATS_MAX) {
        return false;
    }
    for (size_t i = 1; i < least; i++) {
        if (!copy(pattern, start, end)) {
            return false;
        }
    }
    if (least == 0 && most == 0) {
        return optional(pattern, start, lazy, true);
    }
    if (most == 0) { /* back to the last copy */
        const size_t next = pattern->code_count + 1;
        const size_t again = next - 1 - (end - start);
        return hs_steps_add(pattern, HS_STEP_SPLIT, 0, lazy ? next : again, lazy ? again : next);
    }
    if (least == 0 && !optional(pattern, start, lazy, false)) {
        return false;
    }
    const size_t shift = least == 0; /* the step that was put in front */
    for (size_t i = least == 0 ? 1 : least; i < most; i++) {
        const size_t again = pattern->code_count;
        if (!copy(pattern, start + shift, end + shift) || !optional(pattern, again, lazy, false)) {
            return false;
        }
    }
    return true;
}
