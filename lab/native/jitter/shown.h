/*
 * The variety that one recording has shown: sizes by call site, and how often each task came and went.
 * A visit of a task begins when it holds nothing and asks for a block, and ends when it holds nothing
 * again, whoever frees its blocks. Learnt in one pass; any number of perturbed runs read it then.
 *
 * Memory: what sizes.h says, 12 bytes a task, and what blocks.h says for each live block.
 */
#ifndef HEAPSCOPE_NATIVE_SHOWN_H
#define HEAPSCOPE_NATIVE_SHOWN_H

#include "chip/blocks.h"
#include "jitter/sizes.h"

#define HS_SHOWN_VISITS 4u /* minimum visits before behaviour counts as a pattern */

typedef struct hs_shown_task {
    uint32_t live;   /* blocks */
    uint32_t visits; /* that are over */
    uint32_t begun;
} hs_shown_task_t;

typedef struct hs_shown {
    hs_sizes_t sizes;
    hs_blocks_t blocks;
    hs_shown_task_t *tasks;
    uint32_t task_count;
    uint32_t present, present_most; /* tasks that hold a block, now and at most */
    uint64_t allocations;
} hs_shown_t;

hs_status_t hs_shown_init(hs_shown_t *shown);
void hs_shown_free(hs_shown_t *shown);
/* The next events of the recording. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_shown_events(hs_shown_t *shown, const hs_event_t *events, size_t count);
/* The entry of a task that may be new; NULL: no host memory. `count` entries are there. */
hs_shown_task_t *hs_shown_task(hs_shown_task_t **tasks, uint32_t *count, uint32_t task);
/* Is this visit of the task, from 0, one of a habit, and over before the recording is? */
bool hs_shown_habit(const hs_shown_t *shown, uint32_t task, uint32_t visit);
/* Visits of all tasks that have the habit. */
uint64_t hs_shown_visits(const hs_shown_t *shown);

#endif
