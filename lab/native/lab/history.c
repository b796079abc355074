/* The history of a replay's blocks, for the binding and for pages; a reader without one has an empty one. */
#include "history/history.h"

#include <stdbool.h>
#include <string.h>

#include "lab/reader.h"

static const hs_history_t *history_of(const hs_lab_reader_t *reader)
{
    static const hs_history_t none;
    return reader->export == NULL ? &none : &reader->export->history;
}

void hs_lab_history(const hs_lab_reader_t *reader, hs_lab_history_t *out)
{
    const hs_history_t *history = history_of(reader);
    out->events = history->events;
    out->blocks = history->blocks;
    out->failures = hs_history_failed(history);
}

int hs_lab_history_filter(hs_lab_reader_t *reader, const hs_lab_filter_t *filter)
{
    return (int)(reader->export == NULL ? HS_ERR_ARGUMENT
                                        : hs_history_filter(&reader->export->history, filter));
}

static bool is_empty(const hs_lab_view_t *view)
{
    return view->width == 0 || view->height == 0 || view->right <= view->left;
}

int hs_lab_history_draw(const hs_lab_reader_t *reader, const hs_lab_view_t *view, uint16_t *owners,
                        uint32_t *failed, uint64_t *live)
{
    if (is_empty(view)) {
        return (int)HS_ERR_ARGUMENT;
    }
    hs_history_fails(history_of(reader), view, failed);
    return (int)hs_history_draw(history_of(reader), view, owners, live);
}

int hs_lab_history_most(const hs_lab_reader_t *reader, const hs_lab_view_t *view, uint64_t *most)
{
    return (int)(is_empty(view) ? HS_ERR_ARGUMENT
                                : hs_history_most(history_of(reader), view, most));
}

int hs_lab_history_range(hs_lab_reader_t *reader, const hs_lab_view_t *view)
{
    return (int)(reader->export == NULL ? HS_ERR_ARGUMENT
                                        : hs_history_range(&reader->export->history, view));
}

int hs_lab_history_difference(hs_lab_reader_t *reader, uint64_t first, uint64_t second)
{
    return (int)(reader->export == NULL
                     ? HS_ERR_ARGUMENT
                     : hs_history_difference(&reader->export->history, first, second));
}

size_t hs_lab_history_sums(const hs_lab_reader_t *reader, hs_lab_history_sum_t *rows,
                           size_t capacity)
{
    const hs_queue_t *sums = &history_of(reader)->sums;
    const size_t count = hs_queue_waiting(sums) / sizeof *rows;
    if (count != 0 && capacity != 0) {
        memcpy(rows, sums->bytes, (count < capacity ? count : capacity) * sizeof *rows);
    }
    return count;
}

void hs_lab_history_pick(const hs_lab_reader_t *reader, uint64_t event, uint32_t region,
                         uint32_t address, hs_lab_life_t *rows)
{
    hs_history_pick(history_of(reader), event, region, address, rows);
}

uint64_t hs_lab_history_time(const hs_lab_reader_t *reader, uint64_t event)
{
    return hs_history_time(history_of(reader), event);
}

uint64_t hs_lab_history_event(const hs_lab_reader_t *reader, uint64_t time)
{
    return hs_history_event(history_of(reader), time);
}
