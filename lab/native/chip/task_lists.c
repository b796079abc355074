#include "chip/task_lists.h"

#include <stdlib.h>
#include <string.h>

/* sizeof on 32 bits, the name of a task having the SDK's default of 16 bytes. */
#define OF_TASK 52u
#define OF_HEAP 44u
#define OF_BLOCK 16u

#define NO_BLOCK UINT64_MAX

static uint64_t key_of(const hs_place_t *place)
{
    return (uint64_t)place->region << 32 | place->offset;
}

/* ---- the lists' own blocks -------------------------------------------------------------------- */

/* The layer asks the heap itself, without the word for the task that the program's blocks have. */
static uint32_t own_size(const hs_sim_t *heap, uint32_t size)
{
    return size - heap->around.owner;
}

static uint32_t take(hs_chip_t *chip, uint32_t size)
{
    hs_chip_region_t *region = &chip->region[chip->lists->host];
    const uint32_t used = region->heap->tally.used;
    const uint32_t offset = hs_sim_malloc(region->heap, own_size(region->heap, size));
    if (offset != HS_NONE) {
        region->lists += region->heap->tally.used - used;
        region->list_blocks++;
    }
    return offset;
}

static void give(hs_chip_t *chip, uint32_t offset)
{
    if (offset != HS_NONE) {
        hs_chip_region_t *region = &chip->region[chip->lists->host];
        const uint32_t used = region->heap->tally.used;
        hs_sim_free(region->heap, offset, false);
        region->lists -= used - region->heap->tally.used;
        region->list_blocks--;
    }
}

/* ---- life ------------------------------------------------------------------------------------- */

static bool has_lists(const hs_chip_region_t *region)
{
    return region->heap != NULL && !region->private_heap && region->heap->allocator.track &&
           region->heap->model->tracking == HS_TRACKING_LISTED;
}

hs_status_t hs_lists_init(hs_chip_t *chip)
{
    uint32_t host = UINT32_MAX;
    for (uint32_t i = 0; i < chip->count; i++) {
        if (has_lists(&chip->region[i]) &&
            (host == UINT32_MAX || chip->region[i].size > chip->region[host].size)) {
            host = i;
        }
    }
    if (host == UINT32_MAX) {
        return HS_OK;
    }
    hs_task_lists_t *lists = calloc(1, sizeof *lists);
    if (lists == NULL) {
        return HS_ERR_MEMORY;
    }
    chip->lists = lists;
    lists->host = host;
    lists->last = NO_BLOCK;
    return hs_blocks_init(&lists->blocks) ? HS_OK : HS_ERR_MEMORY;
}

void hs_lists_free(hs_chip_t *chip)
{
    if (chip->lists != NULL) {
        hs_blocks_free(&chip->lists->blocks);
        free(chip->lists->tasks);
        free(chip->lists);
        chip->lists = NULL;
    }
}

typedef struct tally {
    uint32_t size, count;
} tally_t;

static bool count_block(void *context, const hs_walk_block_t *block)
{
    tally_t *tally = context;
    tally->count += block->used && block->size == tally->size;
    return true;
}

/* The lists of a device have one entry more than tasks: that of the blocks from before the scheduler. */
void hs_lists_begin(hs_chip_t *chip)
{
    hs_task_lists_t *lists = chip->lists;
    if (lists != NULL) {
        const hs_sim_t *heap = chip->region[lists->host].heap;
        tally_t tally = {own_size(heap, OF_TASK) + hs_sim_overhead(heap), 0};
        hs_sim_walk(heap, count_block, &tally);
        lists->begun = tally.count != 0 ? tally.count - 1 : 0;
        lists->on = true;
    }
}

/* ---- tasks ------------------------------------------------------------------------------------ */

static hs_tracked_task_t *task_at(hs_task_lists_t *lists, uint32_t slot)
{
    if (slot >= lists->task_count) {
        const uint32_t count = slot + 16;
        hs_tracked_task_t *moved = realloc(lists->tasks, count * sizeof *moved);
        if (moved == NULL) {
            lists->failed = true;
            return NULL;
        }
        memset(moved + lists->task_count, 0, (count - lists->task_count) * sizeof *moved);
        lists->tasks = moved;
        lists->task_count = count;
    }
    return &lists->tasks[slot];
}

static void add_region(hs_tracked_task_t *task, uint32_t region, uint32_t block)
{
    task->heaps[region] = block;
    task->regions |= UINT32_C(1) << region;
    task->order[task->count++] = (uint8_t)region;
}

/* The task that asks; NULL: no host memory. One that did so before the trace has got its blocks, as far as is
 * known, where malloc asks first. */
static hs_tracked_task_t *current_task(hs_chip_t *chip)
{
    hs_task_lists_t *lists = chip->lists;
    hs_tracked_task_t *task = task_at(lists, lists->current);
    if (task != NULL && !task->listed && !task->born && lists->begun != 0) {
        lists->begun--;
        task->listed = true;
        task->block = HS_NONE;
        if (chip->plain.count != 0) {
            add_region(task, chip->plain.tries[0], HS_NONE);
        }
    }
    return task;
}

void hs_lists_task_began(hs_chip_t *chip, uint32_t slot)
{
    hs_task_lists_t *lists = chip->lists;
    hs_tracked_task_t *task = task_at(lists, slot);
    hs_block_t *block = hs_blocks_find(&lists->blocks, lists->last);
    if (task != NULL) {
        task->born = true;
        task->ended = false;
        if (block != NULL) {
            task->control = chip->region[lists->last >> 32].start + (uint32_t)lists->last;
            block->listed.controls = slot + 1;
        }
    }
}

void hs_lists_task_ended(hs_chip_t *chip, uint32_t slot)
{
    hs_tracked_task_t *task = task_at(chip->lists, slot);
    if (task != NULL) {
        task->ended = true;
    }
}

