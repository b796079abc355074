/*
 * A device's heaps, replayed while its recording comes in: what is free after every event, exact where the
 * layout is the device's. After a loss it begins anew at the next whole snapshot.
 */
#ifndef HEAPSCOPE_NATIVE_LIVE_REPLAY_H
#define HEAPSCOPE_NATIVE_LIVE_REPLAY_H

#include <stdbool.h>

#include "heapscope/status.h"
#include "lab/lab.h"
#include "rows/listen.h"

typedef struct hs_live_replay {
    hs_lab_reader_t *reader; /* NULL: nothing is replayed */
    hs_lab_config_t config;
    hs_lab_need_t needs[HS_LAB_NEEDS_MAX];
    uint64_t spells[HS_LAB_NEEDS_MAX]; /* of readers before this one */
    uint64_t missing;                  /* chunks before the reader's first */
    bool begun;                        /* the reader has a chunk */
} hs_live_replay_t;

/* In place of the memory before; config NULL: none. *where: the region at fault. */
hs_status_t hs_live_replay_begin(hs_live_replay_t *replay, const hs_lab_config_t *config,
                                 uint32_t *where);
void hs_live_replay_free(hs_live_replay_t *replay);
/* The next chunk is of another recording, or follows a loss. */
hs_status_t hs_live_replay_restart(hs_live_replay_t *replay);
/* The next whole chunk. The first one after a loss may have the snapshot in it. */
hs_status_t hs_live_replay_chunk(hs_live_replay_t *replay, const uint8_t *chunk, size_t count);
/* How the heaps are known, HS_LAB_BY_*; HS_LAB_BY_NOBODY: they are not those of the recording so far. */
uint32_t hs_live_replay_by(const hs_live_replay_t *replay);
/* Would the request be served now? *largest: the largest such request that would be. */
bool hs_live_replay_fits(hs_live_replay_t *replay, uint32_t need, uint32_t *largest);
/* How often it stopped fitting, event by event. */
uint64_t hs_live_replay_spells(const hs_live_replay_t *replay, uint32_t need);

#endif
