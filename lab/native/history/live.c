/* The live bytes of those blocks that pass, column by column. */
#include <string.h>

#include "history/history.h"

static double events_of(uint64_t parts)
{
    return (double)parts / HS_LAB_HISTORY_PARTS;
}

/* Gives the blocks before `last` their weights. Which blocks pass may change with every event. */
static void weigh(hs_history_t *history, uint32_t last)
{
    if (history->weighed_at != history->events) {
        history->weighed_at = history->events;
        history->weighed = 0;
    }
    for (; history->weighed < last; history->weighed++) {
        hs_history_chunk_t *chunk = history->chunks[history->weighed / HS_HISTORY_CHUNK];
        const uint32_t i = history->weighed % HS_HISTORY_CHUNK;
        chunk->weight[i] = hs_history_passes(history, chunk, i) ? chunk->size[i] : 0;
    }
}

static uint32_t weight(const hs_history_t *history, uint32_t block)
{
    return history->chunks[block / HS_HISTORY_CHUNK]->weight[block % HS_HISTORY_CHUNK];
}

static uint32_t ended(const hs_history_t *history, uint32_t end)
{
    return history->chunks[end / HS_HISTORY_CHUNK]->ended[end % HS_HISTORY_CHUNK];
}

/* Number of the first end at this event or later. */
static uint32_t end_from(const hs_history_t *history, uint32_t event)
{
    uint32_t low = 0, high = history->ends;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2, block = ended(history, middle);
        if (history->chunks[block / HS_HISTORY_CHUNK]->died[block % HS_HISTORY_CHUNK] < event) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Where the walk is: before this event, with the next birth and the next end. */
typedef struct hs_walk {
    uint32_t event, block, end;
    uint64_t live;
} hs_walk_t;

static hs_walk_t begin_at(const hs_history_t *history, uint32_t event)
{
    hs_walk_t walk = {event, hs_history_from(history, event), end_from(history, event), 0};
    if (event == 0) {
        return walk;
    }
    for (uint32_t block = hs_history_seek(history, 0, event - 1); block < walk.block;
         block = hs_history_seek(history, block + 1, event - 1)) {
        const hs_history_chunk_t *chunk = history->chunks[block / HS_HISTORY_CHUNK];
        const uint32_t i = block % HS_HISTORY_CHUNK;
        walk.live += chunk->died[i] >= event ? chunk->weight[i] : 0;
    }
    return walk;
}

/* Goes past event 0. The blocks of a snapshot began there, too, which its change does not tell. */
static uint64_t walk_first(const hs_history_t *history, hs_walk_t *at)
{
    const uint32_t ends = end_from(history, 1), blocks = hs_history_from(history, 1);
    while (at->block < blocks) {
        at->live += weight(history, at->block++);
    }
    while (at->end < ends) {
        at->live -= weight(history, ended(history, at->end++));
    }
    at->event = 1;
    return at->live;
}

/* Goes to before event `until`; the most bytes after one of the events. Nothing of it branches on what
 * the events did, which no processor could foresee. */
static uint64_t walk_to(const hs_history_t *history, hs_walk_t *walk, uint32_t until)
{
    hs_walk_t at = *walk;
    uint64_t most = at.event == 0 ? walk_first(history, &at) : 0;
    for (; at.event < until; at.event++) {
        const unsigned change =
            history->moments[at.event / HS_HISTORY_CHUNK]->change[at.event % HS_HISTORY_CHUNK];
        for (unsigned ends = change & HS_HISTORY_ENDS; ends > 1; ends--) { /* hardly ever */
            at.live -= weight(history, ended(history, at.end++));
        }
        const uint32_t ends = (change & HS_HISTORY_ENDS) != 0, begins = change / HS_HISTORY_BEGINS;
        /* Past the last block, and the last end, the first block is read and counts nothing. */
        const uint32_t gone = at.end < history->ends ? ended(history, at.end) : 0;
        const uint32_t come = at.block < history->blocks ? at.block : 0;
        at.live -= weight(history, gone) & (0u - ends);
        at.live += weight(history, come) & (0u - begins);
        at.end += ends;
        at.block += begins;
        most = most > at.live ? most : at.live;
    }
    *walk = at;
    return most;
}

void hs_history_most(hs_history_t *history, const hs_lab_view_t *view, uint64_t *bytes)
{
    memset(bytes, 0, view->width * sizeof *bytes);
    const double left = events_of(view->left), right = events_of(view->right);
    const double whole = right < history->events ? right : history->events;
    const uint32_t stop = (uint32_t)whole + ((uint32_t)whole < whole);
    if (right <= left || left >= stop || history->blocks == 0) {
        return;
    }
    const double across = view->width / (right - left);
    weigh(history, hs_history_from(history, stop));
    hs_walk_t walk = begin_at(history, (uint32_t)left);
    while (walk.event < stop) {
        const double begin = (walk.event - left) * across, end = (walk.event + 1 - left) * across;
        const uint32_t x0 = begin > 0 ? (uint32_t)begin : 0;
        const uint32_t x1 = end >= x0 + 1.0 ? (uint32_t)end : x0 + 1;
        /* Those events that surely lie within one column are one step. */
        const double inner = left + (x0 + 1.0) / across - 2;
        uint32_t until = inner > walk.event + 1.0 ? (uint32_t)inner : walk.event + 1;
        until = until < stop ? until : stop;
        const uint64_t most = walk_to(history, &walk, until);
        for (uint32_t x = x0; x < x1 && x < view->width; x++) {
            bytes[x] = bytes[x] > most ? bytes[x] : most;
        }
    }
}
