#include "replay/prime.h"

#include "chip/laid.h"
#include "chip/task_lists.h"

static bool has_private_heap(const hs_chip_t *chip)
{
    for (uint32_t i = 0; i < chip->count; i++) {
        if (chip->region[i].private_heap) {
            return true;
        }
    }
    return false;
}

/* Heaps that have been brought to another state are measured anew. */
static hs_status_t lay(hs_replay_t *replay, const hs_event_t *blocks, size_t count)
{
    if (!replay->by_address || replay->tenants != 0 || has_private_heap(&replay->chip)) {
        return HS_OK;
    }
    replay->laid = hs_chip_lay(&replay->chip, blocks, count);
    if (replay->laid == 0) {
        return HS_OK;
    }
    hs_measure_free(&replay->measure);
    return hs_measure_init(&replay->measure, &replay->chip, replay->config, replay->kinds);
}

hs_status_t hs_replay_prime(hs_replay_t *replay, const hs_event_t *blocks, size_t count)
{
    replay->priming = true;
    if (replay->chip.lists != NULL) {
        replay->chip.lists->on = false;
    }
    replay->summary.begun_blocks = count;
    return replay->census_only ? HS_OK : lay(replay, blocks, count);
}

void hs_replay_primed(hs_replay_t *replay)
{
    replay->priming = false;
    replay->laid = 0;
    replay->expected = 0;
    if (!replay->census_only) {
        hs_lists_begin(&replay->chip);
        hs_measure_begun(&replay->measure);
    }
}
