#include "measure/marks.h"

#include <stdlib.h>
#include <string.h>

/* All marks together; a hostile trace has thousands of tasks and marks. */
#define TASK_ROWS_MAX ((size_t)1 << 20)

void hs_marks_free(hs_measure_t *measure)
{
    for (uint32_t i = 0; i < measure->marks_kept; i++) {
        free(measure->marks[i].regions);
        free(measure->marks[i].capsets);
        free(measure->marks[i].tasks);
    }
    free(measure->marks);
    measure->marks = NULL;
    measure->marks_kept = 0;
}

static void take_tasks(hs_measure_t *measure, hs_mark_t *mark)
{
    const size_t rows = hs_ledger_rows(&measure->owners, NULL, 0);
    if (rows == 0 || rows > TASK_ROWS_MAX - measure->mark_task_rows) {
        return;
    }
    mark->tasks = calloc(rows, sizeof *mark->tasks);
    if (mark->tasks != NULL) {
        mark->row.task_rows = (uint32_t)hs_ledger_rows(&measure->owners, mark->tasks, rows);
        measure->mark_task_rows += rows;
    }
}

static bool take_figures(hs_measure_t *measure, hs_mark_t *mark)
{
    if (measure->chip == NULL) {
        return true; /* a census has no heap to look at */
    }
    mark->regions = calloc(measure->chip->count, sizeof *mark->regions);
    mark->capsets = calloc(measure->capsets, sizeof *mark->capsets);
    if (mark->regions == NULL || mark->capsets == NULL) {
        free(mark->regions);
        free(mark->capsets);
        return false;
    }
    for (uint32_t i = 0; i < measure->chip->count; i++) {
        hs_measure_region_row(measure, i, &mark->regions[i]);
    }
    for (uint32_t i = 0; i < measure->capsets; i++) {
        hs_measure_capset_row(measure, i, &mark->capsets[i]);
    }
    take_tasks(measure, mark);
    return true;
}

void hs_marks_add(hs_measure_t *measure, const hs_lab_mark_row_t *row)
{
    measure->marks_seen++;
    if (measure->marks_kept == HS_LAB_MARKS_MAX) {
        return;
    }
    if ((measure->marks_kept & (measure->marks_kept - 1)) == 0) { /* full at each power of two */
        const size_t grown = measure->marks_kept == 0 ? 1 : (size_t)measure->marks_kept * 2;
        hs_mark_t *moved = realloc(measure->marks, grown * sizeof *moved);
        if (moved == NULL) {
            return;
        }
        measure->marks = moved;
    }
    hs_mark_t *mark = &measure->marks[measure->marks_kept];
    memset(mark, 0, sizeof *mark);
    mark->row = *row;
    if (take_figures(measure, mark)) {
        measure->marks_kept++;
    }
}
