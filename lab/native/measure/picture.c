#include "measure/picture.h"

#include <stdlib.h>
#include <string.h>

#define OWNERS 256u /* codes of `owner` */

/* ---- set-up ------------------------------------------------------------------------------------ */

typedef struct hs_first_walk {
    hs_picture_t *picture;
    uint32_t region;
    bool begun;
} hs_first_walk_t;

static void add_static(hs_picture_t *picture, uint32_t region, uint32_t offset, uint32_t size,
                       uint8_t owner)
{
    if (size != 0 && picture->static_count < HS_PICTURE_STATICS_MAX) {
        const hs_static_part_t part = {region, offset, size, owner};
        picture->statics[picture->static_count++] = part;
    }
}

/* Before the first event: what lies before the first block is the allocator's, a used block is the
 * start-up's. */
static bool note_static(void *context, const hs_walk_block_t *block)
{
    hs_first_walk_t *walk = context;
    if (!walk->begun) {
        add_static(walk->picture, walk->region, 0, block->offset, HS_LAB_OWNER_ALLOCATOR);
        walk->begun = true;
    }
    if (block->used) {
        add_static(walk->picture, walk->region, block->offset, block->size, HS_LAB_OWNER_STARTUP);
    }
    return true;
}

static bool reserve_all(hs_picture_t *picture)
{
    const size_t cells = picture->columns * picture->rows;
    picture->owner = calloc(cells, 1);
    picture->used = calloc(cells, 1);
    picture->size = calloc(cells, 1);
    picture->age = calloc(cells, 1);
    picture->block = calloc(cells, sizeof *picture->block);
    picture->moments = calloc(picture->columns, sizeof *picture->moments);
    picture->tasks = calloc(picture->columns * HS_LAB_PICTURE_TASKS, sizeof *picture->tasks);
    picture->free_bytes = calloc(picture->rows, sizeof *picture->free_bytes);
    picture->most_bytes = calloc(picture->rows, sizeof *picture->most_bytes);
    picture->most_record = calloc(picture->rows, sizeof *picture->most_record);
    picture->owner_bytes = calloc((size_t)picture->rows * OWNERS, sizeof *picture->owner_bytes);
    picture->starts = calloc(picture->rows + HS_LAB_REGIONS_MAX, sizeof *picture->starts);
    return picture->owner != NULL && picture->used != NULL && picture->size != NULL &&
           picture->age != NULL && picture->block != NULL && picture->moments != NULL &&
           picture->tasks != NULL && picture->free_bytes != NULL && picture->most_bytes != NULL &&
           picture->most_record != NULL && picture->owner_bytes != NULL && picture->starts != NULL;
}

static void set_starts(hs_picture_t *picture, uint32_t region, uint32_t size)
{
    const uint32_t first = picture->first[region], rows = picture->first[region + 1] - first;
    for (uint32_t row = 0; row <= rows && rows != 0; row++) {
        picture->starts[first + region + row] = (uint32_t)((uint64_t)size * row / rows);
    }
}

hs_status_t hs_picture_init(hs_picture_t *picture, const hs_chip_t *chip, const uint64_t *events,
                            size_t columns, const uint32_t *rows)
{
    memset(picture, 0, sizeof *picture);
    for (size_t i = 1; i < columns; i++) {
        if (events[i] <= events[i - 1]) {
            return HS_ERR_ARGUMENT;
        }
    }
    for (uint32_t i = 0; i < chip->count; i++) {
        const uint32_t size = chip->region[i].size;
        const uint32_t wanted = chip->region[i].heap != NULL ? rows[i] : 0;
        if (wanted > HS_LAB_PICTURE_ROWS || wanted > size) {
            return HS_ERR_ARGUMENT;
        }
        picture->first[i + 1] = picture->first[i] + wanted;
    }
    picture->rows = picture->first[chip->count];
    picture->columns = columns;
    if (columns == 0 || columns > HS_LAB_PICTURE_COLUMNS || picture->rows == 0 ||
        picture->rows > HS_LAB_PICTURE_ROWS) {
        return HS_ERR_ARGUMENT;
    }
    picture->events = malloc(columns * sizeof *events);
    if (picture->events == NULL || !reserve_all(picture)) {
        return HS_ERR_MEMORY;
    }
    memcpy(picture->events, events, columns * sizeof *events);
    for (uint32_t i = 0; i < chip->count; i++) {
        hs_first_walk_t walk = {picture, i, false};
        set_starts(picture, i, chip->region[i].size);
        if (chip->region[i].heap != NULL) {
            hs_sim_walk(chip->region[i].heap, note_static, &walk);
        }
    }
    return HS_OK;
}

