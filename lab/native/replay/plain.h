/*
 * The usual replay is plain: blocks have ids, there is one region, and there are no rules of placement, no lists
 * of task tracking and no blocks of the beginning to be put back. The functions that an event goes through are made once for it, once for all
 * others, with `plain` as a constant, and mostly a plain replay has a loop of its own (inline_run.h).
 */
#ifndef HEAPSCOPE_NATIVE_PLAIN_H
#define HEAPSCOPE_NATIVE_PLAIN_H

#include "replay/replay.h"

static inline bool hs_replay_is_plain(const hs_replay_t *replay)
{
    return !replay->census_only && !replay->by_address && replay->placement.count == 0 &&
           replay->laid == 0 && replay->movable.count == 0 && replay->chip.lists == NULL &&
           hs_measure_is_only(&replay->measure);
}

#endif
