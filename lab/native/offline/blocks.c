#include "offline/blocks.h"

#include <stdlib.h>
#include <string.h>

#define GRANULE_LOG2 3u
#define NOWHERE UINT32_MAX

static const hs_fit_step_t *step_at(const hs_fit_t *fit, uint64_t index)
{
    return &fit->chunks[index / HS_FIT_CHUNK][index % HS_FIT_CHUNK];
}

static uint32_t slot_of(const hs_fit_step_t *step)
{
    return step->slot & ~HS_FIT_HIGH;
}

static bool is_request(const hs_fit_step_t *step)
{
    const uint32_t kind = step->what & HS_FIT_KIND;
    return kind != HS_FIT_SKIP && kind != HS_EVENT_FREE && (step->what & HS_FIT_NEVER) == 0;
}

static void count(const hs_fit_t *fit, size_t *requests, size_t *slots)
{
    *requests = *slots = 0;
    for (uint64_t i = 0; i < fit->steps; i++) {
        const hs_fit_step_t *step = step_at(fit, i);
        *requests += is_request(step);
        *slots = slot_of(step) >= *slots ? (size_t)slot_of(step) + 1 : *slots;
    }
}

static hs_offline_block_t block_of(const hs_fit_step_t *step, uint32_t last)
{
    const uint32_t log2 = step->what >> HS_FIT_ALIGN_SHIFT & 31u;
    const bool aligned = (step->what & HS_FIT_KIND) == HS_EVENT_ALIGNED && log2 > GRANULE_LOG2;
    const uint64_t size = ((uint64_t)step->size + (1u << GRANULE_LOG2) - 1) >> GRANULE_LOG2;
    return (hs_offline_block_t){
        .end = last, .size = (uint32_t)size, .align = aligned ? 1u << (log2 - GRANULE_LOG2) : 1};
}

/* Walks the trace; `live`: the number of the block in each slot, and its size behind these. */
static void walk(hs_offline_blocks_t *out, const hs_fit_t *fit, uint32_t *live, uint32_t *sizes)
{
    uint64_t held = 0;
    uint32_t now = 0;
    for (uint64_t i = 0; i < fit->steps; i++) {
        const hs_fit_step_t *step = step_at(fit, i);
        const uint32_t slot = slot_of(step);
        if ((step->what & HS_FIT_KIND) == HS_FIT_SKIP) {
            continue;
        }
        if (live[slot] != NOWHERE && out->blocks != NULL) {
            out->blocks[live[slot]].end = now;
        }
        held -= live[slot] == NOWHERE ? 0 : sizes[slot];
        live[slot] = NOWHERE;
        if (!is_request(step)) {
            continue;
        }
        const hs_offline_block_t block = block_of(step, (uint32_t)out->count);
        live[slot] = now;
        sizes[slot] = block.size;
        held += block.size;
        out->peak = held > out->peak ? held : out->peak;
        out->aligned = block.align > out->aligned ? block.align : out->aligned;
        if (out->blocks != NULL) {
            out->blocks[now] = block;
        }
        now++;
    }
}

hs_status_t hs_offline_read(hs_offline_blocks_t *out, const hs_fit_t *fit, size_t most)
{
    size_t slots;
    memset(out, 0, sizeof *out);
    out->aligned = 1;
    count(fit, &out->count, &slots);
    uint32_t *live = malloc((slots + 1) * sizeof *live),
             *sizes = malloc((slots + 1) * sizeof *sizes);
    if (out->count <= most) {
        out->blocks = malloc((out->count + 1) * sizeof *out->blocks);
    }
    const bool whole = live != NULL && sizes != NULL && (out->count > most || out->blocks != NULL);
    if (whole) {
        memset(live, 0xFF, (slots + 1) * sizeof *live);
        walk(out, fit, live, sizes);
    }
    free(live);
    free(sizes);
    return whole ? HS_OK : HS_ERR_MEMORY;
}
