#include "replay/tenants.h"

#include <string.h>

#define FIRST_KEY (UINT64_C(1) << 63) /* beyond all ids and addresses of a trace */

hs_status_t hs_tenants_place(hs_replay_t *replay, const hs_lab_config_t *config)
{
    uint64_t key = FIRST_KEY;
    for (uint32_t i = 0; i < config->tenant_count; i++) {
        const hs_lab_tenant_t *tenant = &config->tenants[i];
        const hs_request_t request = {.size = tenant->size, .caps = tenant->caps};
        for (uint32_t n = 0; n < tenant->count; n++, key++) {
            hs_place_t place;
            if (!hs_chip_allocate(&replay->chip, &request, &place)) {
                replay->summary.startup_unplaced += tenant->size;
                continue;
            }
            hs_block_t *block = hs_blocks_insert(&replay->blocks, key);
            if (block == NULL) {
                return HS_ERR_MEMORY;
            }
            block->place = place;
            block->requested = tenant->size;
            replay->tenants++;
        }
    }
    /* The program made none of the tries before the first event. */
    memset(replay->chip.refusals, 0, sizeof replay->chip.refusals);
    return HS_OK;
}

hs_status_t hs_tenants_book(hs_replay_t *replay, const hs_lab_config_t *config)
{
    uint64_t key = FIRST_KEY;
    for (uint32_t i = 0; i < config->tenant_count; i++) {
        const uint32_t slot = hs_ledger_slot(&replay->measure.owners, config->tenants[i].task);
        if (slot == HS_LEDGER_NONE) {
            return HS_ERR_MEMORY;
        }
        for (uint32_t n = 0; n < config->tenants[i].count; n++, key++) {
            hs_block_t *block = hs_blocks_find(&replay->blocks, key);
            if (block != NULL) {
                block->task = slot;
                hs_measure_begin(&replay->measure, block);
            }
        }
    }
    if (replay->tenants != 0) {
        hs_measure_begun(&replay->measure);
    }
    return HS_OK;
}
