#include "measure/ledger.h"

#include <stdlib.h>
#include <string.h>

void hs_ledger_init(hs_ledger_t *owners, uint32_t kinds, uint32_t most)
{
    memset(owners, 0, sizeof *owners);
    owners->kinds = kinds;
    owners->most = most;
}

void hs_ledger_free(hs_ledger_t *owners)
{
    free(owners->slots);
    free(owners->rows);
    free(owners->payload);
    memset(owners, 0, sizeof *owners);
}

/* Doubles an array until it holds `need` elements; new ones are zero, and cost the host nothing
 * until they are used, as a file chooses the index of a task. */
static bool reserve(void **array, size_t *size, size_t need, size_t element)
{
    if (need <= *size) {
        return true;
    }
    size_t grown = *size != 0 ? *size : 16;
    while (grown < need) {
        grown *= 2;
    }
    void *moved = calloc(grown, element);
    if (moved == NULL) {
        return false;
    }
    if (*size != 0) {
        memcpy(moved, *array, *size * element);
    }
    free(*array);
    *array = moved;
    *size = grown;
    return true;
}

static bool add_task(hs_ledger_t *owners, uint32_t task)
{
    const size_t need = (size_t)(owners->tasks + 1) * owners->kinds;
    void *rows = owners->rows;
    if (!reserve(&rows, &owners->rows_size, need, sizeof *owners->rows)) {
        return false;
    }
    owners->rows = rows;
    void *payload = owners->payload;
    if (!reserve(&payload, &owners->payload_size, owners->tasks + 1, sizeof *owners->payload)) {
        return false;
    }
    owners->payload = payload;
    for (uint32_t kind = 0; kind < owners->kinds; kind++) {
        hs_lab_task_row_t *row = hs_ledger_row(owners, owners->tasks, kind);
        row->task = task;
        row->kind = kind;
        row->payload_peak_event = HS_LAB_NEVER;
    }
    owners->tasks++;
    return true;
}

uint32_t hs_ledger_add(hs_ledger_t *owners, uint32_t task)
{
    void *slots = owners->slots;
    if (!reserve(&slots, &owners->slots_size, (size_t)task + 1, sizeof *owners->slots)) {
        return HS_LEDGER_NONE;
    }
    owners->slots = slots;
    /* The last slot gathers all tasks that get none of their own. */
    const bool last = owners->tasks >= owners->most - 1;
    if (owners->tasks < owners->most && !add_task(owners, last ? UINT32_MAX : task)) {
        return HS_LEDGER_NONE;
    }
    owners->gathered += last;
    owners->slots[task] = owners->tasks;
    return owners->tasks - 1;
}

uint32_t hs_ledger_task(const hs_ledger_t *owners, uint32_t slot)
{
    return hs_ledger_row(owners, slot, 0)->task;
}

size_t hs_ledger_rows(const hs_ledger_t *owners, hs_lab_task_row_t *rows, size_t capacity)
{
    size_t count = 0;
    for (uint32_t i = 0; i < owners->tasks * owners->kinds; i++) {
        const hs_lab_task_row_t *row = &owners->rows[i];
        if (row->allocations == 0 && row->failures == 0) {
            continue;
        }
        if (count < capacity) {
            rows[count] = *row;
        }
        count++;
    }
    return count;
}
