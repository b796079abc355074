/* Who listens to a recorder: the decoder, the state that its events tell, and sums. */
#ifndef HS_TESTS_RECORDER_LISTENER_H
#define HS_TESTS_RECORDER_LISTENER_H

#include "../format/check.h"
#include "trace/decoder.h"
#include "trace/lost_kinds.h"
#include "trace/state.h"

typedef struct listener {
    hs_decoder_t *decoder;
    hs_state_t *state;
    hs_trace_health_t health;
    uint64_t heard; /* heap events */
    uint64_t failed;
    hs_lost_kinds_t kinds;
    uint64_t lost;        /* as LOST_KIND said, without what was left out */
    uint64_t lost_heap;   /* heap events of LOST_KIND */
    uint64_t lost_others; /* others */
    uint64_t peak_over;   /* PAIRS whose peak is more than their number */
} listener_t;

listener_t *listener_new(void);
void listener_delete(listener_t *listener);
void listener_hear(listener_t *listener, const uint8_t *bytes, size_t count);

#endif
