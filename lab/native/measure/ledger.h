/*
 * Who holds the memory: bytes and blocks per task x memory kind, now and at their peak. A block
 * belongs to the task that last allocated or reallocated it, as in ESP-IDF's heap task tracking.
 */
#ifndef HEAPSCOPE_NATIVE_LEDGER_H
#define HEAPSCOPE_NATIVE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/assert.h"
#include "measure/timeline.h"
#include "rows/replay.h"

#define HS_LEDGER_NONE UINT32_MAX

typedef struct hs_ledger {
    uint32_t *slots; /* task index -> slot + 1; 0: none yet */
    size_t slots_size;
    hs_lab_task_row_t *rows; /* slot x kind */
    size_t rows_size;
    hs_series_t *payload; /* by slot, all kinds together */
    size_t payload_size;
    uint32_t tasks;    /* slots in use; the last one possible gathers all further tasks */
    uint32_t most;     /* slots at most */
    uint32_t gathered; /* tasks in that last one */
    uint32_t kinds;
} hs_ledger_t;

void hs_ledger_init(hs_ledger_t *owners, uint32_t kinds, uint32_t most);
void hs_ledger_free(hs_ledger_t *owners);
/* Gives a task its slot on first use; HS_LEDGER_NONE: no host memory. */
uint32_t hs_ledger_add(hs_ledger_t *owners, uint32_t task);
/* The slot of a task; HS_LEDGER_NONE: no host memory for a new one. */
static inline uint32_t hs_ledger_slot(hs_ledger_t *owners, uint32_t task)
{
    return task < owners->slots_size && owners->slots[task] != 0 ? owners->slots[task] - 1
                                                                 : hs_ledger_add(owners, task);
}
uint32_t hs_ledger_task(const hs_ledger_t *owners, uint32_t slot);

static inline hs_lab_task_row_t *hs_ledger_row(const hs_ledger_t *owners, uint32_t slot,
                                               uint32_t kind)
{
    return &owners->rows[(size_t)slot * owners->kinds + kind];
}

/* `row`: that of the slot and the kind. */
static inline void hs_ledger_gain(hs_ledger_t *owners, hs_lab_task_row_t *row, uint32_t slot,
                                  uint32_t payload, uint32_t held, uint64_t event)
{
    owners->payload[slot].now += payload;
    row->payload += payload;
    row->held += held;
    row->blocks++;
    row->allocations++;
    if (row->payload > row->payload_peak) {
        row->payload_peak = row->payload;
        row->payload_peak_event = event;
    }
    if (row->held > row->held_peak) {
        row->held_peak = row->held;
    }
    if (row->blocks > row->blocks_peak) {
        row->blocks_peak = row->blocks;
    }
}

static inline void hs_ledger_lose(hs_ledger_t *owners, hs_lab_task_row_t *row, uint32_t slot,
                                  uint32_t payload, uint32_t held)
{
    HS_ASSERT(row->payload >= payload && row->held >= held && row->blocks != 0);
    owners->payload[slot].now -= payload;
    row->payload -= payload;
    row->held -= held;
    row->blocks--;
}

/* Rows of tasks that ever allocated or failed; returns how many there are. */
size_t hs_ledger_rows(const hs_ledger_t *owners, hs_lab_task_row_t *rows, size_t capacity);

#endif
