/* The block that a malloc would take, for any form: the heap's own search (../heap/bins.h) again, with
 * every link checked before it is followed. */
#include "search.h"

#if HS_GUARD

#define LOOK_ALIGNED 16u /* blocks, as the heap's search for an aligned one */

/* The first bin from `bin` on that is not empty, or 0. */
static uint32_t bin_from(const hs_heap_t *heap, uint32_t bin)
{
    const uint32_t words = hs_map_words(heap);
    uint32_t at = bin / HS_WORD_BITS;
    uint32_t match = at < words ? heap->words[at] & UINT32_MAX << bin % HS_WORD_BITS : 0;
    while (match == 0 && ++at < words) { /* bound: map - 1 */
        match = heap->words[at];
    }
    return match != 0 ? at * HS_WORD_BITS + hs_word_lowest(match) : 0;
}

/* The smallest that holds `granules` among up to *look blocks of a bin; 0: none. HS_UNSOUND: a block of
 * those, or the bin. */
static uint32_t best_of(const hs_heap_t *heap, uint32_t bin, uint32_t granules, uint32_t *look)
{
    const uint32_t head = hs_has_bin(heap, bin) ? hs_bin_head(heap, bin) : HS_UNSOUND;
    uint32_t best = 0;
    uint32_t best_size = UINT32_MAX;
    uint32_t left = *look;
    for (uint32_t block = head; block != 0 && left != 0;) { /* bound: HS_LOOK_LAST */
        if (!hs_is_of_bin(heap, block, bin)) {
            return HS_UNSOUND;
        }
        const uint32_t size = hs_at(heap, block)[HS_SIZE];
        if (size >= granules && size < best_size) {
            best = block;
            best_size = size;
        }
        left--;
        block = hs_at(heap, block)[HS_NEXT];
        if (size == granules || block == head) {
            break;
        }
    }
    *look = left;
    return best;
}

/* Where blocks have to be compared. */
static HS_RARE uint32_t search(const hs_heap_t *heap, uint32_t granules, uint32_t *bin)
{
    uint32_t look = HS_LOOK;
    /* The heap may compare them all, even where one has just this size. */
    if (granules <= HS_BIN_EXACT) {
        return best_of(heap, *bin, 0, &look);
    }
    *bin = hs_bin_of(granules, hs_is_wide(heap));
    const uint32_t block = best_of(heap, *bin, granules, &look);
    if (block != 0) {
        return block;
    }
    const uint32_t above = bin_from(heap, *bin + 1);
    look = above == 0 ? HS_LOOK_LAST : look == HS_LOOK ? look : 1;
    *bin = above != 0 ? above : *bin;
    return best_of(heap, *bin, granules, &look);
}

uint32_t hs_guard_candidate(const hs_heap_t *heap, uint32_t granules)
{
    if (2 * granules > heap->free) {
        return 0;
    }
    uint32_t block = 0;
    uint32_t bin = 0;
    if (granules <= HS_BIN_EXACT) { /* each block of the bin will do */
        bin = bin_from(heap, granules);
        if (bin == 0) {
            return 0;
        }
        block = hs_has_bin(heap, bin) ? hs_bin_first(heap, bin) : HS_UNSOUND;
        if (!hs_is_of_bin(heap, block, bin)) {
            return HS_UNSOUND;
        }
        if (bin >= HS_BIN_EXACT && hs_at(heap, block)[HS_NEXT] != block) {
            block = 0; /* which one is the smallest? */
        }
    }
    if (block == 0) {
        block = search(heap, granules, &bin);
        if (block == 0 || block == HS_UNSOUND) {
            return block;
        }
    }
    /* A rest that stays in the bin takes the block's place there. */
    const uint32_t size = hs_at(heap, block)[HS_SIZE];
    const uint32_t left = size - granules;
    return left < HS_BLOCK_MIN || hs_is_in_bin(bin, left) ||
                   hs_guard_can_insert(heap, hs_bin_of(left, hs_is_wide(heap)), 0, 0)
               ? block
               : HS_UNSOUND;
}

bool hs_guard_can_insert(const hs_heap_t *heap, uint32_t bin, uint32_t one, uint32_t other)
{
    uint32_t head = hs_bin_head(heap, bin);
    /* bound: 2 */
    for (uint32_t i = 0; i < 2 && head != 0 && (head == one || head == other); i++) {
        head = hs_at(heap, head)[HS_NEXT];
    }
    return head == 0 || hs_is_of_bin(heap, head, bin);
}

/* Are the first *look blocks of a bin what they seem to be? Counts *look down. */
static bool are_sound(const hs_heap_t *heap, uint32_t bin, uint32_t *look)
{
    const uint32_t head = hs_has_bin(heap, bin) ? hs_bin_head(heap, bin) : HS_UNSOUND;
    uint32_t block = head;
    do { /* bound: 2 each, LOOK_ALIGNED more in all */
        if (!hs_is_of_bin(heap, block, bin)) {
            return false;
        }
        block = hs_at(heap, block)[HS_NEXT];
    } while (--*look != 0 && block != head);
    return true;
}

/* The rests before and behind an aligned block may go to any bin. So the first block of every bin is
 * looked at and, since that one may be taken, the one behind it. */
bool hs_guard_can_align(const hs_heap_t *heap, uint32_t granules, uint32_t alignment)
{
    if (2 * granules > heap->free) {
        return true;
    }
    uint32_t left = LOOK_ALIGNED;
    /* bound: map * HS_WORD_BITS */
    for (uint32_t bin = bin_from(heap, HS_BLOCK_MIN); bin != 0; bin = bin_from(heap, bin + 1)) {
        const bool searched = bin >= hs_bin_of(granules, hs_is_wide(heap));
        const uint32_t most = searched && left > 2 ? left : 2;
        uint32_t look = most;
        if (!are_sound(heap, bin, &look)) {
            return false;
        }
        if (searched) {
            left -= most - look < left ? most - look : left;
        }
    }
    const uint32_t enough = granules + (alignment >> HS_GRANULE_SHIFT) + 1;
    return hs_guard_candidate(heap, enough + (enough & heap->shape & HS_UNIT)) != HS_UNSOUND;
}

#endif
