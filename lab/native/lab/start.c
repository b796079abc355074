#include "lab/start.h"

#include <stdlib.h>

#include "lab/fact.h"

void hs_start_free(hs_start_t *start)
{
    hs_segments_free(&start->segments);
    free(start->blocks);
    start->blocks = NULL;
    start->count = 0;
}

static int by_address(const void *one, const void *other)
{
    const uint64_t a = ((const hs_event_t *)one)->key;
    const uint64_t b = ((const hs_event_t *)other)->key;
    return (a > b) - (a < b);
}

static hs_status_t blocks_collect(hs_start_t *start, const hs_decoder_t *decoder, uint64_t time)
{
    hs_state_figures_t figures;
    hs_state_figures(start->segments.state, &figures);
    const bool held = hs_fact_begin(decoder, "walked_sizes") == '1';
    start->blocks = calloc((size_t)figures.blocks + 1, sizeof *start->blocks);
    if (start->blocks == NULL) {
        return HS_ERR_MEMORY;
    }
    hs_state_block_t block;
    for (size_t at = 0; hs_state_next(start->segments.state, &at, &block);) {
        start->blocks[start->count++] = (hs_event_t){.kind = HS_EVENT_MALLOC,
                                                     .key = block.address,
                                                     .new_key = block.walked && held,
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

hs_status_t hs_start_take(hs_start_t *start, const hs_decoder_t *decoder, const hs_event_t *events,
                          size_t count, size_t *before)
{
    *before = 0;
    if (!start->decided) {
        const bool unknown = hs_fact_begins_unknown(decoder);
        start->decided = true;
        start->waiting = unknown || start->segment > 1;
        if (start->waiting && hs_segments_init(&start->segments, !unknown) != HS_OK) {
            return HS_ERR_MEMORY;
        }
    }
    while (start->waiting && *before < count) {
        const hs_event_t *event = &events[(*before)++];
        bool begins;
        const hs_status_t status = hs_segments_take(&start->segments, decoder, event, &begins);
        if (status != HS_OK) {
            return status;
        }
        if (begins && start->segments.count >= start->segment) {
            hs_trace_health_t health;
            hs_decoder_health(decoder, &health);
            start->waiting = false;
            start->primed = true;
            start->gaps = health.gaps;
            return blocks_collect(start, decoder, event->time);
        }
    }
    return HS_OK;
}
