/*
 * The whole life of every block of a replay, event by event: when it was born and ended, where it lay,
 * who asked for it. A page asks it for pictures, for sums and for single blocks while a replay is under
 * way or when it is over. It takes 21.2 bytes a block and 8 an event.
 *
 * Blocks stand in groups, in the order of their births. A group knows which of its blocks a later one
 * hides from every picture in which the group has one column (level.c), and when its last block ended. A
 * picture of the whole trace leaves out the hidden blocks, and a narrow window leaves out whole groups.
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
#define HS_HISTORY_GROUP 256u   /* blocks; a power of two that divides a piece */
#define HS_HISTORY_LIVE UINT32_MAX
#define HS_HISTORY_NOWHERE UINT8_MAX /* region of a block that is in none: it never passes */

/* Blocks in the order of their births. */
typedef struct hs_history_chunk {
    uint32_t born[HS_HISTORY_CHUNK], died[HS_HISTORY_CHUNK], address[HS_HISTORY_CHUNK];
    uint32_t size[HS_HISTORY_CHUNK], holder[HS_HISTORY_CHUNK];
    uint64_t shown[HS_HISTORY_CHUNK / 64]; /* bits: no later block of its group hides it */
    uint32_t last[HS_HISTORY_CHUNK / HS_HISTORY_GROUP]; /* end of a group's last block, or LIVE */
    uint16_t live[HS_HISTORY_CHUNK / HS_HISTORY_GROUP]; /* blocks of a group that are live */
    uint8_t region[HS_HISTORY_CHUNK];
} hs_history_chunk_t;

/* A task at a site, which asked for blocks. */
typedef struct hs_history_holder {
    uint32_t task, site;
    uint16_t owner; /* in a picture */
    uint8_t passes; /* the conditions of a filter on tasks, sites and holders */
} hs_history_holder_t;

typedef struct hs_history_failure {
    uint64_t size;
    uint32_t event, task, site;
    uint32_t passes;
} hs_history_failure_t;

/* The filter that was asked for last, with lists of its own. */
typedef struct hs_history_sieve {
    bool set;
    hs_lab_filter_t filter;
    uint8_t *sites;
    uint64_t *holders; /* in order */
} hs_history_sieve_t;

typedef struct hs_history {
    hs_history_chunk_t **chunks;
    uint64_t **times; /* of events, in pieces */
    size_t chunk_count, chunk_room, time_count, time_room;
    uint32_t blocks, events; /* how many */
    hs_queue_t holders;      /* hs_history_holder_t, by number */
    uint32_t *slots;         /* numbers of holders plus 1, by a hash; 0: free */
    size_t slot_count;       /* a power of two, or 0; at most half is used */
    hs_history_sieve_t sieve;
    hs_queue_t failures; /* hs_history_failure_t */
    hs_queue_t sums;     /* hs_lab_history_sum_t, of the last question */
} hs_history_t;

/* One of zeroes is empty. */
void hs_history_free(hs_history_t *history);
/* An event, and who asked for how much. `address`: where the block lies that it began. */
typedef struct hs_history_event {
    uint64_t number, time, asked;
    uint32_t address, task, site;
} hs_history_event_t;

/* The effect of an event. A block's serial is its number. HS_ERR_MEMORY: no host memory, or more than
 * 2^32 - 2 events. */
hs_status_t hs_history_step(hs_history_t *history, const hs_history_event_t *event,
                            const hs_did_t *did);

