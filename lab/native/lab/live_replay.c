#include "lab/live_replay.h"

#include "lab/reader.h"

static hs_status_t reader_new(hs_live_replay_t *replay, uint32_t *where)
{
    int status = HS_OK;
    replay->reader = hs_lab_reader_new(&replay->config, &status, where);
    replay->begun = false;
    return (hs_status_t)status;
}

void hs_live_replay_free(hs_live_replay_t *replay)
{
    hs_lab_reader_delete(replay->reader);
    replay->reader = NULL;
}

hs_status_t hs_live_replay_begin(hs_live_replay_t *replay, const hs_lab_config_t *config,
                                 uint32_t *where)
{
    hs_live_replay_free(replay);
    if (config == NULL) {
        return HS_OK;
    }
    const uint32_t count = replay->config.need_count;
    replay->config = *config;
    replay->config.needs = replay->needs;
    replay->config.need_count = count;
    for (uint32_t i = 0; i < count; i++) {
        replay->spells[i] = 0;
    }
    return reader_new(replay, where);
}

hs_status_t hs_live_replay_restart(hs_live_replay_t *replay)
{
    if (replay->reader == NULL || !replay->begun) {
        return HS_OK;
    }
    for (uint32_t i = 0; i < replay->config.need_count; i++) {
        replay->spells[i] = hs_live_replay_spells(replay, i);
    }
    hs_live_replay_free(replay);
    uint32_t where;
    return reader_new(replay, &where);
}

static hs_status_t take(hs_live_replay_t *replay, const uint8_t *chunk, size_t count)
{
    const hs_status_t status = (hs_status_t)hs_lab_reader_push(replay->reader, chunk, count);
    if (!replay->begun) {
        hs_lab_health_t health;
        hs_lab_reader_health(replay->reader, &health);
        replay->missing = health.lost_chunks;
        replay->begun = true;
    }
    return status;
}

/* A reader waits for a snapshot at event 0; chunks before its first are no loss to it. */
static bool is_lost(const hs_live_replay_t *replay)
{
    hs_lab_loss_t loss;
    hs_lab_health_t health;
    hs_lab_reader_loss(replay->reader, &loss);
    hs_lab_reader_health(replay->reader, &health);
    return loss.event == 0 ? health.lost_chunks > replay->missing : loss.event != HS_LAB_NEVER;
}

hs_status_t hs_live_replay_chunk(hs_live_replay_t *replay, const uint8_t *chunk, size_t count)
{
    if (replay->reader == NULL) {
        return HS_OK;
    }
    hs_status_t status = take(replay, chunk, count);
    if (status == HS_OK && is_lost(replay)) {
        status = hs_live_replay_restart(replay);
        status = status == HS_OK ? take(replay, chunk, count) : status;
    }
    return status;
}

uint32_t hs_live_replay_by(const hs_live_replay_t *replay)
{
    hs_lab_loss_t loss;
    hs_lab_health_t health;
    hs_lab_census_t census;
    hs_lab_reader_loss(replay->reader, &loss);
    hs_lab_reader_health(replay->reader, &health);
    hs_lab_reader_census(replay->reader, &census);
    if (loss.event != HS_LAB_NEVER || health.chunks == 0) {
        return HS_LAB_BY_NOBODY;
    }
    return census.events == health.events ? HS_LAB_BY_REPLAY : HS_LAB_BY_LAID;
}

bool hs_live_replay_fits(hs_live_replay_t *replay, uint32_t need, uint32_t *largest)
{
    hs_chip_t *chip = &replay->reader->replay.chip;
    const hs_request_t request = {replay->needs[need].size, 0, replay->needs[need].caps, false};
    const uint32_t mask = hs_chip_mask_for(chip, request.caps, request.size);
    bool fits = false;
    *largest = 0;
    for (uint32_t i = 0; i < chip->count; i++) {
        const hs_chip_region_t *region = &chip->region[i];
        if (!(mask >> i & 1u) || region->heap == NULL) {
            continue;
        }
        const uint32_t most = hs_region_largest_allocatable(region, request.caps);
        *largest = most > *largest ? most : *largest;
        fits = fits || hs_region_fits(region, &request);
    }
    return fits;
}

uint64_t hs_live_replay_spells(const hs_live_replay_t *replay, uint32_t need)
{
    return replay->spells[need] + replay->reader->replay.measure.needs[need].row.spells;
}
