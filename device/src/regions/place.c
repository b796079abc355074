/* Addresses of both buses, and copies between memories of any kind. */
#include "place.h"

hs_bus_t hs_place_bus(const hs_area_t *area, uint32_t caps)
{
    if ((caps & HS_CAP_EXEC) == 0 || area->memory->alias == 0) {
        return HS_DATA;
    }
    return area->memory->alias_reversed ? HS_REVERSED : HS_ALIAS;
}

void *hs_place_address(const hs_area_t *area, hs_bus_t bus, void *block, size_t size)
{
    if (bus == HS_DATA) {
        return block;
    }
    HS_ASSERT(area->memory->alias != 0 && size % 4 == 0);
    if (bus == HS_ALIAS) {
        return (void *)((uintptr_t)block + area->memory->alias);
    }
    HS_ASSERT(bus == HS_REVERSED && size >= 8);
    const uintptr_t last = (uintptr_t)block + size - 4;
    *(volatile hs_payload_t *)last = (uint32_t)((uintptr_t)block - area->start);
    return (void *)(area->memory->alias - last + 4);
}

/* The data address behind an alias address, as if it were one of this region. */
static uintptr_t data_of(const hs_area_t *area, uintptr_t address)
{
    const hs_memory_t *const memory = area->memory;
    if (!memory->alias_reversed) {
        return address - memory->alias;
    }
    const uintptr_t part = address & 3; /* words are reversed, bytes in them are not */
    return memory->alias - (address - part) + part;
}

uintptr_t hs_place_data(hs_regions_t *set, const void *address, hs_area_t **area)
{
    const uintptr_t given = (uintptr_t)address;
    /* bound: regions */
    for (hs_area_t *at = hs_first_area(set); at != NULL; at = hs_next_area(set, at)) {
        if (hs_is_used(at) && given - at->start < at->size) {
            *area = at;
            return given;
        }
    }
    /* bound: regions */
    for (hs_area_t *at = hs_first_area(set); at != NULL; at = hs_next_area(set, at)) {
        if (hs_is_used(at) && at->memory->alias != 0 && data_of(at, given) - at->start < at->size) {
            *area = at;
            return data_of(at, given);
        }
    }
    *area = NULL;
    return given;
}

/* A block by the address that follows the alias of its last word. */
static void *block_before(const hs_area_t *area, uintptr_t last)
{
    if (last % 4 != 0 || last - area->start >= area->size - 3) {
        return NULL;
    }
    void *const block = (void *)(area->start + *(volatile const hs_payload_t *)last);
    const size_t usable = hs_guard_usable_size(&area->guard, block);
    return usable >= 8 && (uintptr_t)block + (usable & ~(size_t)3) - 4 == last ? block : NULL;
}

hs_place_t hs_place_open(hs_regions_t *set, const void *address, bool sized)
{
    hs_place_t place = {.step = 1};
    const uintptr_t data = hs_place_data(set, address, &place.area);
    if (place.area == NULL) {
        return place;
    }
    hs_lock_area(set, place.area);
    if (data == (uintptr_t)address || !place.area->memory->alias_reversed) {
        place.block = (void *)data;
        place.words = place.block;
        place.size = sized ? hs_guard_usable_size(&place.area->guard, place.block) : 0;
        return place;
    }
    /* The word below the alias address lies above in the data memory. */
    place.block = block_before(place.area, data + 4);
    place.words = (hs_payload_t *)data;
    place.step = -1;
    place.size = place.block != NULL ? data + 4 - (uintptr_t)place.block : 0;
    return place;
}

void hs_place_close(const hs_regions_t *set, const hs_place_t *place)
{
    if (place->area != NULL) {
        hs_unlock_area(set, place->area);
    }
}

void hs_place_copy(const hs_place_t *to, const hs_place_t *from, size_t bytes)
{
    HS_ASSERT(bytes <= to->size && bytes <= from->size);
    const ptrdiff_t words = (ptrdiff_t)(bytes / 4);
    for (ptrdiff_t i = 0; i < words; i++) { /* bound: copied */
        ((volatile hs_payload_t *)to->words)[i * to->step] =
            ((volatile const hs_payload_t *)from->words)[i * from->step];
    }
    const uint32_t rest = bytes % 4;
    if (rest == 0) {
        return;
    }
    /* A block in word-only memory has whole words; any other may end within one. */
    volatile hs_payload_t *const last_to = to->words + words * to->step;
    volatile const hs_payload_t *const last_from = from->words + words * from->step;
    uint32_t word = 0;
    uint8_t *const part = (uint8_t *)&word;
    if (hs_is_words(from->area)) {
        word = *last_from;
    } else {
        for (uint32_t i = 0; i < rest; i++) { /* bound: 3 */
            part[i] = ((volatile const uint8_t *)last_from)[i];
        }
    }
    if (hs_is_words(to->area)) {
        *last_to = word;
    } else {
        for (uint32_t i = 0; i < rest; i++) { /* bound: 3 */
            ((volatile uint8_t *)last_to)[i] = part[i];
        }
    }
}
