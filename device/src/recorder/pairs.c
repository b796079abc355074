/*
 * Pairs: an allocation that was freed while its record is in a ring need not be written. Both records are
 * marked in the ring, and when the drain comes to them it counts them by call site and size.
 */
#include "recorder.h"

#if HS_RECORDER_PAIRS
#define MIX UINT32_C(2654435761)
#define NONE UINT16_MAX
#define POSITION 0x3FFFu /* bits of a ring's position in `pending`; the others are the core's */
#define CORE_SHIFT 14u

_Static_assert((HS_PENDING & (HS_PENDING - 1)) == 0, "found by bits of a hash");
_Static_assert(HS_RECORDER_CORES <= 3, "NONE is different from each place");

static uint16_t *slot_of(hs_recorder_t *recorder, uintptr_t address)
{
    const uint32_t mixed = (uint32_t)(address >> 2) * MIX;
    return &recorder->pending[mixed >> 16 & (HS_PENDING - 1u)];
}

/* The allocation that gave this block, if its record is known and still to be written. */
static uintptr_t *allocation_of(hs_recorder_t *recorder, uint16_t *slot, uintptr_t address)
{
    if (*slot == NONE) {
        return NULL;
    }
    const unsigned core = *slot >> CORE_SHIFT;
    const hs_reading_t *reading = &recorder->reading[core];
    const uint32_t read = recorder->rings[core].tail;
    const uint32_t ahead = (*slot - read) & POSITION;
    *slot = NONE;
    if (ahead >= reading->paired - read) {
        return NULL; /* it was written, and the place has another record */
    }
    uintptr_t *const record = hs_ring_record(&recorder->rings[core], read + ahead);
    const unsigned kind = record[HS_RAW_HEAD] & HS_RAW_KIND;
    return kind >= HS_EVENT_MALLOC && kind <= HS_EVENT_ALIGNED && record[HS_RAW_ADDRESS] == address
               ? record
               : NULL;
}

static uint32_t number_of(const uintptr_t *record)
{
    return (uint32_t)record[HS_RAW_HEAD] >> HS_RAW_NUMBER_SHIFT;
}

static void cancel(uintptr_t *record)
{
    record[HS_RAW_HEAD] |= HS_RAW_KIND; /* HS_RAW_CANCELLED */
}

static void look_at(hs_recorder_t *recorder, unsigned core, uint32_t position, uintptr_t *record)
{
    const unsigned kind = record[HS_RAW_HEAD] & HS_RAW_KIND;
    const uintptr_t address = record[HS_RAW_ADDRESS];
    if (kind == HS_EVENT_REALLOC) { /* the block before is not the allocation's any more */
        uint16_t *slot = slot_of(recorder, record[HS_RAW_OTHER]);
        (void)allocation_of(recorder, slot, record[HS_RAW_OTHER]);
        return;
    }
    if (kind >= HS_EVENT_MALLOC && kind <= HS_EVENT_ALIGNED) {
        *slot_of(recorder, address) = (uint16_t)(core << CORE_SHIFT | (position & POSITION));
        return;
    }
    uintptr_t *const given =
        kind == HS_EVENT_FREE ? allocation_of(recorder, slot_of(recorder, address), address) : NULL;
    if (given == NULL) {
        return;
    }
    /* When it is counted, the free must find the kind of its pair. */
    for (unsigned word = HS_RAW_SIZE; word < HS_RECORDER_RECORD_WORDS; word++) {
        record[word] = given[word];
    }
    record[HS_RAW_OTHER] = number_of(given) + 1u;
    given[HS_RAW_OTHER] = 0; /* the record is not a free */
    cancel(given);
    cancel(record);
}

/* Bound: the records in the rings. */
void hs_recorder_pairs_find(hs_recorder_t *recorder)
{
    uint32_t positions[HS_RECORDER_CORES];
    if ((int32_t)(recorder->next - recorder->paired_next) > 0) { /* pairs were not looked for */
        recorder->paired_next = recorder->next;
        for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
            recorder->reading[core].paired = recorder->rings[core].tail;
        }
    }
    for (;;) {
        for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
            positions[core] = recorder->reading[core].paired;
        }
        const unsigned core = hs_recorder_ring_of(recorder, positions, recorder->paired_next);
        if (core == HS_RECORDER_CORES) {
            return;
        }
        const uint32_t position = recorder->reading[core].paired;
        look_at(recorder, core, position, hs_ring_record(&recorder->rings[core], position));
        recorder->reading[core].paired++;
        recorder->paired_next++;
    }
}

