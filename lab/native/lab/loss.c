#include "lab/loss.h"

#include "lab/segments.h"

void hs_loss_free(hs_loss_t *loss)
{
    if (loss->open) {
        hs_replay_free(&loss->part);
        loss->open = false;
    }
}

size_t hs_loss_split(hs_loss_t *loss, uint64_t lost_at, const hs_event_t *events, size_t count,
                     bool plain)
{
    size_t used = 0;
    if (!loss->lost && lost_at == UINT64_MAX) {
        used = plain ? count : 0;
        while (used < count && !hs_segments_ends_at(&events[used])) {
            used++;
        }
    }
    loss->lost = loss->lost || used < count;
    return used;
}

static uint64_t higher(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* The part is over: nothing that was live in it is known to be live any longer. */
static void close_part(hs_loss_t *loss)
{
    hs_lab_census_t part;
    hs_lab_loss_t *sums = &loss->sums;
    if (!loss->open) {
        return;
    }
    hs_census_figures(&loss->part.census, &part);
    sums->parts += part.events != 0;
    sums->events += part.events;
    sums->mallocs += part.mallocs;
    sums->callocs += part.callocs;
    sums->aligneds += part.aligneds;
    sums->reallocs += part.reallocs;
    sums->frees += part.frees;
    sums->failed += part.failed;
    sums->marks += part.marks;
    sums->word_excess += part.word_excess;
    sums->live_peak = higher(sums->live_peak, part.live_peak);
    sums->live_blocks_peak = higher(sums->live_blocks_peak, part.live_blocks_peak);
    sums->largest_request = higher(sums->largest_request, part.largest_request);
    sums->last_time = higher(sums->last_time, part.last_time);
    sums->tasks = (uint32_t)higher(sums->tasks, part.tasks);
    sums->sites = (uint32_t)higher(sums->sites, part.sites);
    hs_loss_free(loss);
}

static hs_status_t take_part(hs_loss_t *loss, const hs_event_t *events, size_t count,
                             bool by_address)
{
    uint32_t where;
    if (!loss->open) {
        const hs_status_t status = hs_replay_init(&loss->part, NULL, &where);
        loss->open = true;
        if (status != HS_OK) {
            return status;
        }
    }
    loss->part.by_address = by_address;
    const uint64_t first = loss->expected;
    for (size_t i = 0; i < count; i++) {
        loss->expected += HS_EVENT_IS_HEAP(events[i].kind);
    }
    return hs_replay_events(&loss->part, first, events, count);
}

hs_status_t hs_loss_take(hs_loss_t *loss, uint64_t first, const hs_event_t *events, size_t count,
                         bool by_address)
{
    if (first != loss->expected) {
        close_part(loss);
    }
    loss->expected = first;
    hs_status_t status = HS_OK;
    for (size_t i = 0; i < count && status == HS_OK;) {
        size_t end = i;
        while (end < count && !hs_segments_ends_at(&events[end])) {
            end++;
        }
        status = take_part(loss, events + i, end - i, by_address);
        if (end < count) {
            close_part(loss);
        }
        i = end + 1;
    }
    return status;
}

void hs_loss_finish(hs_loss_t *loss)
{
    close_part(loss);
}
