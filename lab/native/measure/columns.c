#include "measure/columns.h"

#include <stdlib.h>
#include <string.h>

bool hs_columns_init(hs_columns_t *columns, uint32_t capacity, uint32_t kinds)
{
    memset(columns, 0, sizeof *columns);
    columns->capacity = capacity;
    columns->width = 1;
    columns->kinds = kinds;
    for (uint32_t kind = 0; kind < HS_LAB_KINDS_MAX; kind++) {
        columns->closest[kind].event = HS_LAB_NEVER;
    }
    columns->rows = calloc(capacity, sizeof *columns->rows);
    return columns->rows != NULL;
}

void hs_columns_free(hs_columns_t *columns)
{
    free(columns->rows);
    memset(columns, 0, sizeof *columns);
}

/* The earlier one of equals stays. */
static bool is_closer(const hs_lab_closest_row_t *row, const hs_lab_closest_row_t *than)
{
    return row->event != HS_LAB_NEVER &&
           (than->event == HS_LAB_NEVER || row->largest - row->size < than->largest - than->size);
}

static void merge(hs_lab_column_row_t *to, const hs_lab_column_row_t *earlier,
                  const hs_lab_column_row_t *later)
{
    hs_lab_column_row_t row = *earlier;
    row.events += later->events;
    if (later->most_live > row.most_live) {
        row.most_live = later->most_live;
        row.most_live_event = later->most_live_event;
    }
    if (later->least_free < row.least_free) {
        row.least_free = later->least_free;
        row.least_free_event = later->least_free_event;
    }
    if (later->least_largest < row.least_largest) {
        row.least_largest = later->least_largest;
        row.least_largest_event = later->least_largest_event;
    }
    row.least_live = later->least_live < row.least_live ? later->least_live : row.least_live;
    if (is_closer(&later->closest, &row.closest)) {
        row.closest = later->closest;
    }
    *to = row;
}

static void halve(hs_columns_t *columns)
{
    for (uint32_t i = 0; i < columns->capacity / 2; i++) {
        merge(&columns->rows[i], &columns->rows[2 * i], &columns->rows[2 * i + 1]);
    }
    columns->used = columns->capacity / 2;
    columns->width *= 2;
}

void hs_columns_begin(hs_columns_t *columns, uint64_t event, uint64_t time)
{
    if (columns->used != 0 && columns->filled < columns->width) {
        return;
    }
    if (columns->used == columns->capacity) {
        halve(columns);
    }
    const hs_lab_column_row_t row = {.first_event = event,
                                     .first_time = time,
                                     .least_live = UINT64_MAX,
                                     .least_free = UINT32_MAX,
                                     .least_largest = UINT32_MAX,
                                     .most_live_event = event,
                                     .least_free_event = event,
                                     .least_largest_event = event,
                                     .closest.event = HS_LAB_NEVER};
    columns->rows[columns->used++] = row;
    columns->filled = 0;
}

void hs_columns_closest(hs_columns_t *columns, uint32_t kind, const hs_lab_closest_row_t *row)
{
    hs_lab_column_row_t *column = &columns->rows[columns->used - 1];
    if (is_closer(row, &column->closest)) {
        column->closest = *row;
    }
    if (is_closer(row, &columns->closest[kind])) {
        columns->closest[kind] = *row;
    }
}

/* malloc's free bytes; the lowest moment inside the event where that is a new minimum. */
static uint32_t free_in(const hs_low_t *low, uint64_t event)
{
    return low->minimum_free_event == event && low->minimum_free < low->free ? low->minimum_free
                                                                             : low->free;
}

void hs_columns_end(hs_columns_t *columns, const hs_measure_t *measure, uint64_t event)
{
    hs_lab_column_row_t *row = &columns->rows[columns->used - 1];
    const uint32_t live = measure->live.now, free = free_in(measure->malloc_low, event);
    columns->filled++;
    row->events++;
    if (live > row->most_live || row->events == 1) {
        row->most_live = live;
        row->most_live_event = event;
    }
    row->least_live = live < row->least_live ? live : row->least_live;
    if (free < row->least_free) {
        row->least_free = free;
        row->least_free_event = event;
    }
    if (measure->largest.now < row->least_largest) {
        row->least_largest = measure->largest.now;
        row->least_largest_event = event;
    }
}