void hs_picture_free(hs_picture_t *picture)
{
    void *const arrays[] = {picture->events,      picture->owner,      picture->used,
                            picture->size,        picture->age,        picture->block,
                            picture->blocks,      picture->moments,    picture->tasks,
                            picture->free_bytes,  picture->most_bytes, picture->most_record,
                            picture->owner_bytes, picture->starts};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        free(arrays[i]);
    }
    memset(picture, 0, sizeof *picture);
}

/* ---- one column -------------------------------------------------------------------------------- */

/* The rows of one region, and where each begins in it. */
typedef struct hs_strip {
    uint32_t first, rows;
    uint64_t pace; /* rows for each byte, of 2^32 */
    const uint32_t *starts;
} hs_strip_t;

static hs_strip_t strip_of(const hs_picture_t *picture, uint32_t region, uint32_t size)
{
    const uint32_t first = picture->first[region], rows = picture->first[region + 1] - first;
    const hs_strip_t strip = {first, rows, size == 0 ? 0 : ((uint64_t)rows << 32) / size,
                              picture->starts + first + region};
    return strip;
}

/* The row that holds an offset: the pace is rounded down, so it may be one of the next. */
static uint32_t row_of(const hs_strip_t *strip, uint32_t offset)
{
    uint32_t row = (uint32_t)(offset * strip->pace >> 32);
    while (row + 1 < strip->rows && strip->starts[row + 1] <= offset) {
        row++;
    }
    return row;
}

/* The part of [offset, offset + size) that lies in a row. */
static uint32_t overlap(const hs_strip_t *strip, uint32_t row, uint32_t offset, uint32_t size)
{
    const uint32_t start = strip->starts[row], end = strip->starts[row + 1];
    const uint32_t from = offset > start ? offset : start;
    const uint32_t to = offset + size < end ? offset + size : end;
    return to > from ? to - from : 0;
}

typedef struct hs_free_walk {
    hs_picture_t *picture;
    hs_strip_t strip;
} hs_free_walk_t;

static bool note_free(void *context, const hs_walk_block_t *block)
{
    hs_free_walk_t *walk = context;
    if (block->used || block->size == 0) {
        return true;
    }
    const uint32_t last = row_of(&walk->strip, block->offset + block->size - 1);
    for (uint32_t row = row_of(&walk->strip, block->offset); row <= last; row++) {
        walk->picture->free_bytes[walk->strip.first + row] +=
            overlap(&walk->strip, row, block->offset, block->size);
    }
    return true;
}

/* `record`: of the block that it is, or UINT32_MAX. */
static void note_used(hs_picture_t *picture, const hs_strip_t *strip, uint32_t offset,
                      uint32_t size, uint8_t owner, uint32_t record)
{
    if (strip->rows == 0 || size == 0) {
        return;
    }
    const uint32_t last = row_of(strip, offset + size - 1);
    for (uint32_t row = row_of(strip, offset); row <= last; row++) {
        const uint32_t bytes = overlap(strip, row, offset, size), at = strip->first + row;
        picture->owner_bytes[(size_t)at * OWNERS + owner] += bytes;
        if (record != UINT32_MAX && bytes > picture->most_bytes[at]) {
            picture->most_bytes[at] = bytes;
            picture->most_record[at] = record;
        }
    }
}

