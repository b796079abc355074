/* Import of other recorders' text for the binding. */
#include <stdlib.h>
#include <string.h>

#include "capture/import.h"
#include "lab/lab.h"

_Static_assert(sizeof(hs_lab_left_out_t) == sizeof(hs_import_line_t) &&
                   HS_LAB_LINE_MAX == HS_IMPORT_BAD_MAX,
               "a line left out is the same struct on both sides");

struct hs_lab_import {
    hs_import_t *import;
    const uint8_t *ready; /* finished bytes not yet copied out */
    size_t ready_size;
};

hs_lab_import_t *hs_lab_import_new(int form, uint32_t features)
{
    hs_lab_import_t *text = calloc(1, sizeof *text);
    if (text == NULL) {
        return NULL;
    }
    text->import = hs_import_new((hs_import_form_t)form, features);
    if (text->import == NULL) {
        free(text);
        return NULL;
    }
    return text;
}

void hs_lab_import_delete(hs_lab_import_t *text)
{
    if (text != NULL) {
        hs_import_delete(text->import);
        free(text);
    }
}

int hs_lab_import_metadata(hs_lab_import_t *text, const char *key, const char *value)
{
    return (int)hs_import_metadata(text->import, key, value);
}

int hs_lab_import_push(hs_lab_import_t *text, const uint8_t *bytes, size_t count)
{
    return text->ready_size != 0 ? (int)HS_ERR_ARGUMENT /* would be lost */
                                 : (int)hs_import_push(text->import, bytes, count);
}

int hs_lab_import_finish(hs_lab_import_t *text)
{
    return text->ready_size != 0 ? (int)HS_ERR_ARGUMENT : (int)hs_import_finish(text->import);
}

size_t hs_lab_import_take(hs_lab_import_t *text, uint8_t *out, size_t capacity)
{
    if (text->ready_size == 0) {
        text->ready_size = hs_import_take(text->import, &text->ready);
    }
    const size_t count = text->ready_size < capacity ? text->ready_size : capacity;
    if (count != 0) {
        memcpy(out, text->ready, count);
        text->ready += count;
        text->ready_size -= count;
    }
    return count;
}

void hs_lab_import_stats(const hs_lab_import_t *text, hs_lab_import_stats_t *out)
{
    hs_import_stats_t stats;
    hs_import_stats(text->import, &stats);
    out->lines = stats.lines;
    out->events = stats.events;
    out->bad_lines = stats.bad_lines;
    out->first_bad = stats.first_bad;
    out->id_reused = stats.id_reused;
    out->first_reused = stats.first_reused;
    out->guessed = stats.guessed;
    out->failed = stats.failed;
    out->earlier = stats.earlier;
    out->wanted = stats.wanted;
}

void hs_lab_import_keep(hs_lab_import_t *text, uint64_t most)
{
    hs_import_keep(text->import, most);
}

size_t hs_lab_import_left_out(hs_lab_import_t *text, hs_lab_left_out_t *rows, size_t capacity)
{
    size_t count = 0;
    hs_import_line_t line;
    while (count < capacity && hs_import_left_out(text->import, &line, 1) == 1) {
        memcpy(&rows[count++], &line, sizeof line);
    }
    return count;
}

uint64_t hs_lab_import_reason_count(const hs_lab_import_t *text, uint32_t reason)
{
    return hs_import_reason_count(text->import, reason);
}

const char *hs_lab_import_reason_name(uint32_t reason)
{
    return hs_import_reason_name(reason);
}
