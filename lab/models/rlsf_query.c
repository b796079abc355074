/* Sizes, reports, the walk and the check of rlsf. */
#include "rlsf.h"

#include "seen.h"

/* ---- questions -------------------------------------------------------------------------------- */

bool hs_rlsf_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const uint32_t wanted = rlsf_searched(align == 0 ? 4 : align, size);
    (void)at;
    if (wanted == 0) {
        return false;
    }
    place_t place = rlsf_ceiling_of(wanted);
    return rlsf_list_from(rlsf_of_const(heap), &place);
}

/* The last list in rlsf_use; false: none. */
static bool last_list(const rlsf_t *rlsf, place_t *place)
{
    if (rlsf->first_bits == 0) {
        return false;
    }
    place->first = hs_bits_highest(rlsf->first_bits);
    place->second = hs_bits_highest(rlsf->second_bits[place->first]);
    return true;
}

/* The bytes that every block of the last list has. */
uint32_t hs_rlsf_largest_allocatable(hs_sim_t *heap)
{
    place_t place;
    if (!last_list(rlsf_of(heap), &place)) {
        return 0;
    }
    const uint32_t power = UINT32_C(1) << (place.first + 4);
    const uint32_t part = place.first == 0 ? 0 : (power >> 5) * place.second;
    return power + part - RLSF_HEADER;
}

/* Bound: visits the blocks of one list. */
uint32_t hs_rlsf_largest_free(const hs_sim_t *heap)
{
    const rlsf_t *rlsf = rlsf_of_const(heap);
    place_t place;
    uint32_t largest = 0;
    if (!last_list(rlsf, &place)) {
        return 0;
    }
    for (uint32_t block = rlsf->heads[place.first][place.second]; block != HS_NONE;
         block = rlsf_link_at(heap, block + RLSF_NEXT_FREE)) {
        const uint32_t size = rlsf_size_of(heap, block) - RLSF_HEADER;
        largest = size > largest ? size : largest;
    }
    return largest;
}

void hs_rlsf_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const rlsf_t *rlsf = rlsf_of_const(heap);
    out->free = heap->tally.free;
    out->minimum_free = heap->tally.minimum_free; /* it knows neither */
    out->largest_free = hs_rlsf_largest_free(heap);
    out->allocated = rlsf_build_of(heap)->reports
                         ? rlsf->last + RLSF_GRANULE - rlsf->start - heap->tally.free
                         : heap->tally.used;
}

/* ---- walk and check --------------------------------------------------------------------------- */

static bool is_block(const rlsf_t *rlsf, uint32_t block)
{
    const uint32_t size = rlsf_size_of(&rlsf->heap, block);
    return size >= RLSF_GRANULE && size <= rlsf->last - block;
}

/* Where the payload of a used block begins. */
static uint32_t payload_at(const hs_sim_t *heap, uint32_t block)
{
    const hs_order_t *aligned = &heap->index->by_place;
    const uint32_t at = hs_order_below(aligned, hs_index_key(block, 0));
    const bool is_aligned = at < aligned->count && hs_order_high(aligned, at) == block;
    return is_aligned ? hs_order_low(aligned, at) : block + RLSF_HEADER;
}

void hs_rlsf_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const rlsf_t *rlsf = rlsf_of_const(heap);
    for (uint32_t block = rlsf->start; block != rlsf->last; block += rlsf_size_of(heap, block)) {
        const bool is_used = !rlsf_is_free(heap, block);
        if (!is_block(rlsf, block)) {
            return;
        }
        const uint32_t payload = is_used ? payload_at(heap, block) : block + RLSF_HEADER;
        const hs_walk_block_t seen = {payload, rlsf_usable(heap, block, payload), is_used};
        if (!visit(context, &seen)) {
            return;
        }
    }
}

/* Its neighbours know each other, and a free one its list. */
static bool is_sound(const rlsf_t *rlsf, uint32_t block, uint32_t previous)
{
    const hs_sim_t *heap = &rlsf->heap;
    const uint32_t word = hs_region_get(heap, block);
    if (!is_block(rlsf, block) || (word & (RLSF_GRANULE - 1) & ~RLSF_USED) != 0 ||
        rlsf_link_at(heap, block + RLSF_PREVIOUS) != previous) {
        return false;
    }
    if ((word & RLSF_USED) != 0) {
        const uint32_t payload = payload_at(heap, block);
        return payload == block + RLSF_HEADER || (payload < block + rlsf_size_of(heap, block) &&
                                                  rlsf_link_at(heap, payload - 4) == block);
    }
    const place_t place = rlsf_floor_of(rlsf_size_of(heap, block));
    const uint32_t next = rlsf_link_at(heap, block + RLSF_NEXT_FREE);
    const uint32_t before = rlsf_link_at(heap, block + RLSF_PREVIOUS_FREE);
    const bool next_is_sound =
        next == HS_NONE || (next % 4 == rlsf->start % 4 && next < rlsf->last &&
                            rlsf_link_at(heap, next + RLSF_PREVIOUS_FREE) == block);
    const bool is_led_to = before == HS_NONE
                               ? rlsf->heads[place.first][place.second] == block
                               : before % 4 == rlsf->start % 4 && before < rlsf->last &&
                                     rlsf_link_at(heap, before + RLSF_NEXT_FREE) == block;
    return next_is_sound && is_led_to && (previous == HS_NONE || !rlsf_is_free(heap, previous));
}

hs_status_t hs_rlsf_check(const hs_sim_t *heap, uint32_t *where)
{
    const rlsf_t *rlsf = rlsf_of_const(heap);
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    uint32_t previous = HS_NONE;
    uint32_t block = rlsf->start;
    while (block != rlsf->last) {
        if (!is_sound(rlsf, block, previous)) {
            return hs_seen_fault(block, where);
        }
        const bool used = !rlsf_is_free(heap, block);
        const uint32_t payload = used ? payload_at(heap, block) : block + RLSF_HEADER;
        hs_seen_add(&seen, rlsf_usable(heap, block, payload), used);
        previous = block;
        block += rlsf_size_of(heap, block);
    }
    if (hs_region_get(heap, block) != (RLSF_GRANULE | RLSF_USED | RLSF_LAST) ||
        rlsf_link_at(heap, block + RLSF_PREVIOUS) != previous) {
        return hs_seen_fault(block, where);
    }
    return hs_seen_agrees(&heap->tally, &seen) ? HS_OK : hs_seen_fault(rlsf->start, where);
}