static uint8_t task_owner(uint32_t slot)
{
    return slot < HS_LAB_PICTURE_TASKS ? (uint8_t)(HS_LAB_OWNER_TASK + slot) : HS_LAB_OWNER_OTHERS;
}

static void look_at_heaps(hs_picture_t *picture, const hs_chip_t *chip)
{
    memset(picture->free_bytes, 0, picture->rows * sizeof *picture->free_bytes);
    memset(picture->most_bytes, 0, picture->rows * sizeof *picture->most_bytes);
    memset(picture->owner_bytes, 0, (size_t)picture->rows * OWNERS * sizeof *picture->owner_bytes);
    for (uint32_t i = 0; i < chip->count; i++) {
        const hs_chip_region_t *region = &chip->region[i];
        hs_free_walk_t walk = {picture, strip_of(picture, i, region->size)};
        if (walk.strip.rows != 0) {
            hs_sim_walk_free(region->heap, note_free, &walk);
        }
    }
    for (uint32_t i = 0; i < picture->static_count; i++) {
        const hs_static_part_t *part = &picture->statics[i];
        const hs_strip_t strip = strip_of(picture, part->region, chip->region[part->region].size);
        note_used(picture, &strip, part->offset, part->size, part->owner, UINT32_MAX);
    }
}

static void look_at_blocks(hs_picture_t *picture, const hs_chip_t *chip, const hs_blocks_t *blocks)
{
    hs_strip_t strips[HS_LAB_REGIONS_MAX];
    for (uint32_t i = 0; i < chip->count; i++) {
        strips[i] = strip_of(picture, i, chip->region[i].size);
    }
    for (size_t i = 0; i < blocks->used; i++) {
        const hs_block_t *block = &blocks->records[i];
        if (!(block->flags & HS_BLOCK_LIVE) || (block->flags & HS_BLOCK_NOWHERE)) {
            continue;
        }
        note_used(picture, &strips[block->place.region], block->place.offset, block->requested,
                  task_owner(block->task), (uint32_t)i);
    }
}

/* A number on a scale of eight steps to each doubling, 1 to 255; 0 is nothing. */
static uint8_t scale(uint64_t number)
{
    uint32_t doublings = 0;
    for (uint64_t rest = number; rest > 1; rest >>= 1) {
        doublings++;
    }
    /* The three bits behind the leading one, as if the logarithm were straight between powers. */
    const uint64_t behind = doublings >= 3 ? number >> (doublings - 3) : number << (3 - doublings);
    const uint64_t value = number == 0 ? 0 : 1 + 8 * doublings + (behind & 7u);
    return (uint8_t)(value < 255 ? value : 255);
}

/* The number of a block in the table; it is added when it is first seen. UINT32_MAX: no memory. */
static uint32_t drawn(hs_picture_t *picture, const hs_measure_t *measure, const hs_block_t *block,
                      hs_birth_t *birth)
{
    if (birth->drawn != 0) {
        return birth->drawn - 1;
    }
    if (picture->block_count == picture->block_capacity) {
        const size_t grown = picture->block_capacity * 2 + 1024;
        hs_lab_block_row_t *moved = realloc(picture->blocks, grown * sizeof *moved);
        if (moved == NULL) {
            return UINT32_MAX;
        }
        picture->blocks = moved;
        picture->block_capacity = grown;
    }
    const hs_lab_block_row_t row = {.born = birth->event,
                                    .born_time = birth->time,
                                    .died = HS_LAB_NEVER,
                                    .died_time = HS_LAB_NEVER,
                                    .address = measure->chip->region[block->place.region].start +
                                               block->place.offset,
                                    .size = block->requested,
                                    .held = block->place.held,
                                    .region = block->place.region,
                                    .task = hs_ledger_task(&measure->owners, block->task),
                                    .site = birth->site};
    picture->blocks[picture->block_count++] = row;
    birth->drawn = (uint32_t)picture->block_count;
    return birth->drawn - 1;
}

