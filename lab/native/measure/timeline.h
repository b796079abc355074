/*
 * The timeline: at most a fixed number of equal buckets of heap events, each keeping the least and
 * the most of every series. When they are full, neighbours merge and the width doubles, so memory
 * is bounded and no extreme is lost. The extremes of the bucket under way are kept where the values
 * change; a bucket takes them over when it ends.
 */
#ifndef HEAPSCOPE_NATIVE_TIMELINE_H
#define HEAPSCOPE_NATIVE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows/replay.h"

/* A value that a bucket wants the extremes of. */
typedef struct hs_series {
    uint32_t now, least, most;
} hs_series_t;

/* `now` is what the event left and not below what was before: keeps it if it is an extreme. */
static inline void hs_series_rose(hs_series_t *series)
{
    if (series->now > series->most) {
        series->most = series->now;
    }
}

static inline void hs_series_fell(hs_series_t *series)
{
    if (series->now < series->least) {
        series->least = series->now;
    }
}

/* `now` may be on either side of what was before. */
static inline void hs_series_note(hs_series_t *series)
{
    hs_series_rose(series);
    hs_series_fell(series);
}

/* A bucket ends: the next one begins with the value as it stands. */
static inline void hs_series_restart(hs_series_t *series)
{
    series->least = series->most = series->now;
}

/* One finished bucket. */
typedef struct hs_bucket {
    uint64_t first_time;
    uint32_t
        largest[3]; /* at its last event: largest_free, largest_reported, largest_allocatable */
    uint32_t least[HS_LAB_SERIES_MAX];
    uint32_t most[HS_LAB_SERIES_MAX];
} hs_bucket_t;

typedef struct hs_timeline {
    hs_bucket_t *buckets;
    uint32_t capacity; /* even; 0: no timeline is kept */
    uint32_t used;
    uint32_t columns;    /* series that a bucket ever had */
    uint64_t width;      /* heap events a bucket */
    uint64_t fill;       /* events in the bucket under way */
    uint64_t first_time; /* of the bucket under way */
} hs_timeline_t;

bool hs_timeline_init(hs_timeline_t *timeline, uint32_t capacity); /* false: no host memory */
void hs_timeline_free(hs_timeline_t *timeline);

/* Events that fit into the bucket under way, at least one. */
static inline uint64_t hs_timeline_room(const hs_timeline_t *timeline)
{
    return timeline->capacity != 0 ? timeline->width - timeline->fill : UINT64_MAX;
}

/* Counts `events`, at most as many as fit, of which the first one came at `time`. true: the bucket is full; fill
 * in hs_timeline_next, then commit. */
static inline bool hs_timeline_step(hs_timeline_t *timeline, uint64_t events, uint64_t time)
{
    if (timeline->fill == 0) {
        timeline->first_time = time;
    }
    timeline->fill += events;
    return timeline->fill == timeline->width;
}

/* The bucket under way, to be filled in but for its first_time. */
static inline hs_bucket_t *hs_timeline_next(hs_timeline_t *timeline)
{
    return &timeline->buckets[timeline->used];
}

/* Ends the bucket under way, of whose series the first `columns` are filled in; merges neighbours when all buckets are used. */
void hs_timeline_commit(hs_timeline_t *timeline, uint32_t columns);

#endif