static inline size_t hs_history_failed(const hs_history_t *history)
{
    return hs_queue_waiting(&history->failures) / sizeof(hs_history_failure_t);
}
static inline hs_history_failure_t *hs_history_failure(const hs_history_t *history, size_t index)
{
    return (hs_history_failure_t *)(void *)history->failures.bytes + index;
}
/* Number of the holder; UINT32_MAX: no host memory. */
uint32_t hs_history_holder(hs_history_t *history, uint32_t task, uint32_t site);
static inline uint32_t hs_history_holders(const hs_history_t *history)
{
    return (uint32_t)(hs_queue_waiting(&history->holders) / sizeof(hs_history_holder_t));
}
static inline hs_history_holder_t *hs_history_holder_at(const hs_history_t *history,
                                                        uint32_t number)
{
    return (hs_history_holder_t *)(void *)history->holders.bytes + number;
}
/* Number of the highest bit that is set; there is one. */
static inline uint32_t hs_history_highest(uint64_t bits)
{
    return 63u - (uint32_t)__builtin_clzll(bits);
}
/* A group is full: finds which of its blocks are hidden. O(blocks of a group). */
void hs_history_level(hs_history_chunk_t *chunk, uint32_t first);
/* The first block at `from` or later whose group has one that ended after `event`, or is live. */
uint32_t hs_history_seek(const hs_history_t *history, uint32_t from, uint32_t event);
/* The last block before `before` of such a group; UINT32_MAX: none. */
uint32_t hs_history_seek_back(const hs_history_t *history, uint32_t before, uint32_t event);
/* Number of the first block that was born at this event or later. */
uint32_t hs_history_from(const hs_history_t *history, double event);
/* Time of an event, of the last one for later ones; and the first event at a time or later. */
uint64_t hs_history_time(const hs_history_t *history, uint64_t event);
uint64_t hs_history_event(const hs_history_t *history, uint64_t time);

/* Blocks and failures that come later are asked, too. O(holders + failures), and the blocks are asked
 * when something is computed of them. */
hs_status_t hs_history_filter(hs_history_t *history, const hs_lab_filter_t *filter);
/* Whether the conditions of the filter on task, site and holder let a holder pass. */
bool hs_history_admits(const hs_history_sieve_t *sieve, uint32_t task, uint32_t site);
/* Whether the sieve lets a failed request pass. */
bool hs_history_admits_failure(const hs_history_sieve_t *sieve,
                               const hs_history_failure_t *failure);
static inline bool hs_history_passes(const hs_history_t *history, const hs_history_chunk_t *chunk,
                                     uint32_t i)
{
    const hs_lab_filter_t *filter = &history->sieve.filter;
    if (chunk->region[i] == HS_HISTORY_NOWHERE || !history->sieve.set) {
        return chunk->region[i] != HS_HISTORY_NOWHERE;
    }
    const uint32_t died = chunk->died[i], end = died < history->events ? died : history->events;
    return hs_history_holder_at(history, chunk->holder[i])->passes &&
           chunk->size[i] >= filter->size_min && chunk->size[i] <= filter->size_max &&
           (filter->region == UINT32_MAX || filter->region == chunk->region[i]) &&
           end - chunk->born[i] >= filter->age &&
           (died == HS_HISTORY_LIVE || !(filter->stays || filter->by_holder));
}
/* Blocks that ended at this event or earlier are not seen in a window that begins after `event`: none that
 * ended, where the filter lets only those pass that stay. */
static inline uint32_t hs_history_unseen(const hs_history_t *history, uint32_t event)
{
    const hs_lab_filter_t *filter = &history->sieve.filter;
    return filter->stays || filter->by_holder ? HS_HISTORY_LIVE - 1 : event;
}
/* Fills width x height, column by column: 0, or 1 + the task of a block that is in the pixel and passes,
 * the one born last. A block has one pixel at least. O(pixels, blocks born within the view that are not
 * hidden, and groups before it). `live`: the bytes of those that pass that are live after the
 * last event of a column, as far as the events go. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_history_draw(const hs_history_t *history, const hs_lab_view_t *view,
                            uint16_t *owners, uint64_t *live);
/* Failed requests that pass, a column each. */
void hs_history_fails(const hs_history_t *history, const hs_lab_view_t *view, uint32_t *counts);
/* The most bytes of those that pass that were live, a column each. O(events and births within the view,
 * and groups before it). HS_ERR_MEMORY: no host memory. */
hs_status_t hs_history_most(const hs_history_t *history, const hs_lab_view_t *view,
                            uint64_t *bytes);
/* Sums by task and site into `sums`: what was asked for within the view; and what is live after event
 * `second` less what is after `first`, or failed between them. */
hs_status_t hs_history_range(hs_history_t *history, const hs_lab_view_t *view);
hs_status_t hs_history_difference(hs_history_t *history, uint64_t first, uint64_t second);
/* The block at an address after an event, and those below and above it when it was born. */
void hs_history_pick(const hs_history_t *history, uint64_t event, uint32_t region, uint32_t address,
                     hs_lab_life_t rows[3]);

#endif
