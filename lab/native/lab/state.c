/* Heaps in a given state, for the binding. */
#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "chip/setup.h"
#include "chip/task_lists.h"
#include "lab/lab.h"

struct hs_lab_state {
    hs_chip_t chip;
};

hs_lab_state_t *hs_lab_state_new(const hs_lab_config_t *config, int *status, uint32_t *where)
{
    uint32_t kinds;
    uint64_t unplaced;
    *status = HS_ERR_MEMORY;
    *where = UINT32_MAX;
    hs_lab_state_t *state = calloc(1, sizeof *state);
    if (state == NULL) {
        return NULL;
    }
    *status = (int)hs_chip_init(&state->chip, config, where, &kinds, &unplaced);
    if (*status != HS_OK) {
        hs_lab_state_delete(state);
        return NULL;
    }
    if (state->chip.lists != NULL) { /* a task asks that the lists have */
        state->chip.lists->begun = 1;
        hs_lists_of(&state->chip, 1);
    }
    return state;
}

void hs_lab_state_delete(hs_lab_state_t *state)
{
    if (state != NULL) {
        hs_chip_free(&state->chip);
        free(state);
    }
}

/* The first of the regions, by bit, that serves it. */
static bool allocate_in(hs_chip_t *chip, const hs_request_t *request, uint32_t regions,
                        hs_place_t *place)
{
    for (uint32_t i = 0; i < chip->count; i++) {
        if ((regions >> i & 1u) && chip->region[i].heap != NULL &&
            hs_chip_allocate_in(chip, i, request, place)) {
            return true;
        }
    }
    return false;
}

void hs_lab_state_request(hs_lab_state_t *state, const hs_lab_request_t *request,
                          hs_lab_served_t *out)
{
    hs_chip_t *chip = &state->chip;
    if (chip->lists != NULL) { /* where one heap alone is used, nothing lies above it */
        chip->lists->on = request->regions == 0;
    }
    const hs_request_t requested = {
        .size = request->size, .align = request->align, .caps = request->caps};
    hs_place_t place;
    const bool refused = hs_chip_refuse(chip, &requested);
    const bool served = !refused && (request->regions == 0
                                         ? hs_chip_allocate(chip, &requested, &place)
                                         : allocate_in(chip, &requested, request->regions, &place));
    *out = (hs_lab_served_t){.region = UINT32_MAX};
    if (served) {
        out->region = place.region;
        out->address = chip->region[place.region].start + place.offset;
        out->held = place.held;
    }
}

void hs_lab_state_free(hs_lab_state_t *state, const hs_lab_served_t *served)
{
    const hs_place_t place = {.region = served->region,
                              .offset = served->address - state->chip.region[served->region].start,
                              .held = served->held};
    hs_chip_release(&state->chip, &place);
}

size_t hs_lab_state_bytes(const hs_lab_state_t *state, uint32_t region, uint8_t *bytes,
                          size_t capacity)
{
    if (region >= state->chip.count || state->chip.region[region].heap == NULL) {
        return 0;
    }
    const hs_sim_t *const heap = state->chip.region[region].heap;
    if (capacity != 0) {
        memcpy(bytes, heap->mem, capacity < heap->size ? capacity : heap->size);
    }
    return heap->size;
}

static void describe(const hs_chip_region_t *region, hs_lab_state_row_t *row)
{
    *row = (hs_lab_state_row_t){
        .start = region->start, .size = region->size, .has_heap = region->heap != NULL};
    if (region->heap == NULL) {
        return;
    }
    hs_reported_t reported;
    hs_sim_reported(region->heap, &reported);
    row->free = region->heap->tally.free;
    row->used = region->heap->tally.used;
    row->free_blocks = hs_sim_free_blocks(region->heap);
    row->used_blocks = region->heap->tally.used_blocks;
    row->largest_free = hs_sim_largest_free(region->heap);
    row->largest_allocatable = hs_sim_largest_allocatable(region->heap);
    row->around = hs_sim_overhead(region->heap);
    row->reported_less = region->heap->around.poison;
    row->counted_free = hs_sim_counted_free(region->heap);
    row->reported_free = reported.free;
    row->reported_minimum_free = reported.minimum_free;
    row->largest_reported = reported.largest_free;
    row->reported_allocated = reported.allocated;
}

size_t hs_lab_state_regions(hs_lab_state_t *state, hs_lab_state_row_t *rows, size_t capacity)
{
    for (uint32_t i = 0; i < state->chip.count && i < capacity; i++) {
        describe(&state->chip.region[i], &rows[i]);
    }
    return state->chip.count;
}

/* ---- blocks ----------------------------------------------------------------------------------- */

typedef struct listing {
    hs_lab_held_t *rows;
    size_t capacity, count;
    uint32_t start;
    bool holes; /* used blocks are left out */
} listing_t;

static bool list_block(void *context, const hs_walk_block_t *block)
{
    listing_t *listing = context;
    if (listing->holes && block->used) {
        return true;
    }
    if (listing->count < listing->capacity) {
        listing->rows[listing->count] = (hs_lab_held_t){
            .address = listing->start + block->offset, .size = block->size, .used = block->used};
    }
    listing->count++;
    return true;
}

size_t hs_lab_state_blocks(const hs_lab_state_t *state, uint32_t region, uint32_t holes,
                           hs_lab_held_t *rows, size_t capacity)
{
    if (region >= state->chip.count || state->chip.region[region].heap == NULL) {
        return 0;
    }
    const hs_chip_region_t *from = &state->chip.region[region];
    listing_t listing = {
        .rows = rows, .capacity = capacity, .start = from->start, .holes = holes != 0};
    hs_sim_walk(from->heap, list_block, &listing);
    return listing.count;
}
