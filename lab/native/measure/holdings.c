#include "measure/holdings.h"

#include <stdlib.h>
#include <string.h>

#define CLASS_LEAST 4u /* requests up to 16 bytes */

void hs_holdings_init(hs_holdings_t *holdings)
{
    memset(holdings, 0, sizeof *holdings);
    hs_ledger_init(&holdings->sites, 1, HS_LAB_SITES_MAX);
    hs_ledger_init(&holdings->classes, 1, HS_LAB_TASKS_MAX);
}

void hs_holdings_free(hs_holdings_t *holdings)
{
    hs_ledger_free(&holdings->sites);
    hs_ledger_free(&holdings->classes);
    free(holdings->births);
    free(holdings->site_peak);
    free(holdings->class_peak);
    memset(holdings, 0, sizeof *holdings);
}

/* The class of a size n is the least k with n <= 1 << k. */
static uint32_t class_of(uint64_t size)
{
    uint32_t k = CLASS_LEAST;
    while (k < 32 && size > UINT64_C(1) << k) {
        k++;
    }
    return k;
}

bool hs_holdings_reserve(hs_holdings_t *holdings, size_t records)
{
    if (records <= holdings->births_size) {
        return true;
    }
    const size_t grown = records + records / 4 + 64;
    hs_birth_t *moved = realloc(holdings->births, grown * sizeof *moved);
    if (moved == NULL) {
        return false;
    }
    memset(moved + holdings->births_size, 0, (grown - holdings->births_size) * sizeof *moved);
    holdings->births = moved;
    holdings->births_size = grown;
    return true;
}

bool hs_holdings_gain(hs_holdings_t *holdings, size_t record, const hs_block_t *block,
                      const hs_event_t *event, uint64_t number)
{
    const uint32_t site = hs_ledger_slot(&holdings->sites, event->site);
    const uint32_t class = hs_ledger_slot(&holdings->classes, class_of(block->requested));
    if (site == HS_LEDGER_NONE || class == HS_LEDGER_NONE ||
        !hs_holdings_reserve(holdings, record + 1)) {
        return false;
    }
    const hs_birth_t birth = {number, event->time, event->site, 0};
    holdings->births[record] = birth;
    hs_ledger_gain(&holdings->sites, hs_ledger_row(&holdings->sites, site, 0), site,
                   block->requested, block->place.held, number);
    hs_ledger_gain(&holdings->classes, hs_ledger_row(&holdings->classes, class, 0), class,
                   block->requested, block->place.held, number);
    return true;
}

void hs_holdings_lose(hs_holdings_t *holdings, const hs_block_t *block, const hs_birth_t *birth)
{
    const uint32_t site = hs_ledger_slot(&holdings->sites, birth->site);
    const uint32_t class = hs_ledger_slot(&holdings->classes, class_of(block->requested));
    hs_ledger_lose(&holdings->sites, hs_ledger_row(&holdings->sites, site, 0), site,
                   block->requested, block->place.held);
    hs_ledger_lose(&holdings->classes, hs_ledger_row(&holdings->classes, class, 0), class,
                   block->requested, block->place.held);
}

bool hs_holdings_failed(hs_holdings_t *holdings, const hs_event_t *event)
{
    const uint32_t site = hs_ledger_slot(&holdings->sites, event->site);
    const uint32_t class = hs_ledger_slot(&holdings->classes, class_of(event->size));
    if (site == HS_LEDGER_NONE || class == HS_LEDGER_NONE) {
        return false;
    }
    hs_ledger_row(&holdings->sites, site, 0)->failures++;
    hs_ledger_row(&holdings->classes, class, 0)->failures++;
    return true;
}

static bool keep(const hs_ledger_t *owners, uint32_t **payload, uint32_t *count)
{
    free(*payload);
    *count = owners->tasks;
    *payload = calloc(owners->tasks + 1u, sizeof **payload);
    for (uint32_t slot = 0; *payload != NULL && slot < owners->tasks; slot++) {
        (*payload)[slot] = owners->payload[slot].now;
    }
    return *payload != NULL;
}

bool hs_holdings_keep(hs_holdings_t *holdings)
{
    return keep(&holdings->sites, &holdings->site_peak, &holdings->site_peak_size) &&
           keep(&holdings->classes, &holdings->class_peak, &holdings->class_peak_size);
}

static size_t rows_of(const hs_ledger_t *owners, const uint32_t *peak, uint32_t peak_size,
                      hs_lab_holding_row_t *rows, size_t capacity)
{
    size_t count = 0;
    for (uint32_t slot = 0; slot < owners->tasks; slot++) {
        const hs_lab_task_row_t *row = hs_ledger_row(owners, slot, 0);
        if (count < capacity) {
            const hs_lab_holding_row_t out = {.index = row->task,
                                              .payload = row->payload,
                                              .payload_peak = row->payload_peak,
                                              .payload_at_peak = slot < peak_size ? peak[slot] : 0,
                                              .held = row->held,
                                              .held_peak = row->held_peak,
                                              .blocks = row->blocks,
                                              .blocks_peak = row->blocks_peak,
                                              .others =
                                                  row->task == UINT32_MAX ? owners->gathered : 0,
                                              .payload_peak_event = row->payload_peak_event,
                                              .allocations = row->allocations,
                                              .failures = row->failures};
            rows[count] = out;
        }
        count++;
    }
    return count;
}

size_t hs_holdings_sites(const hs_holdings_t *holdings, hs_lab_holding_row_t *rows, size_t capacity)
{
    return rows_of(&holdings->sites, holdings->site_peak, holdings->site_peak_size, rows, capacity);
}

size_t hs_holdings_classes(const hs_holdings_t *holdings, hs_lab_holding_row_t *rows,
                           size_t capacity)
{
    return rows_of(&holdings->classes, holdings->class_peak, holdings->class_peak_size, rows,
                   capacity);
}
