#include "lab/segments.h"

hs_status_t hs_segments_init(hs_segments_t *segments, bool known)
{
    *segments = (hs_segments_t){.state = hs_state_new(known), .inside = known, .count = known};
    return segments->state != NULL ? HS_OK : HS_ERR_MEMORY;
}

void hs_segments_free(hs_segments_t *segments)
{
    hs_state_delete(segments->state);
    segments->state = NULL;
}

bool hs_segments_ends_at_other(const hs_event_t *event)
{
    if (event->kind == HS_EVENT_LEVEL) {
        return hs_level_leaves_out(event);
    }
    return event->kind == HS_EVENT_PAIRS || (event->kind == HS_EVENT_LOST && event->size != 0);
}

hs_status_t hs_segments_take(hs_segments_t *segments, const hs_decoder_t *decoder,
                             const hs_event_t *event, bool *begins)
{
    hs_trace_health_t health;
    hs_decoder_health(decoder, &health);
    hs_state_shift(segments->state, hs_decoder_shift(decoder));
    const hs_status_t status = hs_state_events(segments->state, health.gaps, event, 1);
    hs_state_figures_t figures;
    hs_state_figures(segments->state, &figures);
    segments->inside = segments->inside && figures.known && !hs_segments_ends_at(event);
    *begins = !segments->inside && event->kind == HS_EVENT_SNAPSHOT_END && figures.known &&
              figures.level < 2 && !figures.filtered;
    segments->inside = segments->inside || *begins;
    segments->count += *begins;
    return status;
}
