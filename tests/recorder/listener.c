#include "listener.h"

listener_t *listener_new(void)
{
    listener_t *listener = calloc(1, sizeof *listener);
    CHECK(listener != NULL);
    listener->decoder = hs_decoder_new();
    listener->state = hs_state_new(false);
    CHECK(listener->decoder != NULL && listener->state != NULL);
    hs_state_shift(listener->state, 2);
    return listener;
}

void listener_delete(listener_t *listener)
{
    hs_decoder_delete(listener->decoder);
    hs_state_delete(listener->state);
    free(listener);
}

static hs_status_t take(void *context, uint64_t first, const hs_event_t *events, size_t count)
{
    listener_t *listener = context;
    (void)first;
    hs_trace_health_t health;
    hs_decoder_health(listener->decoder, &health);
    for (size_t i = 0; i < count; i++) {
        const hs_event_t *event = &events[i];
        listener->heard += HS_EVENT_IS_HEAP(event->kind);
        listener->failed += event->kind == HS_EVENT_FAILED;
        uint32_t more, bytes;
        if (event->kind == HS_EVENT_LOST_KIND &&
            hs_lost_kinds_take(&listener->kinds, event, &more, &bytes)) {
            const bool lost = event->key < HS_LOST_LEFT_OUT;
            listener->lost += lost ? more : 0;
            listener->lost -= event->key == HS_LOST_LEFT_OUT ? more : 0;
            listener->lost_heap += lost && event->key != 0 ? more : 0;
            listener->lost_others += lost && event->key == 0 ? more : 0;
        }
        if (event->kind == HS_EVENT_PAIRS) {
            CHECK(event->new_key >= 1 && event->new_key <= event->key);
        }
    }
    return hs_state_events(listener->state, health.gaps, events, count);
}

void listener_hear(listener_t *listener, const uint8_t *bytes, size_t count)
{
    CHECK_EQUAL(HS_OK, hs_decoder_push(listener->decoder, bytes, count, take, listener));
    hs_decoder_health(listener->decoder, &listener->health);
}
