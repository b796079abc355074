/* When chosen events happened: a pass over the trace that decodes it and does no more. */
#include "lab/times.h"

#include <stdlib.h>
#include <string.h>

#include "lab/reader.h"

hs_times_t *hs_times_new(const uint64_t *events, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (events[i] <= events[i - 1]) {
            return NULL;
        }
    }
    hs_times_t *times = calloc(1, sizeof *times);
    if (times == NULL) {
        return NULL;
    }
    times->count = count;
    times->events = calloc(count + 1, sizeof *times->events);
    times->times = calloc(count + 1, sizeof *times->times);
    if (times->events == NULL || times->times == NULL) {
        hs_times_delete(times);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        times->events[i] = events[i];
        times->times[i] = HS_LAB_NEVER;
    }
    return times;
}

void hs_times_delete(hs_times_t *times)
{
    if (times != NULL) {
        free(times->events);
        free(times->times);
        free(times);
    }
}

void hs_times_events(hs_times_t *times, uint64_t first, const hs_event_t *events, size_t count)
{
    uint64_t number = first;
    for (size_t i = 0; i < count && times->next < times->count; i++) {
        if (!HS_EVENT_IS_HEAP(events[i].kind)) {
            continue;
        }
        while (times->next < times->count && times->events[times->next] < number) {
            times->next++; /* it was lost */
        }
        if (times->next < times->count && times->events[times->next] == number) {
            times->times[times->next++] = events[i].time;
        }
        number++;
    }
}

int hs_lab_reader_times(hs_lab_reader_t *reader, const uint64_t *events, size_t count)
{
    if (!reader->replay.census_only || reader->replay.begun || reader->times != NULL) {
        return (int)HS_ERR_ARGUMENT;
    }
    reader->times = hs_times_new(events, count);
    return (int)(reader->times != NULL ? HS_OK : HS_ERR_ARGUMENT);
}

size_t hs_lab_times(const hs_lab_reader_t *reader, uint64_t *out, size_t capacity)
{
    const hs_times_t *times = reader->times;
    if (times == NULL) {
        return 0;
    }
    const size_t count = times->count < capacity ? times->count : capacity;
    if (count != 0) {
        memcpy(out, times->times, count * sizeof *out);
    }
    return times->count;
}
