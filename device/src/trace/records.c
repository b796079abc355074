#include "records.h"

#include "heapscope/assert.h"
#include "varint.h"

#define CALL_REALLOC HS_EVENT_REALLOC

static bool has(const hs_record_state_t *state, unsigned feature)
{
    return (state->features & feature) != 0;
}

static bool asks(unsigned kind) /* for memory: carries capabilities and a site */
{
    return HS_EVENT_IS_HEAP(kind) && kind != HS_EVENT_FREE;
}

/* ---- validity ---- */

static bool address_valid(const hs_record_state_t *state, uint64_t address)
{
    return (address >> state->shift) << state->shift == address;
}

/* The block that an existing-block event names. Without addresses any id may be named: events on
 * blocks that never existed are facts too. */
static bool reference_valid(const hs_record_state_t *state, uint64_t key)
{
    return !has(state, HS_TRACE_ADDRESSES) || address_valid(state, key);
}

static bool new_block_valid(const hs_record_state_t *state, uint64_t key)
{
    return has(state, HS_TRACE_ADDRESSES) ? address_valid(state, key) : key == state->next_id;
}

static bool realloc_valid(const hs_record_state_t *state, const hs_event_t *event)
{
    if (has(state, HS_TRACE_ADDRESSES)) {
        return address_valid(state, event->key) && address_valid(state, event->new_key);
    }
    return event->new_key == event->key;
}

static bool failed_valid(const hs_record_state_t *state, const hs_event_t *event)
{
    const uint64_t call = event->new_key;
    const bool known = call >= HS_EVENT_MALLOC && call <= HS_EVENT_REALLOC;
    return known && (call != CALL_REALLOC || reference_valid(state, event->key));
}

static bool kind_valid(const hs_record_state_t *state, const hs_event_t *event)
{
    switch (event->kind) {
    case HS_EVENT_MALLOC:
    case HS_EVENT_CALLOC:
    case HS_EVENT_ALIGNED:
        return new_block_valid(state, event->key);
    case HS_EVENT_REALLOC:
        return realloc_valid(state, event);
    case HS_EVENT_FREE:
        return reference_valid(state, event->key);
    case HS_EVENT_FAILED:
        return failed_valid(state, event);
    case HS_EVENT_LOST:
        return true;
    case HS_EVENT_LOST_KIND:
        return event->key < HS_LOST_KINDS && event->new_key <= UINT32_MAX &&
               event->size <= UINT32_MAX;
    case HS_EVENT_LIVE:
        return has(state, HS_TRACE_ADDRESSES) && address_valid(state, event->key);
    case HS_EVENT_LEVEL:
    case HS_EVENT_PAIRS:
    case HS_EVENT_SNAPSHOT:
    case HS_EVENT_SNAPSHOT_END:
    case HS_EVENT_FREE_MEMORY: /* the site is the index */
        return true;
    case HS_EVENT_TASK_ON:
        return event->key <= HS_NAME_INDEX_MAX && event->new_key <= HS_CORE_MAX;
    default: /* MARK, TASK_*, POOL_*, REGION: the key is an index */
        return event->kind > HS_EVENT_FAILED && event->kind <= HS_EVENT_REGION &&
               event->key <= HS_NAME_INDEX_MAX;
    }
}

bool hs_record_valid(const hs_record_state_t *state, const hs_event_t *event)
{
    return event->task <= HS_NAME_INDEX_MAX && event->site <= HS_NAME_INDEX_MAX &&
           event->align_log2 <= HS_ALIGN_LOG2_MAX && kind_valid(state, event);
}

/* ---- parts of records ---- */

uint8_t *hs_record_base_put(uint8_t *at, const hs_record_state_t *state)
{
    at = hs_varint_put(at, state->task);
    at = hs_varint_put(at, state->caps);
    at = hs_varint_put(at, state->heap);
    if (has(state, HS_TRACE_ADDRESSES)) {
        *at++ = state->shift;
        at = hs_varint_put(at, state->last_address);
    } else {
        at = hs_varint_put(at, state->next_id);
    }
    return has(state, HS_TRACE_CLOCK) ? hs_varint_put(at, state->time) : at;
}

/* The number that names an existing block. */
static uint64_t reference(hs_record_state_t *state, uint64_t key)
{
    if (!has(state, HS_TRACE_ADDRESSES)) {
        return state->next_id - 1u - key; /* modulo 2^64 */
    }
    const uint64_t address = key >> state->shift;
    const uint64_t number = hs_zigzag(address - state->last_address);
    state->last_address = address;
    return number;
}

/* The block that a call gave; without addresses it is known by order. */
static uint8_t *new_block_put(uint8_t *at, hs_record_state_t *state, uint64_t key)
{
    return has(state, HS_TRACE_ADDRESSES) ? hs_varint_put(at, reference(state, key)) : at;
}

