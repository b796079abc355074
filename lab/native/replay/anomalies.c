#include "replay/anomalies.h"

#include "replay/heap_events.h"

void hs_replay_anomaly(hs_replay_t *replay, uint32_t what, const hs_event_t *event, uint64_t number)
{
    if (replay->anomalies_kept < HS_LAB_ANOMALIES_MAX) {
        const hs_lab_anomaly_row_t row = {number, event->key, what, event->task};
        replay->anomalies[replay->anomalies_kept++] = row;
    }
}

void hs_replay_free_of_nothing(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    const bool was_live = !replay->by_address && !replay->gaps && event->key < replay->next_key;
    if (was_live) {
        replay->summary.double_frees++;
    } else {
        replay->summary.unknown_frees++;
    }
    hs_replay_anomaly(replay, was_live ? HS_LAB_ANOMALY_DOUBLE_FREE : HS_LAB_ANOMALY_UNKNOWN_FREE,
                      event, number);
}

void hs_replay_failed(hs_replay_t *replay, const hs_event_t *event, uint64_t number, uint32_t slot,
                      const hs_block_t *old)
{
    if (replay->summary.failures++ == 0) {
        replay->summary.first_failure_event = number;
    }
    if (replay->trail != NULL) {
        hs_trail_at(replay->trail, number)->failed = true;
    }
    const hs_lab_failure_row_t row = {
        .event = number,
        .time = event->time,
        .size = event->size,
        .task = event->task,
        .caps = event->caps,
        .site = event->site,
        .call = event->kind,
        .align = event->kind == HS_EVENT_ALIGNED ? UINT32_C(1) << (event->align_log2 & 31u) : 0,
        .old_size = old != NULL ? old->requested : 0};
    const hs_request_t request = hs_replay_request(event);
    const hs_place_t *place = old != NULL ? &old->place : NULL;
    const uint32_t query =
        hs_placement_mask(&replay->placement, &replay->chip, event, &request, place);
    hs_measure_failed(&replay->measure, slot, &row, query);
}

bool hs_replay_refuses_realloc(const hs_replay_t *replay, const hs_block_t *block)
{
    return block->place.aligned &&
           replay->chip.region[block->place.region].heap->model->aligned_is_own;
}
