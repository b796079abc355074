/*
 * The replay over time for pictures: at most a fixed number of equal columns of heap events, each
 * with its extremes and the event at which most was live, so that a second replay can stop there.
 * When they are full, neighbours merge; memory is bounded and no extreme is lost.
 */
#ifndef HEAPSCOPE_NATIVE_COLUMNS_H
#define HEAPSCOPE_NATIVE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/measure.h"
#include "rows/picture.h"
#include "rows/replay.h"

typedef struct hs_columns {
    hs_lab_column_row_t *rows;
    uint32_t capacity;                              /* even */
    uint32_t used;                                  /* the one under way included */
    uint64_t width;                                 /* heap events a column */
    uint64_t filled;                                /* events in the one under way */
    hs_lab_closest_row_t closest[HS_LAB_KINDS_MAX]; /* by the kind that served */
    uint32_t kinds;
} hs_columns_t;

/* `capacity` is even and at least 2; false: no host memory. */
bool hs_columns_init(hs_columns_t *columns, uint32_t capacity, uint32_t kinds);
void hs_columns_free(hs_columns_t *columns);
/* Opens a column where the one before is full; before hs_columns_closest of the same event. */
void hs_columns_begin(hs_columns_t *columns, uint64_t event, uint64_t time);
/* The event was served, by region kind `kind`, with so much to spare. */
void hs_columns_closest(hs_columns_t *columns, uint32_t kind, const hs_lab_closest_row_t *row);
/* The event is over: the figures as it left them. */
void hs_columns_end(hs_columns_t *columns, const hs_measure_t *measure, uint64_t event);

#endif