static bool stamped(unsigned kind)
{
    return kind != HS_EVENT_LOST_KIND && kind != HS_EVENT_TASK_ON && kind != HS_EVENT_REGION &&
           kind != HS_EVENT_LIVE;
}

static uint8_t *stamp_put(uint8_t *at, hs_record_state_t *state, const hs_event_t *event)
{
    if (has(state, HS_TRACE_SITES) && asks(event->kind)) {
        at = hs_varint_put(at, event->site);
    }
    if (has(state, HS_TRACE_CLOCK)) {
        const uint64_t ticks = event->time > state->time ? event->time - state->time : 0;
        at = hs_varint_put(at, ticks);
        state->time += ticks;
    }
    return at;
}

/* Whether the task, and with `caps` whether the capabilities, of what follows are those of the event. */
static bool owned(const hs_event_t *event, bool caps)
{
    if (event->kind <= HS_EVENT_POOL_RELEASE) {
        return !caps || asks(event->kind);
    }
    return event->kind == HS_EVENT_PAIRS ||
           (event->kind == HS_EVENT_LIVE && (event->align_log2 & HS_LIVE_OWNED) != 0);
}

/* The changes of task, capabilities and heap that the event needs in front of it. Frees ask for no
 * capabilities, and only heap events have a heap, so neither is switched for others. */
static uint8_t *context_put(uint8_t *at, hs_record_state_t *state, const hs_event_t *event)
{
    if (event->task != state->task && owned(event, false)) {
        state->task = event->task;
        at = hs_head_put(at, HS_RECORD_TASK, event->task);
    }
    if (event->caps != state->caps && owned(event, true)) {
        state->caps = event->caps;
        at = hs_head_put(at, HS_RECORD_CAPS, event->caps);
    }
    if (event->heap != state->heap && HS_EVENT_IS_HEAP(event->kind)) {
        state->heap = event->heap;
        at = hs_head_put(at, HS_RECORD_EXTENSION, HS_EXTENSION_HEAP);
        uint8_t *length = at++;
        at = hs_varint_put(at, event->heap);
        *length = (uint8_t)(at - length - 1);
    }
    return at;
}

/* ---- records ---- */

static uint8_t *block_put(uint8_t *at, hs_record_state_t *state, const hs_event_t *event)
{
    static const uint8_t kinds[] = {[HS_EVENT_MALLOC] = HS_RECORD_MALLOC,
                                    [HS_EVENT_CALLOC] = HS_RECORD_CALLOC,
                                    [HS_EVENT_ALIGNED] = HS_RECORD_ALIGNED};
    at = hs_head_put(at, kinds[event->kind], event->size);
    if (event->kind == HS_EVENT_ALIGNED) {
        *at++ = event->align_log2;
    }
    at = new_block_put(at, state, event->key);
    state->next_id++;
    return stamp_put(at, state, event);
}

static uint8_t *realloc_put(uint8_t *at, hs_record_state_t *state, const hs_event_t *event)
{
    at = hs_head_put(at, HS_RECORD_REALLOC, reference(state, event->key));
    at = hs_varint_put(at, event->size);
    at = new_block_put(at, state, event->new_key);
    return stamp_put(at, state, event);
}

static uint8_t *failed_body_put(uint8_t *at, hs_record_state_t *state, const hs_event_t *event)
{
    *at++ = (uint8_t)event->new_key;
    at = hs_varint_put(at, event->size);
    *at++ = event->align_log2;
    return event->new_key == CALL_REALLOC ? hs_varint_put(at, reference(state, event->key)) : at;
}

static uint8_t *level_body_put(uint8_t *at, const hs_event_t *event)
{
    at = hs_varint_put(at, event->key);
    at = hs_varint_put(at, event->heap);
    *at++ = event->align_log2;
    at = hs_varint_put(at, event->size);
    at = hs_varint_put(at, event->new_key);
    at = hs_varint_put(at, event->site);
    return hs_varint_put(at, event->caps);
}

static uint8_t *pairs_body_put(uint8_t *at, const hs_record_state_t *state, const hs_event_t *event)
{
    at = hs_varint_put(at, event->size);
    at = has(state, HS_TRACE_SITES) ? hs_varint_put(at, event->site) : at;
    at = hs_varint_put(at, event->key);
    return hs_varint_put(at, event->new_key);
}

static uint8_t *live_body_put(uint8_t *at, const hs_record_state_t *state, const hs_event_t *event)
{
    const uint8_t sites = has(state, HS_TRACE_SITES) ? HS_LIVE_SITES : 0;
    at = hs_varint_put(at, event->new_key);
    *at++ = (uint8_t)((event->align_log2 & HS_LIVE_OWNED) | sites);
    at = hs_varint_put(at, event->key >> state->shift);
    at = hs_varint_put(at, event->size);
    return sites != 0 ? hs_varint_put(at, event->site) : at;
}

