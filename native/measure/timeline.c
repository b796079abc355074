#include "measure/timeline.h"

#include <stdlib.h>
#include <string.h>

static size_t row(uint32_t bucket)
{
    return (size_t)bucket * HS_LAB_SERIES_MAX;
}

bool hs_timeline_init(hs_timeline_t *timeline, uint32_t capacity, uint32_t series)
{
    memset(timeline, 0, sizeof *timeline);
    timeline->capacity = capacity;
    timeline->series = series;
    timeline->width = timeline->fill = 1; /* as if a bucket were full */
    if (capacity == 0) {
        return true;
    }
    timeline->least = calloc(row(capacity), sizeof *timeline->least);
    timeline->most = calloc(row(capacity), sizeof *timeline->most);
    timeline->first_time = calloc(capacity, sizeof *timeline->first_time);
    timeline->largest = calloc((size_t)capacity * 3, sizeof *timeline->largest);
    return timeline->least != NULL && timeline->most != NULL && timeline->first_time != NULL &&
           timeline->largest != NULL;
}

void hs_timeline_free(hs_timeline_t *timeline)
{
    free(timeline->least);
    free(timeline->most);
    free(timeline->first_time);
    free(timeline->largest);
    memset(timeline, 0, sizeof *timeline);
}

bool hs_timeline_add(hs_timeline_t *timeline)
{
    if (timeline->series == HS_LAB_SERIES_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < timeline->used; i++) { /* its past is 0 */
        timeline->least[row(i) + timeline->series] = 0;
        timeline->most[row(i) + timeline->series] = 0;
    }
    timeline->series++;
    return true;
}

static void merge_pair(hs_timeline_t *timeline, uint32_t to, uint32_t a, uint32_t b)
{
    for (uint32_t s = 0; s < timeline->series; s++) {
        const uint32_t low_a = timeline->least[row(a) + s], low_b = timeline->least[row(b) + s];
        const uint32_t high_a = timeline->most[row(a) + s], high_b = timeline->most[row(b) + s];
        timeline->least[row(to) + s] = low_a < low_b ? low_a : low_b;
        timeline->most[row(to) + s] = high_a > high_b ? high_a : high_b;
    }
    timeline->first_time[to] = timeline->first_time[a];
    memcpy(&timeline->largest[(size_t)to * 3], &timeline->largest[(size_t)b * 3],
           3 * sizeof *timeline->largest);
}

static void halve(hs_timeline_t *timeline)
{
    for (uint32_t i = 0; i < timeline->capacity / 2; i++) {
        merge_pair(timeline, i, 2 * i, 2 * i + 1);
    }
    timeline->used = timeline->capacity / 2;
    timeline->width *= 2;
}

void hs_timeline_open(hs_timeline_t *timeline, uint64_t time)
{
    if (timeline->used == timeline->capacity) {
        halve(timeline);
    }
    const uint32_t bucket = timeline->used++;
    timeline->fill = 0;
    timeline->first_time[bucket] = time;
    timeline->row_least = &timeline->least[row(bucket)];
    timeline->row_most = &timeline->most[row(bucket)];
    memcpy(timeline->row_least, timeline->now, timeline->series * sizeof(uint32_t));
    memcpy(timeline->row_most, timeline->now, timeline->series * sizeof(uint32_t));
}

void hs_timeline_close(hs_timeline_t *timeline, const uint32_t largest[3])
{
    memcpy(&timeline->largest[(size_t)(timeline->used - 1) * 3], largest, 3 * sizeof *largest);
}