/* ---- the end of a task ------------------------------------------------------------------------ */

static int by_order(const void *left, const void *right)
{
    const hs_block_t *const *a = left, *const *b = right;
    return (*a)->listed.order < (*b)->listed.order ? -1 : 1;
}

/* The blocks in a list of the task's, from its first to its last. */
static size_t collect(const hs_task_lists_t *lists, uint32_t slot, uint32_t region,
                      hs_block_t **out)
{
    size_t count = 0;
    for (size_t i = 0; i < lists->blocks.used; i++) {
        hs_block_t *block = &lists->blocks.records[i];
        if ((block->flags & HS_BLOCK_LIVE) && block->task == slot && block->key >> 32 == region &&
            block->listed.block != HS_NONE) {
            out[count++] = block;
        }
    }
    qsort(out, count, sizeof(hs_block_t *), by_order);
    return count;
}

static void end_task(hs_chip_t *chip, uint32_t slot)
{
    hs_task_lists_t *lists = chip->lists;
    hs_tracked_task_t *task = &lists->tasks[slot];
    hs_block_t **blocks = malloc((hs_blocks_count(&lists->blocks) + 1) * sizeof(hs_block_t *));
    if (blocks == NULL) {
        lists->failed = true;
        return;
    }
    for (uint32_t i = 0; i < task->count; i++) {
        const size_t count = collect(lists, slot, task->order[i], blocks);
        for (size_t n = 0; n < count; n++) {
            give(chip, blocks[n]->listed.block);
            blocks[n]->listed.block = HS_NONE;
        }
        give(chip, task->heaps[task->order[i]]);
    }
    free(blocks);
    give(chip, task->listed ? task->block : HS_NONE);
    *task = (hs_tracked_task_t){.born = true, .control = task->control};
}

/* ---- blocks ----------------------------------------------------------------------------------- */

/* The lists know the block from now on; `own`: the lists' block for it, if it got one. */
static void add_block(hs_task_lists_t *lists, uint64_t key, uint32_t own)
{
    hs_block_t *block = hs_blocks_insert(&lists->blocks, key);
    if (block == NULL) {
        lists->failed = true;
        return;
    }
    block->task = lists->current;
    block->listed = (hs_listed_t){.order = lists->order++, .block = own};
    lists->last = key;
}

/* Puts task and heap into the lists, where they are not yet, then the block; HS_NONE: one of them got none. */
static uint32_t list(hs_chip_t *chip, hs_tracked_task_t *task, uint32_t region)
{
    if (!task->listed) {
        task->block = take(chip, OF_TASK);
        task->listed = task->block != HS_NONE;
        if (!task->listed) {
            return HS_NONE;
        }
    }
    if (!(task->regions >> region & 1u)) {
        const uint32_t block = take(chip, OF_HEAP);
        if (block == HS_NONE) {
            return HS_NONE;
        }
        add_region(task, region, block);
    }
    return take(chip, OF_BLOCK);
}

static bool is_listed(const hs_chip_t *chip, const hs_place_t *place)
{
    return chip->lists->on && !chip->region[place->region].private_heap;
}

void hs_lists_allocated(hs_chip_t *chip, const hs_place_t *place)
{
    hs_tracked_task_t *task = is_listed(chip, place) ? current_task(chip) : NULL;
    if (task != NULL) {
        add_block(chip->lists, key_of(place), list(chip, task, place->region));
    }
}

void hs_lists_frees(hs_chip_t *chip, const hs_place_t *place)
{
    hs_task_lists_t *lists = chip->lists;
    const hs_block_t *block = hs_blocks_take(&lists->blocks, key_of(place));
    if (block == NULL) {
        return;
    }
    const uint32_t controls = block->listed.controls;
    give(chip, block->listed.block);
    if (controls != 0 && lists->tasks[controls - 1].ended) {
        end_task(chip, controls - 1);
    }
}

/* The order of the SDK's list, by address of the control block, from the highest on; where that is not known,
 * younger tasks come first. */
static bool comes_first(const hs_task_lists_t *lists, uint32_t slot, uint32_t other)
{
    const uint32_t here = lists->tasks[slot].control, there = lists->tasks[other].control;
    return here != 0 && there != 0 ? here > there : slot > other;
}

/* The list's block for a block that the task resized and `owner` had; `own` is what that has got. A block
 * of the lists that the SDK then loses stays to the end. */
static uint32_t list_again(hs_chip_t *chip, hs_tracked_task_t *task, uint32_t region,
                           uint32_t owner, uint32_t own)
{
    hs_task_lists_t *lists = chip->lists;
    if (!task->listed) {
        return list(chip, task, region);
    }
    if (!(task->regions >> region & 1u)) {
        return HS_NONE;
    }
    const bool found = owner == lists->current || comes_first(lists, owner, lists->current);
    return found && own != HS_NONE ? own : take(chip, OF_BLOCK);
}

void hs_lists_resized(hs_chip_t *chip, const hs_place_t *before, const hs_place_t *after)
{
    hs_task_lists_t *lists = chip->lists;
    const hs_block_t *block = hs_blocks_take(&lists->blocks, key_of(before));
    if (block == NULL) { /* from before: the lists have it, nobody knows where */
        return;
    }
    const uint32_t owner = block->task, own = block->listed.block;
    const uint32_t controls = block->listed.controls;
    hs_tracked_task_t *task = current_task(chip);
    if (task != NULL) {
        add_block(lists, key_of(after), list_again(chip, task, after->region, owner, own));
        hs_block_t *again = hs_blocks_find(&lists->blocks, key_of(after));
        if (again != NULL) {
            again->listed.controls = controls;
        }
    }
}
