/*
 * The lists that ESP-IDF from v5.5 on has where tasks are tracked (components/heap/heap_task_info.c, v5.5 to
 * v6.1). The layer above its heaps takes a block for itself for each block of the program, one for each heap in
 * which a task has got a block, and one for each task, all from the largest heap and behind the program's block.
 * A realloc in the same heap keeps the first of these, a free gives it back, and with a task's control block go
 * all that it has.
 *
 * The SDK knows tasks by the address of their control block. Here they have a slot, and a control block is the
 * last block before a task's start, if the trace has that and the task's end.
 */
#ifndef HEAPSCOPE_NATIVE_TASK_LISTS_H
#define HEAPSCOPE_NATIVE_TASK_LISTS_H

#include "chip/blocks.h"
#include "chip/chip.h"

/* One task in the lists. */
typedef struct hs_tracked_task {
    bool listed;
    bool born;        /* it began in the trace, so that no list of the beginning has it */
    bool ended;       /* the trace has its end */
    uint32_t control; /* address of its control block; 0: not known */
    uint32_t block;   /* of the task; HS_NONE: the lists have it from the beginning */
    uint32_t regions; /* in which the lists have it, by bit */
    uint32_t heaps[HS_LAB_REGIONS_MAX]; /* the block of each, or HS_NONE */
    uint8_t order[HS_LAB_REGIONS_MAX];  /* the regions as they were added */
    uint8_t count;
} hs_tracked_task_t;

struct hs_task_lists {
    uint32_t host;      /* the region that holds the lists */
    bool on;            /* false: the blocks that come are no calls of a program's */
    bool failed;        /* no host memory: what follows is wrong */
    uint32_t current;   /* slot of the task that asks */
    uint32_t begun;     /* tasks in the lists of the beginning that no event has named yet */
    uint64_t order;     /* of the next block in its list */
    uint64_t last;      /* key of the block that was added last */
    hs_blocks_t blocks; /* of the program, by region and offset */
    hs_tracked_task_t *tasks;
    uint32_t task_count;
};

/* Where an allocator of the chip keeps such lists; nothing else is changed. HS_ERR_MEMORY. */
hs_status_t hs_lists_init(hs_chip_t *chip);
void hs_lists_free(hs_chip_t *chip);
/* From here on the program asks; the heaps may hold the lists of tasks from before. */
void hs_lists_begin(hs_chip_t *chip);
/* The slot of the task that asks next. */
static inline void hs_lists_of(hs_chip_t *chip, uint32_t slot)
{
    if (chip->lists != NULL) {
        chip->lists->current = slot;
    }
}
void hs_lists_task_began(hs_chip_t *chip, uint32_t slot);
void hs_lists_task_ended(hs_chip_t *chip, uint32_t slot);

/* A block was allocated; is about to be freed; was resized by its own heap. */
void hs_lists_allocated(hs_chip_t *chip, const hs_place_t *place);
void hs_lists_frees(hs_chip_t *chip, const hs_place_t *place);
void hs_lists_resized(hs_chip_t *chip, const hs_place_t *before, const hs_place_t *after);

#endif
