/* Signs that a wild write of the recorded program hit the shared memory: such programs are recorded,
 * too. Each rule holds for every state that both halves make. */
#include <string.h>

#include "record/ring.h"
#include "recorder_state.h"

/* Words that nobody changes once the recording has begun. */
static bool is_kept(const hs_rec_control_t *control, const hs_rec_control_t *known, size_t from,
                    size_t to)
{
    return memcmp((const char *)control + from, (const char *)known + from, to - from) == 0;
}

bool hs_recorder_control_is_ours(const hs_recorder_t *recorder)
{
    const hs_rec_control_t *control = recorder->control, *known = &recorder->known;
    return is_kept(control, known, 0, offsetof(hs_rec_control_t, closed)) &&
           is_kept(control, known, offsetof(hs_rec_control_t, preload64),
                   offsetof(hs_rec_control_t, states)) &&
           (atomic_load(&control->closed) == 0 || recorder->closes);
}

/* Every place is taken at the most, and each thread waits with one number more. */
bool hs_recorder_ring_is_sound(const hs_recorder_t *recorder, const hs_rec_taken_t *place,
                               uint32_t head)
{
    const bool drops = (recorder->known.modes & HS_REC_DROP) != 0;
    return atomic_load(&place->ring->tail) == place->released &&
           head - place->next <= HS_REC_EVENTS + HS_REC_THREAD_MAX &&
           (drops || atomic_load(&place->ring->lost) == 0);
}

bool hs_recorder_record_is_sound(const hs_recorder_t *recorder, const hs_rec_taken_t *place,
                                 const hs_rec_event_t *record)
{
    const unsigned kind = record->meta & 31u;
    const uint32_t thread = record->meta >> 10;
    const bool drops = (recorder->known.modes & HS_REC_DROP) != 0;
    return kind != HS_REC_VOID && kind <= HS_REC_TIME &&
           (kind != HS_REC_LOST || (drops && record->a <= UINT32_MAX)) &&
           (thread < atomic_load(&place->ring->threads) || thread == HS_REC_THREAD_MAX);
}

/* The place holds the record of the round before, or nothing in the first one. After 2^32 records a
 * turn of 0 is that of a record, too. */
bool hs_recorder_hole_is_sound(const hs_rec_taken_t *place)
{
    const hs_rec_event_t *event = &hs_rec_ring_events(place->ring)[place->next & HS_REC_MASK];
    const uint32_t turn = atomic_load(&event->turn);
    const uint32_t before = place->next + 1u - turn; /* records; a whole number of rounds */
    return (turn == 0 && (!place->round || place->passed)) ||
           ((before & HS_REC_MASK) == 0 && (place->passed || before == HS_REC_EVENTS));
}
