#include "frames/calls.h"

#include <stdlib.h>
#include <string.h>

void hs_calls_free(hs_calls_t *calls)
{
    free(calls->rows);
    free(calls->row_at);
}

bool hs_calls_begin(hs_calls_t *calls, const hs_lab_function_t *function)
{
    const size_t size = function->end - function->start;
    calls->start = function->start;
    if (size > calls->row_at_room) {
        free(calls->row_at);
        calls->row_at = malloc(size * sizeof *calls->row_at);
        calls->row_at_room = calls->row_at == NULL ? 0 : size;
    }
    if (calls->row_at == NULL) {
        return false;
    }
    memset(calls->row_at, 0xFF, size * sizeof *calls->row_at);
    return true;
}

static void argument(hs_lab_call_row_t *row, size_t index, hs_value_t value)
{
    if (index < HS_LAB_CALL_ARGUMENTS && value.kind <= HS_LAB_VALUE_FIELD) {
        row->argument_known[index] = value.kind;
        row->argument[index] = value.number;
    }
}

void hs_calls_arguments(hs_lab_call_row_t *row, const hs_convention_t *is, const hs_state_t *state,
                        uint32_t window)
{
    for (uint32_t i = 0; i < is->arguments; i++) {
        const uint32_t reg = is->argument + window + i;
        if (reg < HS_STEP_REGISTERS) {
            argument(row, i, state->reg[reg]);
        }
    }
    for (uint32_t i = 0; i < HS_STATE_SLOTS; i++) {
        argument(row, is->arguments + i, state->slot[i]);
    }
}

static void merge(hs_lab_call_row_t *into, const hs_lab_call_row_t *row)
{
    into->depth = row->depth > into->depth ? row->depth : into->depth;
    if (into->kind != row->kind || into->target != row->target || into->known != row->known ||
        into->from != row->from) {
        into->kind = HS_LAB_CALL_INDIRECT;
        into->target = into->known = into->from = 0;
    }
    for (size_t i = 0; i < HS_LAB_CALL_ARGUMENTS; i++) {
        if (into->argument_known[i] != row->argument_known[i] ||
            into->argument[i] != row->argument[i]) {
            into->argument_known[i] = into->argument[i] = 0;
        }
    }
}

bool hs_calls_add(hs_calls_t *calls, const hs_lab_call_row_t *row)
{
    int32_t *const at = &calls->row_at[row->site - calls->start];
    if (*at >= 0) {
        merge(&calls->rows[*at], row);
        return true;
    }
    if (calls->count == calls->room) {
        const size_t room = calls->room == 0 ? 1024 : calls->room * 2;
        hs_lab_call_row_t *const rows = realloc(calls->rows, room * sizeof *rows);
        if (rows == NULL) {
            return false;
        }
        calls->rows = rows;
        calls->room = room;
    }
    *at = (int32_t)calls->count;
    calls->rows[calls->count++] = *row;
    return true;
}

void hs_calls_forget(hs_calls_t *calls, const uint8_t *functions)
{
    size_t kept = 0;
    for (size_t i = 0; i < calls->count; i++) {
        if (!functions[calls->rows[i].function]) {
            calls->rows[kept++] = calls->rows[i];
        }
    }
    calls->count = kept;
}
