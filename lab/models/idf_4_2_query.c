/* Questions to a heap of ESP-IDF v4.2 and its integrity check. */
#include "free_index.h"
#include "idf_4_2.h"

/* ---- largest and fits ------------------------------------------------------------------------- */

/* Bound: the list ascends, and holds no more blocks than there are free ones. */
static uint32_t largest_by_walk(const hs_list_heap_t *list)
{
    if (list->heap.index != NULL) {
        return hs_order_highest(&list->heap.index->by_size);
    }
    uint32_t largest = 0;
    uint32_t block = list_next_free(list, list->dummy);
    while (block != list->last) {
        uint32_t size = list_size(list, block);
        largest = size > largest ? size : largest;
        block = list_next_free(list, block);
    }
    return largest;
}

uint32_t hs_list_largest_free(const hs_sim_t *heap)
{
    const hs_list_heap_t *list = list_of_const(heap);
    return list->largest_is_exact ? list->largest : largest_by_walk(list);
}

/* Best fit takes any free block that is large enough, and sizes are multiples of 4. */
uint32_t hs_list_largest_allocatable(hs_sim_t *heap)
{
    hs_list_heap_t *list = list_of(heap);
    if (!list->largest_is_exact) {
        list->largest = largest_by_walk(list);
        list->largest_is_exact = true;
    }
    return list->largest;
}

uint32_t hs_list_aligned_request(uint32_t align, uint32_t size)
{
    uint32_t extra = 4 + align - 1;
    return size > UINT32_MAX - extra ? 0 : size + extra;
}

bool hs_list_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const hs_list_heap_t *list = list_of_const(heap);
    (void)at;
    uint32_t request = hs_bits_up4(align == 0 ? size : hs_list_aligned_request(align, size));
    if (request == 0 || request > list->largest) {
        return false;
    }
    return list->largest_is_exact || request <= largest_by_walk(list);
}

/* ---- reports and walk ------------------------------------------------------------------------- */

void hs_list_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    out->free = heap->tally.free;
    out->minimum_free = hs_region_get(heap, list_of_const(heap)->start + LIST_MINIMUM_AT);
    out->largest_free = hs_list_largest_free(heap);
    out->allocated = heap->tally.used;
}

/* Is this a possible end of the block? Links ascend by a block's smallest size, on whole words. */
static bool is_next(const hs_list_heap_t *list, uint32_t block, uint32_t next)
{
    return next > block && next - block >= LIST_BLOCK_MIN && next <= list->last &&
           (next - list->start) % 4 == 0;
}

/* Ends early where a header leads out of the heap, so that damaged memory can be walked too. */
void hs_list_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const hs_list_heap_t *list = list_of_const(heap);
    uint32_t block = list->start + LIST_CONTROL;
    while (block != list->last) {
        uint32_t next = list_next(list, block);
        if (!is_next(list, block, next)) {
            return;
        }
        hs_walk_block_t seen = {block + LIST_OVERHEAD, next - block - LIST_OVERHEAD,
                                !list_is_free(list, block)};
        if (!visit(context, &seen)) {
            return;
        }
        block = next;
    }
}

/* ---- check ------------------------------------------------------------------------------------ */

typedef struct progress {
    hs_tally_t seen;
    uint32_t link;    /* where the free list's next link stands */
    uint32_t largest; /* free size */
    bool after_free;
} progress_t;

static hs_status_t fault(uint32_t at, uint32_t *where)
{
    *where = at;
    return HS_ERR_CORRUPT;
}

static hs_status_t check_ends(const hs_list_heap_t *list, uint32_t *where)
{
    const hs_sim_t *heap = &list->heap;
    const uint32_t expected[][2] = {
        {list->start + LIST_FREE_AT, heap->tally.free},
        {list->start + LIST_MINIMUM_AT, heap->tally.minimum_free},
        {list->start + LIST_LAST_AT, list->last + heap->base},
        {list->dummy, (list->start + LIST_CONTROL + heap->base) | LIST_IS_FREE},
        {list->last, LIST_IS_FREE},
        {list->last + LIST_NEXT_FREE, 0},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        if (hs_region_get(heap, expected[i][0]) != expected[i][1]) {
            return fault(expected[i][0], where);
        }
    }
    return HS_OK;
}

