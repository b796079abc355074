/*
 * Rows by task. A task's handle leads to two buckets of four row numbers each, and a new row goes into
 * the emptier one: with three places for each row, both are never full in practice; if they are, the
 * task counts among the others. So every call looks at eight bytes at most, and there
 * is nothing to rebuild when rows come and go.
 */
#include "heapscope/owners.h"

#if HS_OWNERS

#include "heapscope/assert.h"
#include "heapscope/guard.h"

#define BUCKET 4u /* row numbers */
#define NO_ROW 0u /* in a bucket; and the end of the list of free rows */
#define PLACES 3u /* in the index for each row, at least */

struct hs_owners {
    uint8_t rows;
    uint8_t free_row; /* the first; each has the number of the next in name[0] */
    uint16_t buckets; /* a power of two */
    hs_owner_t owner[];
};

/* ---- the table ---------------------------------------------------------------------------------- */

static uint32_t buckets_for(uint32_t rows)
{
    uint32_t buckets = 1;
    while (buckets * BUCKET < PLACES * rows) {
        buckets *= 2;
    }
    return buckets;
}

static uint8_t *index_of(const hs_owners_t *owners)
{
    return (uint8_t *)(owners->owner + owners->rows);
}

static hs_owner_t *row_at(const hs_owners_t *owners, uint32_t row)
{
    HS_ASSERT(row != NO_ROW && row <= owners->rows);
    return (hs_owner_t *)owners->owner + (row - 1);
}

/* Handles are addresses, whose low bits say little. */
static uint32_t mixed(const void *task)
{
    uint32_t value = (uint32_t)(uintptr_t)task ^ (uint32_t)((uint64_t)(uintptr_t)task >> 32);
    value = (value ^ value >> 16) * UINT32_C(0x7FEB352D);
    value = (value ^ value >> 15) * UINT32_C(0x846CA68B);
    return value ^ value >> 16;
}

/* Two different ones, where there are two. */
static uint8_t *bucket_of(const hs_owners_t *owners, const void *task, uint32_t which)
{
    HS_ASSERT((owners->buckets & (owners->buckets - 1u)) == 0);
    uint32_t hash = mixed(task);
    hash ^= which != 0 ? hash >> 16 | 1u : 0;
    return index_of(owners) + BUCKET * (hash & (owners->buckets - 1u));
}

/* Where the index has the row of a task; NULL: it has none. */
static uint8_t *place_of(const hs_owners_t *owners, const void *task)
{
    for (uint32_t which = 0; which < 2; which++) { /* bound: 2 */
        uint8_t *const bucket = bucket_of(owners, task, which);
        for (uint32_t i = 0; i < BUCKET; i++) { /* bound: BUCKET */
            if (bucket[i] != NO_ROW && row_at(owners, bucket[i])->task == task) {
                return bucket + i;
            }
        }
    }
    return NULL;
}

/* Room in the emptier bucket of a task; NULL: both are full. */
static uint8_t *room_for(const hs_owners_t *owners, const void *task)
{
    uint8_t *room = NULL;
    uint32_t least = BUCKET;
    for (uint32_t which = 0; which < 2; which++) { /* bound: 2 */
        uint8_t *const bucket = bucket_of(owners, task, which);
        uint32_t used = 0;
        uint8_t *empty = NULL;
        for (uint32_t i = 0; i < BUCKET; i++) { /* bound: BUCKET */
            if (bucket[i] == NO_ROW) {
                empty = bucket + i;
            } else {
                used++;
            }
        }
        if (used < least) {
            least = used;
            room = empty;
        }
    }
    return room;
}

/* May compile to memset, which a freestanding compiler must provide. */
static void clear_row(hs_owner_t *owner)
{
    *owner = (hs_owner_t){.task = NULL};
}

static void give_row(hs_owners_t *owners, uint32_t row)
{
    HS_ASSERT(row != owners->rows); /* the row of the others stays */
    hs_owner_t *const owner = row_at(owners, row);
    clear_row(owner);
    owner->name[0] = (char)owners->free_row;
    owners->free_row = (uint8_t)row;
}

static bool holds_nothing(const hs_owner_t *owner)
{
    uint32_t blocks = 0;
    for (uint32_t kind = 0; kind < HS_KINDS_MAX; kind++) { /* bound: HS_KINDS_MAX */
        blocks |= owner->holding[kind].blocks;
    }
    return blocks == 0;
}

static void write_name(hs_owner_t *owner, const char *name)
{
    uint32_t i = 0;
    for (; name != NULL && name[i] != 0 && i < HS_OWNER_NAME - 1; i++) {
        owner->name[i] = name[i];
    }
    for (; i < HS_OWNER_NAME; i++) {
        owner->name[i] = 0;
    }
}

/* Returns the task's entry, adding one if needed; the shared "others" entry when the table is full. */
static uint32_t take_row(hs_owners_t *owners, void *task)
{
    const uint32_t row = owners->free_row;
    uint8_t *const room = row != NO_ROW ? room_for(owners, task) : NULL;
    if (room == NULL) {
        return owners->rows;
    }
    HS_ASSERT(*room == NO_ROW);
    hs_owner_t *const owner = row_at(owners, row);
    owners->free_row = (uint8_t)owner->name[0];
    clear_row(owner);
    owner->task = task;
    *room = (uint8_t)row;
    return row;
}

