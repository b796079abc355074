/* The live bytes of those blocks that pass, column by column. */
#include <stdlib.h>
#include <string.h>

#include "history/history.h"

#define PIECE                                                                                      \
    32768u /* events that are added up at once: their changes fit a processor's own memory */

static double events_of(uint64_t parts)
{
    return (double)parts / HS_LAB_HISTORY_PARTS;
}

/* A block that passes and ends after the piece. */
typedef struct hs_ahead {
    uint32_t died, size;
} hs_ahead_t;

/* A window goes by in pieces, in the order of time. */
typedef struct hs_walk {
    const hs_history_t *history;
    uint32_t event, until; /* of the piece */
    uint32_t block;        /* the first one that was in no piece so far */
    uint32_t before;       /* blocks that ended at this event or earlier do not count */
    int64_t *change;       /* of the live bytes, by event of the piece */
    hs_queue_t ahead;      /* hs_ahead_t */
    uint64_t live;         /* bytes after the event that was added up last */
} hs_walk_t;

/* Those that began before the piece. */
static void end_earlier(hs_walk_t *walk)
{
    hs_ahead_t *ahead = (hs_ahead_t *)(void *)walk->ahead.bytes;
    const size_t count = hs_queue_waiting(&walk->ahead) / sizeof *ahead;
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (ahead[i].died < walk->until) {
            walk->change[ahead[i].died - walk->event] -= ahead[i].size;
        } else {
            ahead[left++] = ahead[i];
        }
    }
    walk->ahead.used = left * sizeof *ahead;
}

static hs_status_t count_block(hs_walk_t *walk, const hs_history_chunk_t *chunk, uint32_t i)
{
    const uint32_t born = chunk->born[i], size = chunk->size[i];
    walk->change[born > walk->event ? born - walk->event : 0] += size;
    if (chunk->died[i] < walk->until) {
        walk->change[chunk->died[i] - walk->event] -= size;
        return HS_OK;
    }
    const hs_ahead_t ahead = {chunk->died[i], size};
    return hs_queue_put(&walk->ahead, &ahead, sizeof ahead);
}

/* The changes of the piece from `event` to before `until`. */
static hs_status_t begin_piece(hs_walk_t *walk)
{
    const uint32_t last = hs_history_from(walk->history, walk->until);
    hs_status_t status = HS_OK;
    memset(walk->change, 0, (walk->until - walk->event) * sizeof *walk->change);
    end_earlier(walk);
    uint32_t block = hs_history_seek(walk->history, walk->block, walk->before);
    while (block < last && status == HS_OK) {
        const hs_history_chunk_t *chunk = walk->history->chunks[block / HS_HISTORY_CHUNK];
        const uint32_t next = (block / HS_HISTORY_GROUP + 1) * HS_HISTORY_GROUP;
        const uint32_t end = next < last ? next : last;
        for (; block < end && status == HS_OK; block++) {
            const uint32_t i = block % HS_HISTORY_CHUNK;
            if (chunk->died[i] > walk->before && hs_history_passes(walk->history, chunk, i)) {
                status = count_block(walk, chunk, i);
            }
        }
        block = hs_history_seek(walk->history, block, walk->before);
    }
    walk->block = last;
    return status;
}

/* The most bytes after one of the events. */
static uint64_t most_of(hs_walk_t *walk, uint32_t from, uint32_t to)
{
    uint64_t live = walk->live, most = 0;
    for (uint32_t i = from - walk->event; i < to - walk->event; i++) {
        live += (uint64_t)walk->change[i];
        most = most > live ? most : live;
    }
    walk->live = live;
    return most;
}

static void fill_columns(hs_walk_t *walk, const hs_lab_view_t *view, uint64_t *bytes)
{
    const double left = events_of(view->left);
    const double across = view->width / (events_of(view->right) - left);
    for (uint32_t event = walk->event, until; event < walk->until; event = until) {
        const double begin = (event - left) * across, end = (event + 1 - left) * across;
        const uint32_t x0 = begin > 0 ? (uint32_t)begin : 0;
        const uint32_t x1 = end >= x0 + 1.0 ? (uint32_t)end : x0 + 1;
        /* Those events that surely lie within one column are one step. */
        const double inner = left + (x0 + 1.0) / across - 2;
        until = inner > event + 1.0 ? (uint32_t)inner : event + 1;
        until = until < walk->until ? until : walk->until;
        const uint64_t most = most_of(walk, event, until);
        for (uint32_t x = x0; x < x1 && x < view->width; x++) {
            bytes[x] = bytes[x] > most ? bytes[x] : most;
        }
    }
}

hs_status_t hs_history_most(const hs_history_t *history, const hs_lab_view_t *view, uint64_t *bytes)
{
    memset(bytes, 0, view->width * sizeof *bytes);
    const double left = events_of(view->left), right = events_of(view->right);
    const double whole = right < history->events ? right : history->events;
    const uint32_t stop = (uint32_t)whole + ((uint32_t)whole < whole);
    if (right <= left || left >= stop) {
        return HS_OK;
    }
    const uint32_t first = (uint32_t)left;
    hs_walk_t walk = {.history = history,
                      .before = hs_history_unseen(history, first == 0 ? 0 : first - 1),
                      .change = malloc(PIECE * sizeof *walk.change)};
    hs_status_t status = walk.change == NULL ? HS_ERR_MEMORY : HS_OK;
    for (walk.event = first; walk.event < stop && status == HS_OK; walk.event = walk.until) {
        walk.until = stop - walk.event > PIECE ? walk.event + PIECE : stop;
        status = begin_piece(&walk);
        if (status == HS_OK) {
            fill_columns(&walk, view, bytes);
        }
    }
    free(walk.change);
    hs_queue_free(&walk.ahead);
    return status;
}
