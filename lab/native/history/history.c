#include "history/history.h"

#include <stdlib.h>
#include <string.h>

#include "heapscope/assert.h"

/* So many pieces are asked for first, nearly 4 MB, and later as many as there are already, up to nearly 64 MB: a
 * page's memory grows slowly, however little it grows by. */
#define CHUNKS 12u
#define TIMES 31u

static size_t more_of(size_t count, size_t first)
{
    return count + first < 16 * first ? count + first : 16 * first;
}

void hs_history_free(hs_history_t *history)
{
    for (size_t i = 0; i < history->chunk_count; i += more_of(i, CHUNKS)) {
        free(history->chunks[i]);
    }
    for (size_t i = 0; i < history->time_count; i += more_of(i, TIMES)) {
        free(history->times[i]);
    }
    free(history->chunks);
    free(history->times);
    free(history->slots);
    free(history->sieve.sites);
    free(history->sieve.holders);
    hs_queue_free(&history->holders);
    hs_queue_free(&history->failures);
    hs_queue_free(&history->sums);
    memset(history, 0, sizeof *history);
}

/* ---- growing ------------------------------------------------------------------------------------ */

/* Room for so many pointers more. */
static void *grown(void *list, size_t count, size_t more, size_t *room)
{
    if (count + more <= *room) {
        return list;
    }
    const size_t wanted = *room * 2 + more;
    void *moved = realloc(list, wanted * sizeof(void *));
    *room = moved == NULL ? *room : wanted;
    return moved;
}

static bool reserve_block(hs_history_t *history)
{
    if (history->blocks < history->chunk_count * HS_HISTORY_CHUNK) {
        return true;
    }
    const size_t more = more_of(history->chunk_count, CHUNKS);
    void *list = grown(history->chunks, history->chunk_count, more, &history->chunk_room);
    hs_history_chunk_t *chunk = malloc(more * sizeof *chunk);
    if (list != NULL) {
        history->chunks = list;
    }
    if (list == NULL || chunk == NULL) {
        free(chunk);
        return false;
    }
    for (size_t i = 0; i < more; i++) {
        history->chunks[history->chunk_count++] = chunk + i;
    }
    return true;
}

static bool reserve_event(hs_history_t *history, uint64_t event)
{
    HS_ASSERT(event <= history->events); /* none is left out */
    if (event < (uint64_t)history->time_count * HS_HISTORY_CHUNK) {
        return true;
    }
    const size_t more = more_of(history->time_count, TIMES);
    void *list = grown(history->times, history->time_count, more, &history->time_room);
    uint64_t *piece = malloc(more * HS_HISTORY_CHUNK * sizeof *piece);
    if (list != NULL) {
        history->times = list;
    }
    if (list == NULL || piece == NULL) {
        free(piece);
        return false;
    }
    for (size_t i = 0; i < more; i++) {
        history->times[history->time_count++] = piece + i * HS_HISTORY_CHUNK;
    }
    return true;
}

/* ---- events ------------------------------------------------------------------------------------- */

/* `serial`: plus 1; 0: no block. */
static void end(hs_history_t *history, uint32_t serial, uint32_t event)
{
    if (serial == 0) {
        return;
    }
    HS_ASSERT(serial <= history->blocks);
    const uint32_t number = serial - 1;
    hs_history_chunk_t *chunk = history->chunks[number / HS_HISTORY_CHUNK];
    const uint32_t group = number % HS_HISTORY_CHUNK / HS_HISTORY_GROUP;
    chunk->died[number % HS_HISTORY_CHUNK] = event;
    HS_ASSERT(chunk->live[group] != 0);
    if (--chunk->live[group] == 0) {
        chunk->last[group] = event;
    }
}

static bool begin(hs_history_t *history, const hs_history_event_t *event, const hs_did_t *did)
{
    const uint32_t holder = hs_history_holder(history, event->task, event->site);
    if (holder == UINT32_MAX || !reserve_block(history)) {
        return false;
    }
    hs_history_chunk_t *chunk = history->chunks[history->blocks / HS_HISTORY_CHUNK];
    const uint32_t at = history->blocks++ % HS_HISTORY_CHUNK, group = at / HS_HISTORY_GROUP;
    const bool placed = did->region < HS_HISTORY_NOWHERE && did->size != 0;
    chunk->born[at] = (uint32_t)event->number;
    chunk->died[at] = HS_HISTORY_LIVE;
    chunk->address[at] = event->address;
    chunk->size[at] = did->size;
    chunk->holder[at] = holder;
    chunk->region[at] = placed ? (uint8_t)did->region : HS_HISTORY_NOWHERE;
    if (at % HS_HISTORY_GROUP == 0) {
        chunk->live[group] = 0;
    }
    chunk->live[group]++;
    chunk->last[group] = HS_HISTORY_LIVE;
    if ((at + 1) % HS_HISTORY_GROUP == 0) {
        hs_history_level(chunk, at + 1 - HS_HISTORY_GROUP);
    }
    return true;
}

static hs_status_t note_failure(hs_history_t *history, const hs_history_event_t *event)
{
    hs_history_failure_t failure = {event->asked, (uint32_t)event->number, event->task, event->site,
                                    0};
    failure.passes = hs_history_admits_failure(&history->sieve, &failure);
    return hs_queue_put(&history->failures, &failure, sizeof failure);
}

hs_status_t hs_history_step(hs_history_t *history, const hs_history_event_t *event,
                            const hs_did_t *did)
{
    if (event->number >= HS_HISTORY_LIVE - 1u || !reserve_event(history, event->number)) {
        return HS_ERR_MEMORY;
    }
    const uint32_t number = (uint32_t)event->number;
    history->events = number + 1 > history->events ? number + 1 : history->events;
    end(history, did->ended[0], number);
    end(history, did->ended[1], number);
    history->times[number / HS_HISTORY_CHUNK][number % HS_HISTORY_CHUNK] = event->time;
    if (did->failed) {
        return note_failure(history, event);
    }
    return did->begins && !begin(history, event, did) ? HS_ERR_MEMORY : HS_OK;
}

/* ---- places in time ----------------------------------------------------------------------------- */

uint32_t hs_history_from(const hs_history_t *history, double event)
{
    uint32_t low = 0, high = history->blocks;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (history->chunks[middle / HS_HISTORY_CHUNK]->born[middle % HS_HISTORY_CHUNK] < event) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint64_t hs_history_time(const hs_history_t *history, uint64_t event)
{
    if (history->events == 0) {
        return 0;
    }
    const uint64_t at = event < history->events ? event : history->events - 1u;
    return history->times[at / HS_HISTORY_CHUNK][at % HS_HISTORY_CHUNK];
}

uint64_t hs_history_event(const hs_history_t *history, uint64_t time)
{
    uint64_t low = 0, high = history->events;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (hs_history_time(history, middle) < time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
