#include "jitter/return.h"

#include <stdlib.h>
#include <string.h>

#include "jitter/chance.h"

#define STARTS (HS_RETURN_PARTS / 8) /* the program is at work from this part on */
#define ALIKE                                                                                      \
    8 /* blocks of the mean size: a smaller difference does not outweigh a longer stretch */
#define LESS 64 /* a moment is quieter with so small a part less: each is a copy of what is held */

hs_status_t hs_return_init(hs_return_t *back, uint64_t events)
{
    memset(back, 0, sizeof *back);
    back->events = events;
    back->quiet = malloc(HS_RETURN_PARTS * sizeof *back->quiet);
    return back->quiet != NULL && hs_blocks_init(&back->blocks) ? HS_OK : HS_ERR_MEMORY;
}

void hs_return_free(hs_return_t *back)
{
    hs_blocks_free(&back->blocks);
    free(back->quiet);
    memset(back, 0, sizeof *back);
}

static hs_status_t gain(hs_return_t *back, uint64_t key, const hs_event_t *event)
{
    hs_block_t *block = hs_blocks_insert(&back->blocks, key);
    if (block == NULL) {
        return HS_ERR_MEMORY;
    }
    block->recorded = event->size < UINT32_MAX ? event->size : UINT32_MAX;
    block->requested = (uint32_t)hs_chance_draw(0, event->task, event->site) % HS_RETURN_HOLDERS;
    back->held[block->requested] += (int64_t)block->recorded;
    back->live += block->recorded;
    back->bytes += block->recorded;
    back->allocations++;
    return HS_OK;
}

static void lose(hs_return_t *back, uint64_t key)
{
    const hs_block_t *block = hs_blocks_take(&back->blocks, key);
    if (block != NULL) {
        back->held[block->requested] -= (int64_t)block->recorded;
        back->live -= block->recorded;
    }
}

static hs_status_t take(hs_return_t *back, const hs_event_t *event)
{
    if (event->kind == HS_EVENT_FAILED) {
        return HS_OK;
    }
    const bool moves = event->kind == HS_EVENT_REALLOC;
    if (moves && hs_blocks_find(&back->blocks, event->key) == NULL) {
        return HS_OK;
    }
    lose(back, event->key);
    if (event->kind == HS_EVENT_FREE || (moves && event->size == 0)) {
        return HS_OK;
    }
    if (moves && event->new_key != event->key) {
        lose(back, event->new_key);
    }
    return gain(back, moves ? event->new_key : event->key, event);
}

/* The event is over. */
static void look(hs_return_t *back)
{
    const uint64_t part = back->seen / (back->events / HS_RETURN_PARTS + 1);
    if (part >= HS_RETURN_PARTS) {
        return;
    }
    const bool begins = part >= back->parts;
    back->parts = begins ? (uint32_t)part + 1 : back->parts;
    const uint64_t least = begins ? 0 : back->quiet[part].live;
    if (begins || back->live < least - least / LESS) {
        back->quiet[part].event = back->seen;
        back->quiet[part].live = back->live;
        memcpy(back->quiet[part].held, back->held, sizeof back->held);
    }
}

hs_status_t hs_return_events(hs_return_t *back, const hs_event_t *events, size_t count)
{
    hs_status_t status = HS_OK;
    for (size_t i = 0; i < count && status == HS_OK; i++) {
        if (HS_EVENT_IS_HEAP(events[i].kind)) {
            status = take(back, &events[i]);
            back->seen++;
            look(back);
        }
    }
    return status;
}

static double difference(const hs_return_t *back, uint32_t first, uint32_t last)
{
    double sum = 0;
    for (size_t i = 0; i < HS_RETURN_HOLDERS; i++) {
        const int64_t more = back->quiet[last].held[i] - back->quiet[first].held[i];
        sum += (double)(more < 0 ? -more : more);
    }
    return sum;
}

bool hs_return_find(const hs_return_t *back, uint64_t most, uint64_t *first, uint64_t *stop)
{
    double least = -1;
    const double always =
        ALIKE * (back->allocations == 0 ? 0 : (double)back->bytes / (double)back->allocations);
    const uint64_t quarter = back->events / 4;
    const uint64_t apart = quarter < most / 2 ? quarter : most / 2;
    for (uint32_t i = STARTS; i < back->parts; i++) {
        for (uint32_t j = i + 1; j < back->parts; j++) {
            const uint64_t length = back->quiet[j].event - back->quiet[i].event;
            if (length == 0 || length < apart || length > most) {
                continue;
            }
            const double rate = (difference(back, i, j) + always) / (double)length;
            if (least < 0 || rate < least) {
                least = rate;
                *first = back->quiet[i].event;
                *stop = back->quiet[j].event;
            }
        }
    }
    return least >= 0;
}
