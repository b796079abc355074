/*
 * Each place of a line has a list of the steps that can be reached there, the preferred ones first, each
 * with the groups of its way. A step is on a list once at most, so a list has no more than the pattern
 * has steps, and no place is visited twice.
 */
#include <string.h>

#include "form.h"
#include "pattern.h"
#include "pattern_set.h"

#define SLOTS (2 * HS_PATTERN_GROUPS)

typedef struct hs_pattern_way {
    uint16_t step;
    uint16_t slots[SLOTS];
} hs_pattern_way_t;

typedef struct hs_pattern_list {
    size_t count;
    uint16_t seen[HS_PATTERN_CODE]; /* 1 + place at which the step was added last */
    hs_pattern_way_t ways[HS_PATTERN_CODE];
} hs_pattern_list_t;

typedef struct hs_pattern_line {
    const hs_pattern_t *pattern;
    const char *text;
    size_t length;
} hs_pattern_line_t;

static bool is_edge(const hs_pattern_line_t *line, size_t at)
{
    const bool before = at > 0 && hs_log_word_byte(line->text[at - 1]);
    return before != (at < line->length && hs_log_word_byte(line->text[at]));
}

/* Adds a step, or those that it leads to without a byte; depth: the steps of the pattern. */
static void add(const hs_pattern_line_t *line, hs_pattern_list_t *list, uint16_t step, size_t at,
                const uint16_t *slots)
{
    if (list->seen[step] == at + 1) {
        return;
    }
    list->seen[step] = (uint16_t)(at + 1);
    const hs_pattern_step_t *code = &line->pattern->code[step];
    const uint16_t next = (uint16_t)(step + 1);
    uint16_t saved[SLOTS];
    switch (code->what) {
    case HS_STEP_JUMP:
        add(line, list, code->x, at, slots);
        return;
    case HS_STEP_SPLIT:
        add(line, list, code->x, at, slots);
        add(line, list, code->y, at, slots);
        return;
    case HS_STEP_SAVE:
        memcpy(saved, slots, sizeof saved);
        saved[code->arg] = (uint16_t)at;
        add(line, list, next, at, saved);
        return;
    case HS_STEP_BEGIN:
    case HS_STEP_END:
    case HS_STEP_EDGE:
        if (code->what == HS_STEP_BEGIN ? at == 0
            : code->what == HS_STEP_END ? at == line->length
                                        : is_edge(line, at)) {
            add(line, list, next, at, slots);
        }
        return;
    default:
        list->ways[list->count].step = step;
        memcpy(list->ways[list->count++].slots, slots, sizeof saved);
    }
}

static bool takes(const hs_pattern_t *pattern, const hs_pattern_step_t *code, uint8_t byte)
{
    return code->what == HS_STEP_BYTE  ? code->arg == byte
           : code->what == HS_STEP_SET ? hs_set_has(pattern->sets[code->arg], byte)
                                       : code->what == HS_STEP_ANY;
}

bool hs_pattern_find(const hs_pattern_t *pattern, const char *text, size_t length,
                     uint16_t (*groups)[2], size_t *end)
{
    const hs_pattern_line_t line = {pattern, text, length};
    hs_pattern_list_t lists[2], *now = &lists[0], *next = &lists[1];
    static const uint16_t nothing[SLOTS] = {0};
    bool hit = false;
    now->count = 0;
    memset(now->seen, 0, sizeof now->seen);
    memset(next->seen, 0, sizeof next->seen);
    for (size_t at = 0; at <= length && at < UINT16_MAX - 1; at++) {
        const uint8_t byte = (uint8_t)(at < length ? text[at] : 0);
        if (!hit && (pattern->begins_anywhere || hs_set_has(pattern->first, byte))) {
            add(&line, now, 0, at, nothing);
        }
        next->count = 0;
        for (size_t i = 0; i < now->count; i++) {
            const hs_pattern_way_t *way = &now->ways[i];
            const hs_pattern_step_t *code = &pattern->code[way->step];
            if (code->what == HS_STEP_MATCH) {
                memcpy(groups, way->slots, sizeof way->slots);
                *end = at;
                hit = true;
                break; /* the ways behind it are less preferred */
            }
            if (at < length && takes(pattern, code, byte)) {
                add(&line, next, (uint16_t)(way->step + 1), at + 1, way->slots);
            }
        }
        if (hit && next->count == 0) {
            break;
        }
        hs_pattern_list_t *const swap = now;
        now = next;
        next = swap;
    }
    return hit;
}

static void collect(hs_pattern_t *pattern, uint16_t step, bool *seen)
{
    if (seen[step]) {
        return;
    }
    seen[step] = true;
    const hs_pattern_step_t *code = &pattern->code[step];
    switch (code->what) {
    case HS_STEP_SPLIT:
        collect(pattern, code->y, seen);
        collect(pattern, code->x, seen);
        return;
    case HS_STEP_JUMP:
        collect(pattern, code->x, seen);
        return;
    case HS_STEP_BYTE:
        hs_set_add(pattern->first, code->arg, code->arg);
        return;
    case HS_STEP_SET:
        for (size_t i = 0; i < sizeof pattern->first; i++) {
            pattern->first[i] |= pattern->sets[code->arg][i];
        }
        return;
    case HS_STEP_ANY:
    case HS_STEP_MATCH:
    case HS_STEP_END:
        pattern->begins_anywhere = true;
        return;
    default:
        collect(pattern, (uint16_t)(step + 1), seen);
    }
}

void hs_pattern_find_first(hs_pattern_t *pattern)
{
    bool seen[HS_PATTERN_CODE] = {false};
    collect(pattern, 0, seen);
}
