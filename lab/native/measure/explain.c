#include "measure/explain.h"

static bool is_request(const hs_event_t *event)
{
    return event->kind >= HS_EVENT_MALLOC && event->kind <= HS_EVENT_REALLOC;
}

static uint32_t address_of(const hs_chip_t *chip, const hs_block_t *block)
{
    return chip->region[block->place.region].start + block->place.offset;
}

static void look(hs_lab_explanation_region_t *row, const hs_chip_region_t *region,
                 const hs_request_t *request)
{
    row->has_heap = region->heap != NULL;
    if (region->heap != NULL) {
        row->fits = hs_region_fits(region, request);
        row->free = region->heap->tally.free;
        row->largest_free = hs_sim_largest_free(region->heap);
        row->largest_allocatable = hs_region_largest_allocatable(region, request->caps);
    }
}

void hs_explain_before(hs_explain_t *explain, const hs_chip_t *chip, const hs_event_t *event,
                       const hs_request_t *request, const hs_block_t *block)
{
    hs_lab_explanation_t *out = &explain->event;
    if (!is_request(event)) {
        return;
    }
    out->found = 1;
    out->time = event->time;
    out->size = event->size;
    out->task = event->task;
    out->caps = event->caps;
    out->site = event->site;
    out->call = event->kind;
    out->align = request->align;
    out->old_region = out->old_address = UINT32_MAX;
    if (event->kind == HS_EVENT_REALLOC) {
        out->skipped = block == NULL || (block->flags & HS_BLOCK_NOWHERE) != 0;
        if (!out->skipped) {
            out->old_region = block->place.region;
            out->old_address = address_of(chip, block);
            out->old_size = block->requested;
        }
    }
    for (uint32_t i = 0; i < chip->count; i++) {
        look(&explain->region[i], &chip->region[i], request);
    }
}

void hs_explain_after(hs_explain_t *explain, const hs_chip_t *chip, const hs_block_t *block)
{
    hs_lab_explanation_t *out = &explain->event;
    out->region = out->address = UINT32_MAX;
    /* A realloc that failed leaves its block, with the size it had. */
    const bool served = block != NULL && !(block->flags & HS_BLOCK_NOWHERE) &&
                        block->requested == (uint32_t)out->size;
    if (out->found && served) {
        out->region = block->place.region;
        out->address = address_of(chip, block);
    }
}