/* No index, or it has the block, as the free one with that number. */
static bool index_agrees(const hs_list_heap_t *list, uint32_t number, uint32_t block, uint32_t size)
{
    const hs_index_t *index = list->heap.index;
    return index == NULL || (number < index->by_place.count &&
                             index->by_place.keys[number] == hs_index_key(block, size) &&
                             hs_order_has(&index->by_size, hs_index_key(size, block)));
}

/* The index has no more blocks than there are. */
static bool index_ends(const hs_list_heap_t *list)
{
    const hs_index_t *index = list->heap.index;
    const uint32_t count = list->heap.tally.free_blocks;
    return index == NULL || (index->by_place.count == count && index->by_size.count == count);
}

/* A free block must be the next of the free list, and never follows another free one. */
static hs_status_t check_free_block(const hs_list_heap_t *list, uint32_t block,
                                    progress_t *progress, uint32_t *where)
{
    if (progress->after_free) {
        return fault(block, where);
    }
    if (hs_region_get_link(&list->heap, progress->link) != block) {
        return fault(progress->link, where);
    }
    if (!index_agrees(list, progress->seen.free_blocks, block, list_size(list, block))) {
        return fault(block, where);
    }
    progress->link = block + LIST_NEXT_FREE;
    return HS_OK;
}

static void count_block(progress_t *progress, uint32_t size, bool is_free)
{
    if (is_free) {
        progress->seen.free += size;
        progress->seen.free_blocks++;
        progress->largest = size > progress->largest ? size : progress->largest;
    } else {
        progress->seen.used += size;
        progress->seen.used_blocks++;
    }
    progress->after_free = is_free;
}

/* Bound: each step goes up by at least 8 bytes. */
static hs_status_t check_blocks(const hs_list_heap_t *list, progress_t *progress, uint32_t *where)
{
    uint32_t block = list->start + LIST_CONTROL;
    while (block != list->last) {
        uint32_t header = hs_region_get(&list->heap, block);
        uint32_t next = list_next(list, block);
        bool is_free = (header & LIST_IS_FREE) != 0;
        if (!is_next(list, block, next) || (header & 2) != 0) {
            return fault(block, where);
        }
        if (is_free) {
            hs_status_t status = check_free_block(list, block, progress, where);
            if (status != HS_OK) {
                return status;
            }
        }
        count_block(progress, next - block - LIST_OVERHEAD, is_free);
        block = next;
    }
    bool complete = hs_region_get_link(&list->heap, progress->link) == list->last;
    return complete ? HS_OK : fault(progress->link, where);
}

static bool counts_agree(const hs_list_heap_t *list, const progress_t *progress)
{
    const hs_tally_t *tally = &list->heap.tally;
    const hs_tally_t *seen = &progress->seen;
    bool largest_agrees = list->largest_is_exact ? progress->largest == list->largest
                                                 : progress->largest <= list->largest;
    return tally->used == seen->used && tally->free == seen->free &&
           tally->used_blocks == seen->used_blocks && tally->free_blocks == seen->free_blocks &&
           tally->minimum_free <= tally->free && largest_agrees && index_ends(list);
}

hs_status_t hs_list_check(const hs_sim_t *heap, uint32_t *where)
{
    const hs_list_heap_t *list = list_of_const(heap);
    progress_t progress = {{0, 0, 0, 0, 0, 0, 0}, list->dummy + LIST_NEXT_FREE, 0, false};
    hs_status_t status = check_ends(list, where);
    if (status == HS_OK) {
        status = check_blocks(list, &progress, where);
    }
    if (status == HS_OK && !counts_agree(list, &progress)) {
        return fault(list->start, where);
    }
    return status;
}
