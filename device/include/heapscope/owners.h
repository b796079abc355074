/*
 * Owners: how much of each memory kind each task holds, and held at most. A row for each task in a
 * fixed table, found in O(1) by its handle; the last row, "others", takes what has no row of its own.
 * A block keeps the number of its row (guard.h), so that a free finds the owner that allocated it.
 * Not reentrant; regions.h calls it under the lock HS_LOCK_OWNERS.
 */
#ifndef HEAPSCOPE_OWNERS_H
#define HEAPSCOPE_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/config.h"
#include "heapscope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hs_owners hs_owners_t;

#define HS_OWNER_NAME 16u /* bytes of a name, with the final 0 */

/* The memory of one owner in one memory kind; bytes are payload as handed out. */
typedef struct hs_holding {
    uint32_t bytes, peak_bytes;
    uint32_t blocks, peak_blocks;
} hs_holding_t;

typedef struct hs_owner {
    void *task; /* NULL: the row of others */
    char name[HS_OWNER_NAME];
    bool ended; /* the task is gone, its memory is not */
    hs_holding_t holding[HS_KINDS_MAX];
} hs_owner_t;

size_t hs_owners_control(uint32_t rows); /* bytes of memory for that many rows, 1 to HS_OWNER_MAX */
/* On the caller's memory. NULL: too small. */
hs_owners_t *hs_owners_create(void *memory, size_t size, uint32_t rows);

/* The row of a task, made if it has none; the row of others when the table is full. 1 to rows. */
uint32_t hs_owners_row(hs_owners_t *owners, void *task);
/* Optional, at the task's start; the handle of an ended task gets a row of its own. */
uint32_t hs_owners_begin(hs_owners_t *owners, void *task, const char *name);
/* The task is gone, and is within no allocation. Its row stays while it holds a block, and is free for another afterwards. */
void hs_owners_end(hs_owners_t *owners, void *task);

void hs_owners_took(hs_owners_t *owners, uint32_t row, uint32_t kind, size_t bytes);
/* Never below zero, whatever is given. */
void hs_owners_gave(hs_owners_t *owners, uint32_t row, uint32_t kind, size_t bytes);
void hs_owners_resized(hs_owners_t *owners, uint32_t row, uint32_t kind, size_t before,
                       size_t after);

/* `row` 1 to the number of rows; NULL: no task in it. */
const hs_owner_t *hs_owners_get(const hs_owners_t *owners, uint32_t row);

#ifdef __cplusplus
}
#endif

#endif
