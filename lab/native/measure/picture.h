/*
 * The heap as a picture of address x time: at each of a list of moments, what lies in every row of
 * every region. Cells are exact for the moments they show; between them they show nothing. The blocks
 * in the picture are kept in a table, those that cover most cells.
 */
#ifndef HEAPSCOPE_NATIVE_PICTURE_H
#define HEAPSCOPE_NATIVE_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"
#include "measure/holdings.h"
#include "measure/measure.h"
#include "rows/picture.h"

#define HS_PICTURE_STATICS_MAX (2u * HS_LAB_REGIONS_MAX)

/* A part of a region that was in use before the first event: the allocator's own, or a start-up
 * block. */
typedef struct hs_static_part {
    uint32_t region, offset, size;
    uint8_t owner;
} hs_static_part_t;

typedef struct hs_picture {
    uint64_t *events; /* ascending; the moments are after them */
    size_t columns;
    size_t taken;
    uint32_t first[HS_LAB_REGIONS_MAX + 1]; /* row at which a region begins */
    uint32_t rows;
    hs_static_part_t statics[HS_PICTURE_STATICS_MAX];
    uint32_t static_count;
    /* columns x rows, column by column */
    uint8_t *owner, *used, *size, *age;
    uint32_t *block; /* index in `blocks` plus 1; 0: none, or not kept */
    hs_lab_block_row_t *blocks;
    size_t block_count, block_capacity;
    hs_lab_picture_moment_t *moments;
    uint32_t *tasks; /* columns x HS_LAB_PICTURE_TASKS payload bytes */
    /* of the column under way, by row */
    uint32_t *free_bytes, *most_bytes, *most_record, *owner_bytes;
    uint32_t
        *starts; /* where each row begins in its region, and behind its rows the region's size */
} hs_picture_t;

/* `rows`: how many for each region, 0 for one without heap. HS_ERR_ARGUMENT: events not ascending,
 * no row or column, or more than lab.h allows. */
hs_status_t hs_picture_init(hs_picture_t *picture, const hs_chip_t *chip, const uint64_t *events,
                            size_t columns, const uint32_t *rows);
void hs_picture_free(hs_picture_t *picture);
static inline bool hs_picture_due(const hs_picture_t *picture, uint64_t event)
{
    return picture->taken < picture->columns && picture->events[picture->taken] == event;
}
/* The next column, after its event. HS_ERR_MEMORY: no host memory for the table. */
hs_status_t hs_picture_take(hs_picture_t *picture, const hs_measure_t *measure,
                            const hs_blocks_t *blocks, hs_holdings_t *holdings, uint64_t event,
                            uint64_t time);
/* A drawn block ends. */
void hs_picture_died(hs_picture_t *picture, const hs_birth_t *birth, uint64_t event, uint64_t time);
/* The trace is over: keeps the HS_LAB_PICTURE_BLOCKS blocks that cover most cells. */
hs_status_t hs_picture_finish(hs_picture_t *picture);

#endif
