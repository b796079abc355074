/* Which events are taken, and the level that follows the fill of the rings. */
#include "recorder.h"

#if HS_RECORDER_LEVELS
#define CALM 16u /* drains with nearly empty rings, until the level goes down */

uint32_t hs_recorder_gate_of(const hs_recorder_t *recorder)
{
    const hs_recorder_filter_t *filter = &recorder->filter;
    uint32_t gate = 0;
    if (recorder->level == HS_LEVEL_FAILURES) {
        gate |= HS_GATE_FAILURES;
    } else if (recorder->level == HS_LEVEL_SAMPLED) {
        gate |= HS_GATE_SAMPLED;
    }
    if (filter->size_min != 0 || filter->size_max != UINT32_MAX || filter->task != 0 ||
        filter->caps != 0) {
        gate |= HS_GATE_FILTER;
    }
    return gate;
}

/* Tries to put the change into the ring; a full one gets it at a later drain. */
static void level_change(hs_recorder_t *recorder, unsigned level, unsigned reason)
{
    recorder->level = (uint8_t)level;
    recorder->reason = (uint8_t)reason;
    recorder->calm = 0;
    recorder->level_due = !hs_recorder_level_put(recorder, hs_recorder_gate_of(recorder));
}

void hs_recorder_level_set(hs_recorder_t *recorder, hs_recorder_level_t level)
{
    recorder->lowest = (uint8_t)level;
    level_change(recorder, level, HS_REASON_COMMAND);
}

void hs_recorder_filter_set(hs_recorder_t *recorder, const hs_recorder_filter_t *filter)
{
    /* No filter while it changes: hooks of other cores may be looking at it. */
    HS_RECORDER_STORE(&recorder->gate, recorder->gate & ~(uint32_t)HS_GATE_FILTER);
    recorder->filter = *filter;
    if (filter->size_max == 0) {
        recorder->filter.size_max = UINT32_MAX;
    }
    level_change(recorder, recorder->level, HS_REASON_COMMAND);
}

void hs_recorder_level_follow(hs_recorder_t *recorder)
{
    if (recorder->level_due) {
        recorder->level_due = !hs_recorder_level_put(recorder, hs_recorder_gate_of(recorder));
    }
    if (!recorder->config->automatic || hs_recorder_is_old(recorder)) {
        return;
    }
    uint32_t fill = 0;
    uint32_t places = 0;
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        const hs_ring_t *ring = &recorder->rings[core];
        const uint32_t used = HS_RECORDER_LOAD(&ring->head) - ring->tail;
        fill = used > fill ? used : fill;
        places = ring->mask + 1u;
    }
    /* While pairs are looked for, half of the ring is kept back. */
    const uint32_t kept = recorder->level == HS_LEVEL_PAIRS ? places / 2u : 0u;
    if (fill > places - places / 4u && recorder->level < HS_LEVEL_FAILURES) {
        level_change(recorder, recorder->level + 1u, HS_REASON_FULL);
    } else if (fill > kept + places / 4u || recorder->level <= recorder->lowest) {
        recorder->calm = 0;
    } else if (++recorder->calm == CALM) {
        level_change(recorder, recorder->level - 1u, HS_REASON_EMPTY);
    }
}

#endif
