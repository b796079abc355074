/*
 * The records that the last boot left in a memory that survives a reset: found again, and sent as a
 * recording of their own before anything else.
 */
#include "recorder.h"

#if HS_RECORDER_BLACK_BOX
#define MAGIC UINT32_C(0x48534252)
#define PRIME UINT32_C(16777619) /* of FNV-1a */

/* These must be the same for the old records to mean anything: the program, above all, since they have
 * addresses of its texts. */
static uint32_t layout_of(const hs_recorder_t *recorder, uint32_t places,
                          const hs_recorder_config_t *config)
{
    uint32_t mixed = MAGIC ^ (uint32_t)sizeof(hs_recorder_t);
    mixed = (mixed ^ (uint32_t)(uintptr_t)recorder) * PRIME;
    mixed = (mixed ^ (uint32_t)(uintptr_t)config) * PRIME;
    mixed = (mixed ^ places) * PRIME;
    for (const char *at = config->program; at != NULL && *at != '\0'; at++) {
        mixed = (mixed ^ (uint8_t)*at) * PRIME;
    }
    return mixed;
}

static uint32_t sum_of(const uint32_t *check)
{
    return ~(check[0] ^ (check[1] * PRIME) ^ (check[2] * PRIME * PRIME));
}

void hs_recorder_old_leave(hs_recorder_t *recorder, const hs_recorder_config_t *config)
{
    recorder->check[0] = layout_of(recorder, recorder->rings[0].mask + 1u, config);
    recorder->check[1] = config->boot;
    recorder->check[2] = recorder->boundary;
    recorder->check[3] = sum_of(recorder->check);
}

static uint32_t number_at(const hs_ring_t *ring, uint32_t position)
{
    return (uint32_t)hs_ring_record(ring, position)[HS_RAW_HEAD] >> HS_RAW_NUMBER_SHIFT;
}

/* How long before `boundary` a record was numbered. */
static uint32_t age_of(const hs_ring_t *ring, uint32_t position, uint32_t boundary)
{
    return (boundary - number_at(ring, position)) & HS_RAW_NUMBERS;
}

/* Whether a hook may have written such a record: bits may flip while the power is low. */
static bool may_be(const uintptr_t *record)
{
    const uintptr_t address = record[HS_RAW_ADDRESS];
    const uintptr_t other = record[HS_RAW_OTHER];
    switch (record[HS_RAW_HEAD] & HS_RAW_KIND) {
    case HS_EVENT_MALLOC:
    case HS_EVENT_CALLOC:
    case HS_EVENT_REALLOC:
    case HS_EVENT_FREE:
    case HS_EVENT_TASK_START:
    case HS_EVENT_TASK_END:
        return true;
    case HS_EVENT_ALIGNED:
        return other <= 31u;
    case HS_EVENT_FAILED:
        return (other & 0xFFu) - HS_EVENT_MALLOC <= HS_EVENT_REALLOC - HS_EVENT_MALLOC &&
               other >> 8 <= 31u;
    case HS_EVENT_MARK:
        return other == hs_raw_check(address);
    case HS_EVENT_POOL_CREATE:
    case HS_EVENT_POOL_GROW:
    case HS_EVENT_POOL_ALLOC:
    case HS_EVENT_POOL_RELEASE:
        return address <= UINT16_MAX;
    case HS_EVENT_LEVEL:
        return address <= HS_LEVEL_FAILURES && record[HS_RAW_SIZE] <= HS_REASON_EMPTY;
    case HS_RAW_CANCELLED:
        return HS_RECORDER_PAIRS != 0;
    default:
        return false;
    }
}

/* How many records before `head` are whole and have numbers that go back from `boundary`, at most half of
 * the ring's and none before `first`. Bound: half of the ring. */
