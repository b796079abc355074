/*
 * The loop of the usual replay: it is plain (plain.h), and its only heap is one of which more is known
 * (chip/inline.h). It takes what nearly all events are, in one go from the event to the measures, and leaves all else
 * to the plain replay: requests with capabilities, of no bytes or of too many, and blocks that are not live.
 */
#ifndef HEAPSCOPE_NATIVE_INLINE_RUN_H
#define HEAPSCOPE_NATIVE_INLINE_RUN_H

#include "chip/inline.h"
#include "measure/tab.h"
#include "replay/replay.h"

#define HS_INLINE_LEAST 4 /* events; for fewer the loop is not worth its beginning and its end */

/* log2 of the bins, if the loop may run the events that come; `replay` is plain. 0: it may not. */
static inline uint32_t hs_inline_bins(const hs_replay_t *replay)
{
    const uint32_t bins_log2 = hs_chip_inline(&replay->chip);
    return (bins_log2 == 4 || bins_log2 == 5) && hs_tab_fits(&replay->measure) ? bins_log2 : 0;
}

/* The same as hs_replay_heap_run, up to `stop`, for the bins that hs_inline_bins() told. */
hs_status_t hs_inline_run(hs_replay_t *replay, const hs_event_t **next, const hs_event_t *stop,
                          uint64_t number, uint32_t bins_log2);

#endif