static uint8_t *body_put(uint8_t *at, hs_record_state_t *state, const hs_event_t *event)
{
    switch (event->kind) {
    case HS_EVENT_FAILED:
        return failed_body_put(at, state, event);
    case HS_EVENT_LOST:
        return hs_varint_put(at, event->size);
    case HS_EVENT_LOST_KIND:
        *at++ = (uint8_t)event->key;
        at = hs_varint_put(at, event->new_key);
        return hs_varint_put(at, event->size);
    case HS_EVENT_TASK_ON:
        at = hs_varint_put(at, event->key);
        return hs_varint_put(at, event->new_key << 1 | (event->size & 1u));
    case HS_EVENT_LEVEL:
        return level_body_put(at, event);
    case HS_EVENT_PAIRS:
        return pairs_body_put(at, state, event);
    case HS_EVENT_LIVE:
        return live_body_put(at, state, event);
    case HS_EVENT_SNAPSHOT_END:
        at = hs_varint_put(at, event->key);
        at = hs_varint_put(at, event->new_key);
        return hs_varint_put(at, event->size);
    case HS_EVENT_REGION:
        at = hs_varint_put(at, event->key);
        at = hs_varint_put(at, event->new_key);
        at = hs_varint_put(at, event->size);
        return hs_varint_put(at, event->caps);
    case HS_EVENT_FREE_MEMORY:
        at = hs_varint_put(at, event->site);
        at = hs_varint_put(at, event->key + 1u);
        at = hs_varint_put(at, event->new_key + 1u);
        return hs_varint_put(at, event->size + 1u);
    case HS_EVENT_POOL_CREATE:
        at = hs_varint_put(at, event->key);
        at = hs_varint_put(at, event->size);
        return hs_varint_put(at, event->new_key);
    case HS_EVENT_POOL_GROW:
    case HS_EVENT_POOL_ALLOC:
        at = hs_varint_put(at, event->key);
        return hs_varint_put(at, event->size);
    default: /* MARK, TASK_START, TASK_END, POOL_RELEASE, SNAPSHOT */
        return hs_varint_put(at, event->key);
    }
}

/* Bodies are below 128 bytes, so their length is one byte, filled in afterwards. */
static uint8_t *extension_put(uint8_t *at, hs_record_state_t *state, const hs_event_t *event)
{
    static const uint8_t kinds[] = {[HS_EVENT_FAILED] = HS_EXTENSION_FAILED,
                                    [HS_EVENT_MARK] = HS_EXTENSION_MARK,
                                    [HS_EVENT_TASK_START] = HS_EXTENSION_TASK_START,
                                    [HS_EVENT_TASK_END] = HS_EXTENSION_TASK_END,
                                    [HS_EVENT_LOST] = HS_EXTENSION_LOST,
                                    [HS_EVENT_POOL_CREATE] = HS_EXTENSION_POOL_CREATE,
                                    [HS_EVENT_POOL_GROW] = HS_EXTENSION_POOL_GROW,
                                    [HS_EVENT_POOL_ALLOC] = HS_EXTENSION_POOL_ALLOC,
                                    [HS_EVENT_POOL_RELEASE] = HS_EXTENSION_POOL_RELEASE,
                                    [HS_EVENT_LOST_KIND] = HS_EXTENSION_LOST_KIND,
                                    [HS_EVENT_TASK_ON] = HS_EXTENSION_TASK_ON,
                                    [HS_EVENT_LEVEL] = HS_EXTENSION_LEVEL,
                                    [HS_EVENT_PAIRS] = HS_EXTENSION_PAIRS,
                                    [HS_EVENT_SNAPSHOT] = HS_EXTENSION_SNAPSHOT,
                                    [HS_EVENT_LIVE] = HS_EXTENSION_LIVE,
                                    [HS_EVENT_SNAPSHOT_END] = HS_EXTENSION_SNAPSHOT_END,
                                    [HS_EVENT_REGION] = HS_EXTENSION_REGION,
                                    [HS_EVENT_FREE_MEMORY] = HS_EXTENSION_FREE_MEMORY};
    at = hs_head_put(at, HS_RECORD_EXTENSION, kinds[event->kind]);
    uint8_t *length = at++;
    at = body_put(at, state, event);
    at = stamped(event->kind) ? stamp_put(at, state, event) : at;
    HS_ASSERT(at - length - 1 < 128);
    *length = (uint8_t)(at - length - 1);
    return at;
}

uint8_t *hs_record_put(uint8_t *at, hs_record_state_t *state, const hs_event_t *event)
{
    at = context_put(at, state, event);
    switch (event->kind) {
    case HS_EVENT_MALLOC:
    case HS_EVENT_CALLOC:
    case HS_EVENT_ALIGNED:
        return block_put(at, state, event);
    case HS_EVENT_REALLOC:
        return realloc_put(at, state, event);
    case HS_EVENT_FREE:
        at = hs_head_put(at, HS_RECORD_FREE, reference(state, event->key));
        return stamp_put(at, state, event);
    default:
        return extension_put(at, state, event);
    }
}
