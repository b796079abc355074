#include "measure/profile.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_LEAST 256u

void hs_profile_init(hs_profile_t *profile)
{
    memset(profile, 0, sizeof *profile);
    profile->peak.event = HS_LAB_NEVER;
}

void hs_profile_free(hs_profile_t *profile)
{
    free(profile->cells);
    free(profile->slots);
    memset(profile, 0, sizeof *profile);
}

/* ---- the cell of a task and site --------------------------------------------------------------- */

static size_t first_slot(const hs_profile_t *profile, uint32_t task, uint32_t site)
{
    uint64_t key = ((uint64_t)task << 32 | site) ^ profile->seed;
    key = (key ^ key >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    key = (key ^ key >> 27) * UINT64_C(0x94D049BB133111EB);
    return (size_t)(key >> 31) & profile->slot_mask;
}

/* The slot of its cell, or the empty one where it belongs. */
static size_t find_slot(const hs_profile_t *profile, uint32_t task, uint32_t site)
{
    size_t slot = first_slot(profile, task, site);
    while (profile->slots[slot] != 0) {
        const hs_lab_profile_row_t *row = &profile->cells[profile->slots[slot] - 1].row;
        if (row->task == task && row->site == site) {
            break;
        }
        slot = (slot + 1) & profile->slot_mask;
    }
    return slot;
}

static bool grow_slots(hs_profile_t *profile)
{
    const size_t size = profile->slots == NULL ? SLOTS_LEAST : (profile->slot_mask + 1) * 2;
    uint32_t *slots = calloc(size, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    free(profile->slots);
    profile->slots = slots;
    profile->slot_mask = size - 1;
    profile->seed = (uint64_t)(uintptr_t)slots * UINT64_C(0xD6E8FEB86659FD93);
    for (size_t i = 0; i < profile->count; i++) {
        const hs_lab_profile_row_t *row = &profile->cells[i].row;
        slots[find_slot(profile, row->task, row->site)] = (uint32_t)i + 1;
    }
    return true;
}

static bool make_room(hs_profile_t *profile)
{
    if (profile->count == profile->capacity) {
        const size_t grown = profile->capacity * 2 + 64;
        hs_profile_cell_t *moved = realloc(profile->cells, grown * sizeof *moved);
        if (moved == NULL) {
            return false;
        }
        profile->cells = moved;
        profile->capacity = grown;
    }
    return (profile->slots != NULL && profile->count * 2 <= profile->slot_mask) ||
           grow_slots(profile);
}

/* NULL: no host memory. Beyond the maximum all share the last one. */
static hs_profile_cell_t *cell_of(hs_profile_t *profile, uint32_t task, uint32_t site)
{
    if (!make_room(profile)) {
        return NULL;
    }
    size_t slot = find_slot(profile, task, site);
    if (profile->slots[slot] == 0 && profile->count + 1 >= HS_LAB_PROFILE_MAX) {
        task = site = UINT32_MAX;
        slot = find_slot(profile, task, site);
    }
    if (profile->slots[slot] == 0) {
        hs_profile_cell_t *cell = &profile->cells[profile->count++];
        memset(cell, 0, sizeof *cell);
        cell->row.task = task;
        cell->row.site = site;
        profile->slots[slot] = (uint32_t)profile->count;
    }
    return &profile->cells[profile->slots[slot] - 1];
}

/* ---- what events do to it ----------------------------------------------------------------------- */

/* Before a change: what it holds is what it held at the peak, if it has not changed since. */
static void touch(hs_profile_t *profile, hs_profile_cell_t *cell)
{
    if (profile->peaked >= cell->changed) {
        cell->row.at_peak = cell->row.live;
        cell->row.at_peak_blocks = cell->row.live_blocks;
    }
    cell->changed = profile->steps + 1;
}

static bool gain(hs_profile_t *profile, const hs_held_t *block)
{
    hs_profile_cell_t *cell = cell_of(profile, block->task, block->site);
    if (cell == NULL) {
        return false;
    }
    touch(profile, cell);
    hs_lab_profile_row_t *row = &cell->row;
    row->total += block->size;
    row->total_blocks++;
    row->live += block->size;
    row->live_blocks++;
    if (row->live > row->peak || row->total_blocks == 1) {
        row->peak = row->live;
        row->peak_blocks = row->live_blocks;
    }
    profile->live += block->size;
    profile->blocks++;
    return true;
}

static bool lived(hs_profile_t *profile, const hs_held_t *block, uint64_t event, uint64_t time)
{
    hs_profile_cell_t *cell = cell_of(profile, block->task, block->site);
    if (cell == NULL) {
        return false;
    }
    cell->row.life_events += event - block->birth;
    cell->row.life_time += time > block->birth_time ? time - block->birth_time : 0;
    return true;
}

static bool lose(hs_profile_t *profile, const hs_held_t *block, uint64_t event, uint64_t time)
{
    hs_profile_cell_t *cell = cell_of(profile, block->task, block->site);
    if (cell == NULL) {
        return false;
    }
    touch(profile, cell);
    cell->row.live -= block->size;
    cell->row.live_blocks--;
    profile->live -= block->size;
    profile->blocks--;
    return lived(profile, block, event, time);
}

bool hs_profile_step(hs_profile_t *profile, const hs_event_t *event, const hs_step_t *step)
{
    bool ok = true;
    if (step->ended.live) {
        ok = lose(profile, &step->ended, step->number, event->time);
    }
    if (ok && step->dropped.live) {
        ok = lose(profile, &step->dropped, step->number, event->time);
    }
    if (ok && step->begun.live) {
        ok = gain(profile, &step->begun);
    }
    if (ok && step->outcome == HS_LAB_OUTCOME_FAILED) {
        hs_profile_cell_t *cell = cell_of(profile, event->task, event->site);
        ok = cell != NULL;
        if (ok) {
            cell->row.failures++;
        }
    }
    profile->steps++;
    if (profile->live > profile->peak.live) {
        profile->peak.live = profile->live;
        profile->peak.blocks = profile->blocks;
        profile->peak.event = step->number;
        profile->peak.time = event->time;
        profile->peaked = profile->steps;
    }
    return ok;
}

bool hs_profile_end(hs_profile_t *profile, const hs_held_t *held, const hs_blocks_t *blocks,
                    uint64_t event, uint64_t time)
{
    bool ok = true;
    for (size_t i = 0; ok && i < blocks->used; i++) {
        if ((blocks->records[i].flags & HS_BLOCK_LIVE) && held[i].live) {
            ok = lived(profile, &held[i], event, time);
        }
    }
    return ok;
}

size_t hs_profile_rows(const hs_profile_t *profile, hs_lab_profile_row_t *rows, size_t capacity)
{
    for (size_t i = 0; i < profile->count && i < capacity; i++) {
        rows[i] = profile->cells[i].row;
        if (profile->peaked >= profile->cells[i].changed) {
            rows[i].at_peak = rows[i].live;
            rows[i].at_peak_blocks = rows[i].live_blocks;
        }
    }
    return profile->count;
}