static uint8_t owner_of(const hs_picture_t *picture, uint32_t row)
{
    const uint32_t *bytes = &picture->owner_bytes[(size_t)row * OWNERS];
    uint32_t most = 0;
    uint8_t owner = HS_LAB_OWNER_ALLOCATOR; /* nothing but headers */
    for (uint32_t i = 0; i < OWNERS; i++) {
        if (bytes[i] > most) {
            most = bytes[i];
            owner = (uint8_t)i;
        }
    }
    return owner;
}

static bool draw_row(hs_picture_t *picture, const hs_measure_t *measure, const hs_blocks_t *blocks,
                     hs_holdings_t *holdings, const hs_strip_t *strip, uint32_t row, uint64_t event)
{
    const uint32_t at = strip->first + row, whole = strip->starts[row + 1] - strip->starts[row];
    const uint32_t used = whole - picture->free_bytes[at];
    const size_t cell = picture->taken * picture->rows + at;
    if (used == 0) {
        return true; /* free: all zero */
    }
    picture->used[cell] = (uint8_t)((255 * (uint64_t)used + whole - 1) / whole);
    if (used < whole && picture->used[cell] == 255) {
        picture->used[cell] = 254;
    }
    picture->owner[cell] = owner_of(picture, at);
    if (picture->most_bytes[at] != 0) {
        const uint32_t record = picture->most_record[at];
        hs_birth_t *birth = &holdings->births[record];
        const uint32_t number = drawn(picture, measure, &blocks->records[record], birth);
        if (number == UINT32_MAX) {
            return false;
        }
        picture->blocks[number].cells++;
        picture->block[cell] = number + 1;
        picture->size[cell] = scale(picture->blocks[number].size);
        picture->age[cell] = scale(event - picture->blocks[number].born + 1);
    }
    return true;
}

static void note_moment(hs_picture_t *picture, const hs_measure_t *measure, uint64_t event,
                        uint64_t time)
{
    hs_lab_set_row_t set;
    hs_measure_capset_row(measure, 0, &set);
    hs_lab_picture_moment_t *moment = &picture->moments[picture->taken];
    moment->event = event;
    moment->time = time;
    moment->live = measure->live.now;
    moment->live_blocks = measure->live_blocks;
    moment->free = set.free;
    moment->largest_free = set.largest_free;
    moment->largest_allocatable = set.largest_allocatable;
    for (uint32_t i = 0; i < measure->chip->count; i++) {
        const hs_sim_t *heap = measure->chip->region[i].heap;
        moment->free_blocks += heap != NULL ? hs_sim_free_blocks(heap) : 0;
    }
    uint32_t *tasks = &picture->tasks[picture->taken * HS_LAB_PICTURE_TASKS];
    for (uint32_t slot = 0; slot < measure->owners.tasks && slot < HS_LAB_PICTURE_TASKS; slot++) {
        tasks[slot] = measure->owners.payload[slot].now;
    }
}

hs_status_t hs_picture_take(hs_picture_t *picture, const hs_measure_t *measure,
                            const hs_blocks_t *blocks, hs_holdings_t *holdings, uint64_t event,
                            uint64_t time)
{
    const hs_chip_t *chip = measure->chip;
    if (!hs_holdings_reserve(holdings, blocks->used)) {
        return HS_ERR_MEMORY;
    }
    look_at_heaps(picture, chip);
    look_at_blocks(picture, chip, blocks);
    for (uint32_t i = 0; i < chip->count; i++) {
        const hs_strip_t strip = strip_of(picture, i, chip->region[i].size);
        for (uint32_t row = 0; row < strip.rows; row++) {
            if (!draw_row(picture, measure, blocks, holdings, &strip, row, event)) {
                return HS_ERR_MEMORY;
            }
        }
    }
    note_moment(picture, measure, event, time);
    picture->taken++;
    return HS_OK;
}

void hs_picture_died(hs_picture_t *picture, const hs_birth_t *birth, uint64_t event, uint64_t time)
{
    if (birth->drawn != 0) {
        picture->blocks[birth->drawn - 1].died = event;
        picture->blocks[birth->drawn - 1].died_time = time;
    }
}
