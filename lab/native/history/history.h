/*
 * The whole life of every block of a replay, event by event: when it was born and ended, where it lay,
 * who asked for it. A page asks it for pictures, for sums and for single blocks while a replay is under
 * way or when it is over. It takes 30 bytes a block and 8 an event.
 */
#ifndef HEAPSCOPE_NATIVE_HISTORY_H
#define HEAPSCOPE_NATIVE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"
#include "measure/step.h"
#include "queue/queue.h"
#include "rows/history.h"

#define HS_HISTORY_CHUNK 16384u /* blocks, and events, of a piece of memory: pieces never move */
/* So many pieces are asked for at once, nearly 4 MB: a page's memory grows slowly, however little it grows by. */
#define HS_HISTORY_CHUNKS_AT_ONCE 8u
#define HS_HISTORY_TIMES_AT_ONCE 31u
#define HS_HISTORY_LIVE UINT32_MAX
#define HS_HISTORY_NOWHERE UINT8_MAX /* region of a block that is in none: it never passes */

/* Blocks in the order of their births. `ended`: in the order of their ends, the blocks that ended. */
typedef struct hs_history_chunk {
    uint32_t born[HS_HISTORY_CHUNK], died[HS_HISTORY_CHUNK], address[HS_HISTORY_CHUNK];
    uint32_t size[HS_HISTORY_CHUNK], task[HS_HISTORY_CHUNK], site[HS_HISTORY_CHUNK];
    uint32_t ended[HS_HISTORY_CHUNK];
    uint8_t region[HS_HISTORY_CHUNK], passes[HS_HISTORY_CHUNK];
} hs_history_chunk_t;

typedef struct hs_history_failure {
    uint64_t size;
    uint32_t event, task, site;
    uint32_t passes;
} hs_history_failure_t;

typedef struct hs_history {
    hs_history_chunk_t **chunks;
    uint64_t **times; /* of events, HS_HISTORY_CHUNK a piece */
    size_t chunk_count, chunk_room, time_count, time_room;
    uint32_t blocks, events, ends; /* how many */
    bool failed;                   /* the filter asks for failed requests */
    hs_queue_t failures;           /* hs_history_failure_t */
    hs_queue_t sums;               /* hs_lab_history_sum_t, of the last question */
} hs_history_t;

/* One of zeroes is empty. */
void hs_history_free(hs_history_t *history);
/* The effect of an event at this time; `address` is where the block begun lies. A block's serial is its
 * number. HS_ERR_MEMORY: no host memory, or more than 2^32 - 2 events. */
hs_status_t hs_history_step(hs_history_t *history, const hs_step_t *step, uint64_t time,
                            uint32_t address, uint64_t asked, uint32_t task, uint32_t site);

static inline size_t hs_history_failed(const hs_history_t *history)
{
    return hs_queue_waiting(&history->failures) / sizeof(hs_history_failure_t);
}
static inline hs_history_failure_t *hs_history_failure(const hs_history_t *history, size_t index)
{
    return (hs_history_failure_t *)(void *)history->failures.bytes + index;
}
/* Number of the first block that was born at this event or later. */
uint32_t hs_history_from(const hs_history_t *history, double event);
/* Time of an event, of the last one for later ones; and the first event at a time or later. */
uint64_t hs_history_time(const hs_history_t *history, uint64_t event);
uint64_t hs_history_event(const hs_history_t *history, uint64_t time);

/* Blocks and failures that come later pass until this is called again. O(blocks). */
hs_status_t hs_history_filter(hs_history_t *history, const hs_lab_filter_t *filter);
/* Fills width x height, column by column: 0, or 1 + the task of a block that is in the pixel and passes,
 * the one born last. A block has one pixel at least. O(blocks born before the right end). */
void hs_history_draw(const hs_history_t *history, const hs_lab_view_t *view, uint16_t *owners);
/* Failed requests that pass, a column each. */
void hs_history_fails(const hs_history_t *history, const hs_lab_view_t *view, uint32_t *counts);
/* The most bytes of those that pass that were live, a column each. */
void hs_history_most(const hs_history_t *history, const hs_lab_view_t *view, uint64_t *bytes);
/* Sums by task and site into `sums`: what was asked for within the view; and what is live after event
 * `second` less what is after `first`, or failed between them. */
hs_status_t hs_history_range(hs_history_t *history, const hs_lab_view_t *view);
hs_status_t hs_history_difference(hs_history_t *history, uint64_t first, uint64_t second);
/* The block at an address after an event, and those below and above it when it was born. */
void hs_history_pick(const hs_history_t *history, uint64_t event, uint32_t region, uint32_t address,
                     hs_lab_life_t rows[3]);

#endif
