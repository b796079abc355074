/* The table of a picture's blocks, once the trace is over. */
#include <stdlib.h>

#include "measure/picture.h"

typedef struct hs_rank {
    uint32_t cells, number;
} hs_rank_t;

static int by_cells(const void *left, const void *right)
{
    const hs_rank_t *a = left, *b = right;
    if (a->cells != b->cells) {
        return a->cells > b->cells ? -1 : 1;
    }
    return (a->number > b->number) - (a->number < b->number);
}

static int by_number(const void *left, const void *right)
{
    const hs_rank_t *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

hs_status_t hs_picture_finish(hs_picture_t *picture)
{
    const size_t count = picture->block_count;
    if (count <= HS_LAB_PICTURE_BLOCKS) {
        return HS_OK;
    }
    hs_rank_t *ranks = malloc(count * sizeof *ranks);
    uint32_t *kept = calloc(count + 1, sizeof *kept); /* old number plus 1 -> new number plus 1 */
    if (ranks == NULL || kept == NULL) {
        free(ranks);
        free(kept);
        return HS_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        ranks[i] = (hs_rank_t){picture->blocks[i].cells, (uint32_t)i};
    }
    qsort(ranks, count, sizeof *ranks, by_cells);
    qsort(ranks, HS_LAB_PICTURE_BLOCKS, sizeof *ranks, by_number);
    for (uint32_t i = 0; i < HS_LAB_PICTURE_BLOCKS; i++) {
        kept[ranks[i].number + 1] = i + 1;
        picture->blocks[i] = picture->blocks[ranks[i].number];
    }
    for (size_t cell = 0; cell < picture->columns * picture->rows; cell++) {
        picture->block[cell] = kept[picture->block[cell]];
    }
    picture->block_count = HS_LAB_PICTURE_BLOCKS;
    free(ranks);
    free(kept);
    return HS_OK;
}