static uint32_t whole_of(const hs_ring_t *ring, uint32_t boundary, uint32_t first)
{
    uint32_t count = 0;
    uint32_t age = 0;
    while (count < (ring->mask + 1u) / 2u) {
        const uint32_t before = age_of(ring, ring->head - count - 1u, boundary);
        if (before <= age || before > boundary - first ||
            !may_be(hs_ring_record(ring, ring->head - count - 1u))) {
            break;
        }
        age = before;
        count++;
    }
    return count;
}

void hs_recorder_old_find(const hs_recorder_t *recorder, uint32_t places, uintptr_t *rings,
                          const hs_recorder_config_t *config, hs_old_t *out)
{
    const uint32_t boundary = recorder->sequence;
    const uint32_t first = recorder->check[2];
    if (recorder->check[0] != layout_of(recorder, places, config) ||
        recorder->check[3] != sum_of(recorder->check) || recorder->check[1] == config->boot ||
        boundary == first) {
        return;
    }
    uint32_t oldest = UINT32_MAX; /* of which all later records are there, as an age */
    uint32_t counts[HS_RECORDER_CORES];
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        hs_ring_t ring = recorder->rings[core];
        ring.mask = places - 1u;
        ring.places = rings + (size_t)core * places * HS_RECORDER_RECORD_WORDS;
        counts[core] = whole_of(&ring, boundary, first);
        out->head[core] = out->tail[core] = ring.head;
        const bool cut = counts[core] == places / 2u;
        const uint32_t age =
            counts[core] == 0 ? 0 : age_of(&ring, ring.head - counts[core], boundary);
        oldest = cut && age < oldest ? age : oldest;
    }
    uint32_t expected = 0;
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        hs_ring_t ring = recorder->rings[core];
        ring.mask = places - 1u;
        ring.places = rings + (size_t)core * places * HS_RECORDER_RECORD_WORDS;
        while (counts[core] > 0 && age_of(&ring, ring.head - counts[core], boundary) > oldest) {
            counts[core]--;
        }
        out->tail[core] -= counts[core];
        expected += counts[core];
    }
    out->boundary = boundary;
    out->next = boundary - expected;
    if (expected == 0) {
        return;
    }
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        hs_ring_t ring = recorder->rings[core];
        ring.mask = places - 1u;
        ring.places = rings + (size_t)core * places * HS_RECORDER_RECORD_WORDS;
        if (counts[core] > 0 && age_of(&ring, out->tail[core], boundary) == expected) {
            out->clock = (uint32_t)hs_ring_record(&ring, out->tail[core])[HS_RAW_TIME];
            out->boot = recorder->check[1];
            out->before = out->next - first;
        }
    }
}

/* Bound: `events`. */
size_t hs_recorder_old_left(hs_recorder_t *recorder, size_t events)
{
    const uint32_t left = recorder->boundary - recorder->next;
    if (left != 0) {
        return events < left ? events : left;
    }
    /* The old recording is over; then the new one begins. */
    if (!hs_recorder_ready(recorder, HS_CHUNK_EVENTS, SIZE_MAX)) {
        return 0;
    }
    if (recorder->old == HS_OLD_OPEN) {
        recorder->old = HS_OLD_CLOSED;
        hs_emit_end(&recorder->emit);
    }
    if (!hs_recorder_sent(recorder)) {
        return 0;
    }
    recorder->old = 0;
    recorder->reported.events[HS_LOST_PAIRS] = 0; /* those are in the other recording */
    recorder->boot = recorder->config->boot;
    hs_recorder_trace_open(recorder);
    recorder->emit.clock = HS_RECORDER_CLOCK();
    return events;
}

bool hs_recorder_old_begin(hs_recorder_t *recorder)
{
    if (recorder->old_before != 0) {
        if (!hs_recorder_ready(recorder, HS_CHUNK_EVENTS, HS_EMIT_EXTENSION_MAX(1))) {
            return false;
        }
        const hs_number_t lost = recorder->old_before;
        hs_recorder_say(recorder, HS_EXTENSION_LOST, &lost, 1);
        recorder->old_before = 0;
    }
    return true;
}

#endif