/* ---- life --------------------------------------------------------------------------------------- */

size_t hs_owners_control(uint32_t rows)
{
    if (rows == 0 || rows > HS_OWNER_MAX) {
        return 0;
    }
    return sizeof(hs_owners_t) + rows * sizeof(hs_owner_t) + BUCKET * buckets_for(rows);
}

hs_owners_t *hs_owners_create(void *memory, size_t size, uint32_t rows)
{
    const size_t unit = sizeof(void *);
    const size_t skew = (unit - (uintptr_t)memory % unit) % unit;
    if (memory == NULL || rows == 0 || rows > HS_OWNER_MAX || size < skew ||
        size - skew < hs_owners_control(rows)) {
        return NULL;
    }
    hs_owners_t *const owners = (hs_owners_t *)((uintptr_t)memory + skew);
    owners->rows = (uint8_t)rows;
    owners->free_row = NO_ROW;
    owners->buckets = (uint16_t)buckets_for(rows);
    for (uint32_t i = 0; i < BUCKET * owners->buckets; i++) {
        index_of(owners)[i] = NO_ROW;
    }
    clear_row(row_at(owners, rows));
    write_name(row_at(owners, rows), "others");
    for (uint32_t row = rows - 1; row != 0; row--) { /* the first comes first */
        give_row(owners, row);
    }
    return owners;
}

/* ---- tasks -------------------------------------------------------------------------------------- */

uint32_t hs_owners_row(hs_owners_t *owners, void *task)
{
    if (task == NULL) {
        return owners->rows;
    }
    const uint8_t *const place = place_of(owners, task);
    return place != NULL ? *place : take_row(owners, task);
}

uint32_t hs_owners_begin(hs_owners_t *owners, void *task, const char *name)
{
    if (task == NULL) {
        return owners->rows;
    }
    hs_owners_end(owners, task); /* whoever had the handle before */
    const uint32_t row = take_row(owners, task);
    if (row != owners->rows) {
        write_name(row_at(owners, row), name);
    }
    return row;
}

void hs_owners_end(hs_owners_t *owners, void *task)
{
    uint8_t *const place = task != NULL ? place_of(owners, task) : NULL;
    if (place == NULL) {
        return;
    }
    const uint32_t row = *place;
    *place = NO_ROW;
    if (holds_nothing(row_at(owners, row))) {
        give_row(owners, row);
    } else {
        row_at(owners, row)->ended = true;
    }
}

/* ---- blocks ------------------------------------------------------------------------------------- */

static hs_holding_t *holding_of(hs_owners_t *owners, uint32_t row, uint32_t kind)
{
    if (row - 1 >= owners->rows || kind >= HS_KINDS_MAX) {
        return NULL;
    }
    hs_owner_t *const owner = row_at(owners, row);
    return owner->task != NULL || row == owners->rows ? owner->holding + kind : NULL;
}

static void note_peaks(hs_holding_t *holding)
{
    if (holding->bytes > holding->peak_bytes) {
        holding->peak_bytes = holding->bytes;
    }
    if (holding->blocks > holding->peak_blocks) {
        holding->peak_blocks = holding->blocks;
    }
}

static uint32_t sum(uint32_t had, size_t bytes)
{
    return bytes < UINT32_MAX - had ? had + (uint32_t)bytes : UINT32_MAX;
}

static uint32_t difference(uint32_t had, size_t bytes)
{
    return bytes < had ? had - (uint32_t)bytes : 0;
}

void hs_owners_took(hs_owners_t *owners, uint32_t row, uint32_t kind, size_t bytes)
{
    hs_holding_t *const holding = holding_of(owners, row, kind);
    if (holding != NULL) {
        holding->bytes = sum(holding->bytes, bytes);
        holding->blocks++;
        note_peaks(holding);
    }
}

void hs_owners_gave(hs_owners_t *owners, uint32_t row, uint32_t kind, size_t bytes)
{
    hs_holding_t *const holding = holding_of(owners, row, kind);
    if (holding == NULL || holding->blocks == 0) {
        return;
    }
    holding->bytes = difference(holding->bytes, bytes);
    holding->blocks--;
    hs_owner_t *const owner = row_at(owners, row);
    if (owner->ended && holds_nothing(owner)) {
        give_row(owners, row);
    }
}

void hs_owners_resized(hs_owners_t *owners, uint32_t row, uint32_t kind, size_t before,
                       size_t after)
{
    hs_holding_t *const holding = holding_of(owners, row, kind);
    if (holding != NULL && holding->blocks != 0) {
        holding->bytes = sum(difference(holding->bytes, before), after);
        note_peaks(holding);
    }
}

const hs_owner_t *hs_owners_get(const hs_owners_t *owners, uint32_t row)
{
    if (row - 1 >= owners->rows) {
        return NULL;
    }
    const hs_owner_t *const owner = row_at(owners, row);
    return owner->task != NULL || row == owners->rows ? owner : NULL;
}

#endif
