#include "lab/start.h"

#include <stdlib.h>
#include <string.h>

void hs_start_free(hs_start_t *start)
{
    hs_state_delete(start->state);
    free(start->blocks);
    *start = (hs_start_t){.decided = start->decided, .primed = start->primed, .gaps = start->gaps};
}

/* The first byte of a fact's value; 0: there is none. */
static uint8_t begin_of(const hs_decoder_t *decoder, const char *wanted)
{
    for (size_t i = 0; i < hs_decoder_metadata_count(decoder); i++) {
        const char *key;
        const uint8_t *value;
        size_t length;
        if (hs_decoder_metadata(decoder, i, &key, &value, &length) == HS_OK &&
            strcmp(key, wanted) == 0) {
            return length == 0 ? 0 : value[0];
        }
    }
    return 0;
}

/* Without addresses no snapshot has blocks, and waiting for one would be in vain. */
bool hs_start_unknown(const hs_decoder_t *decoder, uint64_t first, uint64_t gaps)
{
    hs_trace_health_t health;
    hs_decoder_health(decoder, &health);
    const uint32_t features = health.features;
    return (features & HS_TRACE_ADDRESSES) != 0 &&
           (begin_of(decoder, "snapshots") == '1' || begin_of(decoder, "black_box") == '1' ||
            (features >> 8 != 0 && (first != 0 || gaps != 0)));
}

static int by_address(const void *one, const void *other)
{
    const uint64_t a = ((const hs_event_t *)one)->key;
    const uint64_t b = ((const hs_event_t *)other)->key;
    return (a > b) - (a < b);
}

static hs_status_t blocks_collect(hs_start_t *start, uint64_t time)
{
    hs_state_figures_t figures;
    hs_state_figures(start->state, &figures);
    start->blocks = calloc(figures.blocks + 1, sizeof *start->blocks);
    if (start->blocks == NULL) {
        return HS_ERR_MEMORY;
    }
    hs_state_block_t block;
    for (size_t at = 0; hs_state_next(start->state, &at, &block);) {
        start->blocks[start->count++] = (hs_event_t){.kind = HS_EVENT_MALLOC,
                                                     .key = block.address,
                                                     .size = block.size,
                                                     .time = time,
                                                     .task = block.task,
                                                     .caps = block.caps,
                                                     .site = block.site,
                                                     .heap = block.heap};
    }
    qsort(start->blocks, start->count, sizeof *start->blocks, by_address);
    return HS_OK;
}

hs_status_t hs_start_take(hs_start_t *start, const hs_decoder_t *decoder, uint64_t first,
                          const hs_event_t *events, size_t count, size_t *before)
{
    hs_trace_health_t health;
    hs_decoder_health(decoder, &health);
    *before = 0;
    if (!start->decided) {
        start->decided = true;
        start->waiting = hs_start_unknown(decoder, first, health.gaps);
        start->state = start->waiting ? hs_state_new(false) : NULL;
        if (start->waiting && start->state == NULL) {
            return HS_ERR_MEMORY;
        }
    }
    while (start->waiting && *before < count) {
        const hs_event_t *event = &events[(*before)++];
        const hs_status_t status = hs_state_events(start->state, health.gaps, event, 1);
        if (status != HS_OK) {
            return status;
        }
        hs_state_figures_t figures;
        hs_state_figures(start->state, &figures);
        if (figures.known && figures.level < 2 && !figures.filtered) {
            start->waiting = false;
            start->primed = true;
            start->gaps = health.gaps;
            return blocks_collect(start, event->time);
        }
    }
    return HS_OK;
}
