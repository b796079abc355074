/*
 * The timeline: at most a fixed number of equal buckets of heap events, each keeping the least and
 * the most of every series. When they are full, neighbours merge and the width doubles, so memory
 * is bounded and no extreme is lost. An event costs the series it changes.
 */
#ifndef HEAPSCOPE_NATIVE_TIMELINE_H
#define HEAPSCOPE_NATIVE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/lab.h"

typedef struct hs_timeline {
    uint32_t capacity; /* buckets; even; 0: no timeline is kept */
    uint32_t used;     /* buckets begun */
    uint64_t width;    /* heap events a bucket */
    uint64_t fill;     /* events in the bucket begun last */
    uint32_t series;   /* in use */
    uint32_t *least;   /* capacity x HS_LAB_SERIES_MAX */
    uint32_t *most;
    uint64_t *first_time;
    uint32_t *largest; /* capacity x 3: at each bucket's last event */
    uint32_t *row_least; /* the bucket begun last */
    uint32_t *row_most;
    uint32_t now[HS_LAB_SERIES_MAX];
} hs_timeline_t;

bool hs_timeline_init(hs_timeline_t *timeline, uint32_t capacity, uint32_t series);
void hs_timeline_free(hs_timeline_t *timeline);
/* One series more, at 0 so far; false: HS_LAB_SERIES_MAX are in use. */
bool hs_timeline_add(hs_timeline_t *timeline);
/* Opens the next bucket, merging neighbours when all are used. */
void hs_timeline_open(hs_timeline_t *timeline, uint64_t time);
/* Notes the three largest figures for the bucket begun last. */
void hs_timeline_close(hs_timeline_t *timeline, const uint32_t largest[3]);

/* Before an event's values are set: opens a bucket if the last one is full. */
static inline void hs_timeline_begin(hs_timeline_t *timeline, uint64_t time)
{
    if (timeline->fill == timeline->width) {
        hs_timeline_open(timeline, time);
    }
}

static inline void hs_timeline_set(hs_timeline_t *timeline, uint32_t series, uint32_t value)
{
    timeline->now[series] = value;
    if (value < timeline->row_least[series]) {
        timeline->row_least[series] = value;
    }
    if (value > timeline->row_most[series]) {
        timeline->row_most[series] = value;
    }
}

/* After them: counts the event. true: it was its bucket's last. */
static inline bool hs_timeline_step(hs_timeline_t *timeline)
{
    return ++timeline->fill == timeline->width;
}

#endif