static bool same_kind(const hs_pairs_t *pairs, const uintptr_t *record)
{
    return pairs->count != 0 && pairs->size == record[HS_RAW_SIZE] &&
           pairs->task == record[HS_RAW_TASK] && pairs->caps == record[HS_RAW_CAPS] &&
           hs_callers_same(&pairs->callers, record + HS_RAW_CALLER);
}

static bool write_one(hs_recorder_t *recorder, hs_pairs_t *pairs)
{
    if (!hs_recorder_ready(recorder, HS_CHUNK_EVENTS,
                           HS_EMIT_EXTENSION_MAX(6) + 2u * HS_NAMES_NEED)) {
        return false;
    }
    const uint32_t task = hs_recorder_task(recorder, pairs->task, pairs->where);
    const hs_number_t numbers[] = {pairs->size, hs_recorder_site(recorder, pairs->callers.at),
                                   pairs->count, pairs->peak};
    hs_emit_context(&recorder->emit, task, &pairs->caps);
    hs_recorder_say(recorder, HS_EXTENSION_PAIRS, numbers, 4);
    recorder->reported.events[HS_LOST_PAIRS] += pairs->count;
    pairs->count = 0;
    return true;
}

bool hs_recorder_pairs_write(hs_recorder_t *recorder)
{
    for (unsigned i = 0; i < HS_RECORDER_PAIRS; i++) {
        if (recorder->pairs[i].count != 0 && !write_one(recorder, &recorder->pairs[i])) {
            return false;
        }
    }
    return true;
}

/* The place of a kind, or one for it: an empty one, else that of the kind with the fewest pairs. */
static hs_pairs_t *place_of(hs_recorder_t *recorder, const uintptr_t *record)
{
    hs_pairs_t *fewest = &recorder->pairs[0];
    for (unsigned i = 0; i < HS_RECORDER_PAIRS; i++) {
        hs_pairs_t *pairs = &recorder->pairs[i];
        if (same_kind(pairs, record)) {
            return pairs;
        }
        fewest = pairs->count < fewest->count ? pairs : fewest;
    }
    return fewest;
}

static bool begin(hs_recorder_t *recorder, hs_pairs_t *pairs, const uintptr_t *record,
                  unsigned where)
{
    if (pairs->count != 0 && !write_one(recorder, pairs)) {
        return false;
    }
    *pairs = (hs_pairs_t){.task = record[HS_RAW_TASK],
                          .size = (uint32_t)record[HS_RAW_SIZE],
                          .caps = (uint32_t)record[HS_RAW_CAPS],
                          .first = number_of(record),
                          .where = (uint8_t)where};
    for (unsigned i = 0; i < HS_RECORDER_CALLERS; i++) {
        pairs->callers.at[i] = record[HS_RAW_CALLER + i];
    }
    return true;
}

bool hs_recorder_pairs_count(hs_recorder_t *recorder, const uintptr_t *record, unsigned where)
{
    hs_pairs_t *pairs = place_of(recorder, record);
    const uintptr_t allocation = record[HS_RAW_OTHER]; /* of a free */
    if (allocation != 0) {
        /* The allocation may have been written with others already. */
        const uint32_t since = ((uint32_t)allocation - 1u - pairs->first) & HS_RAW_NUMBERS;
        if (same_kind(pairs, record) && since <= HS_RAW_NUMBERS / 2u && pairs->live > 0) {
            pairs->live--;
        }
        return true;
    }
    if ((!same_kind(pairs, record) || pairs->count == UINT16_MAX) &&
        !begin(recorder, pairs, record, where)) {
        return false;
    }
    pairs->count++;
    pairs->live++;
    pairs->peak = pairs->live > pairs->peak ? pairs->live : pairs->peak;
    return true;
}

#endif
