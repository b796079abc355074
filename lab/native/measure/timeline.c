#include "measure/timeline.h"

#include <stdlib.h>
#include <string.h>

bool hs_timeline_init(hs_timeline_t *timeline, uint32_t capacity)
{
    memset(timeline, 0, sizeof *timeline);
    timeline->capacity = capacity;
    timeline->width = 1;
    if (capacity == 0) {
        return true;
    }
    timeline->buckets = calloc(capacity, sizeof *timeline->buckets);
    return timeline->buckets != NULL;
}

void hs_timeline_free(hs_timeline_t *timeline)
{
    free(timeline->buckets);
    memset(timeline, 0, sizeof *timeline);
}

/* Two buckets in one; columns never filled in are 0 in both. All that it says of the later one is true of both but the extremes. */
static void merge(hs_bucket_t *to, const hs_bucket_t *earlier, const hs_bucket_t *later,
                  uint32_t columns)
{
    const uint64_t first_time = earlier->first_time;
    for (uint32_t s = 0; s < columns; s++) {
        const uint32_t least = earlier->least[s], most = earlier->most[s];
        to->least[s] = least < later->least[s] ? least : later->least[s];
        to->most[s] = most > later->most[s] ? most : later->most[s];
    }
    memcpy(to->largest, later->largest, sizeof to->largest);
    to->first_time = first_time;
}

static void halve(hs_timeline_t *timeline)
{
    for (uint32_t i = 0; i < timeline->capacity / 2; i++) {
        merge(&timeline->buckets[i], &timeline->buckets[2 * i], &timeline->buckets[2 * i + 1],
              timeline->columns);
    }
    timeline->used = timeline->capacity / 2;
    timeline->width *= 2;
}

void hs_timeline_commit(hs_timeline_t *timeline, uint32_t columns)
{
    timeline->columns = columns > timeline->columns ? columns : timeline->columns;
    hs_timeline_next(timeline)->first_time = timeline->first_time;
    timeline->used++;
    timeline->fill = 0;
    if (timeline->used == timeline->capacity) {
        halve(timeline);
    }
}
