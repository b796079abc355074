#include "id_map.h"

#include <stdlib.h>

#define SLOTS_FIRST ((size_t)1 << 12)
#define NOWHERE UINT64_MAX

static size_t home_of(const hs_id_map_t *map, uint64_t id)
{
    uint64_t hash = (id ^ map->salt) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 32;
    hash *= UINT64_C(0xD6E8FEB86659FD93);
    return (size_t)(hash >> 32) & map->mask;
}

/* The slot of the id, or the free one where it would be. Bound: a quarter of the slots is free. */
static hs_id_slot_t *slot_of(const hs_id_map_t *map, uint64_t id)
{
    size_t at = home_of(map, id);
    while (map->slots[at].place != NOWHERE && map->slots[at].id != id) {
        at = (at + 1) & map->mask;
    }
    return &map->slots[at];
}

static hs_status_t slots_make(hs_id_map_t *map, size_t count)
{
    if (count > SIZE_MAX / sizeof *map->slots) {
        return HS_ERR_MEMORY;
    }
    hs_id_slot_t *slots = malloc(count * sizeof *slots);
    if (slots == NULL) {
        return HS_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        slots[i].place = NOWHERE;
    }
    map->slots = slots;
    map->mask = count - 1;
    return HS_OK;
}

static hs_status_t grow(hs_id_map_t *map)
{
    hs_id_slot_t *old = map->slots;
    const size_t count = map->mask + 1;
    if (slots_make(map, count * 2) != HS_OK) {
        return HS_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        if (old[i].place != NOWHERE) {
            *slot_of(map, old[i].id) = old[i];
        }
    }
    free(old);
    return HS_OK;
}

/* Empties a slot and moves up those behind it that were pushed past it (Knuth, volume 3, 6.4,
 * algorithm R). Bound: as slot_of. */
static void slot_remove(hs_id_map_t *map, hs_id_slot_t *slot)
{
    size_t gap = (size_t)(slot - map->slots);
    size_t at = gap;
    for (;;) {
        at = (at + 1) & map->mask;
        if (map->slots[at].place == NOWHERE) {
            break;
        }
        const size_t wished = (at - home_of(map, map->slots[at].id)) & map->mask;
        if (wished >= ((at - gap) & map->mask)) {
            map->slots[gap] = map->slots[at];
            gap = at;
        }
    }
    map->slots[gap].place = NOWHERE;
    map->count--;
}

hs_status_t hs_id_map_init(hs_id_map_t *map)
{
    *map = (hs_id_map_t){0};
    if (slots_make(map, SLOTS_FIRST) != HS_OK) {
        return HS_ERR_MEMORY;
    }
    map->salt = (uint64_t)(uintptr_t)map->slots * UINT64_C(0xA24BAED4963EE407);
    return HS_OK;
}

void hs_id_map_clear(hs_id_map_t *map)
{
    free(map->slots);
    map->slots = NULL;
}

static void turn_take(hs_id_map_t *map, uint64_t id)
{
    if (map->turns == 0 && !map->scattered) {
        map->first = id;
    }
    if (!map->scattered && id == map->first + map->turns) {
        map->turns++;
    } else {
        map->scattered = true;
    }
}

hs_status_t hs_id_map_take(hs_id_map_t *map, uint64_t id, uint64_t place, bool *reused)
{
    if (map->count >= map->mask / 4 * 3 && grow(map) != HS_OK) {
        return HS_ERR_MEMORY;
    }
    turn_take(map, id);
    hs_id_slot_t *slot = slot_of(map, id);
    *reused = slot->place != NOWHERE && (slot->place & 1u) != 0;
    map->count += slot->place == NOWHERE ? 1u : 0u;
    *slot = (hs_id_slot_t){id, place << 1 | 1u};
    return HS_OK;
}

static uint64_t place_of(const hs_id_map_t *map, const hs_id_slot_t *slot, uint64_t id)
{
    if (slot->place != NOWHERE) {
        return slot->place >> 1;
    }
    return id - map->first < map->turns ? id - map->first : UINT64_MAX;
}

uint64_t hs_id_map_find(const hs_id_map_t *map, uint64_t id)
{
    return place_of(map, slot_of(map, id), id);
}

uint64_t hs_id_map_release(hs_id_map_t *map, uint64_t id)
{
    hs_id_slot_t *slot = slot_of(map, id);
    const uint64_t place = place_of(map, slot, id);
    if (slot->place == NOWHERE) {
        return place;
    }
    if (map->scattered) {
        slot->place &= ~UINT64_C(1);
    } else {
        slot_remove(map, slot);
    }
    return place;
}
