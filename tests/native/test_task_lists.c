/* The lists of task tracking beside a model of them: the SDK's own searches, list by list, on other heaps. */
#include "../models/check.h"
#include "chip/setup.h"
#include "chip/task_lists.h"
#include "layout_for_tests.h"
#include "replay/replay.h"

#define EVENTS (CHECK_THIN > 1 ? 3000u : 20000u)
#define IDS EVENTS
#define TASKS 200u /* of the trace */
#define OLD 3u     /* of them, those that never begin in it */
#define HOST 1u    /* the largest region of the layout */

/* ---- the model: tasks, in each its heaps, in each its blocks ---- */

typedef struct entry {
    uint32_t id, own;
} entry_t;

typedef struct heap {
    uint32_t region, own, count;
    entry_t entries[400];
} heap_t;

typedef struct task {
    uint64_t handle;
    uint32_t index, own, count;
    heap_t heaps[REGIONS];
} task_t;

typedef struct shadow {
    hs_chip_t chip;
    task_t *tasks[TASKS]; /* by handle, the highest first */
    uint32_t count;
    hs_place_t place[IDS];
    uint32_t owner[IDS]; /* TASKS: not live */
    uint64_t handle[TASKS];
    bool ended[TASKS];
    uint32_t control[TASKS]; /* id */
} shadow_t;

static uint32_t own_block(shadow_t *shadow, uint32_t size)
{
    return hs_sim_malloc(shadow->chip.region[HOST].heap, size - 4);
}

static void own_free(shadow_t *shadow, uint32_t offset)
{
    if (offset != HS_NONE) {
        hs_sim_free(shadow->chip.region[HOST].heap, offset, false);
    }
}

static heap_t *heap_of(task_t *task, uint32_t region)
{
    for (uint32_t i = 0; i < task->count; i++) {
        if (task->heaps[i].region == region) {
            return &task->heaps[i];
        }
    }
    return NULL;
}

static task_t *find_task(shadow_t *shadow, uint32_t index)
{
    for (uint32_t i = 0; i < shadow->count; i++) {
        if (shadow->tasks[i]->index == index) {
            return shadow->tasks[i];
        }
    }
    return NULL;
}

static void append(shadow_t *shadow, heap_t *heap, uint32_t id, uint32_t own)
{
    own = own != HS_NONE ? own : own_block(shadow, 16);
    if (own != HS_NONE) {
        CHECK(heap->count < sizeof heap->entries / sizeof heap->entries[0], "entries");
        heap->entries[heap->count++] = (entry_t){id, own};
    }
}

static task_t *new_task(shadow_t *shadow, uint32_t index)
{
    const uint32_t own = own_block(shadow, 52);
    if (own == HS_NONE) {
        return NULL;
    }
    task_t *task = calloc(1, sizeof *task);
    CHECK(task != NULL, "memory");
    *task = (task_t){.handle = shadow->handle[index], .index = index, .own = own};
    uint32_t at = shadow->count++;
    for (; at > 0 && shadow->tasks[at - 1]->handle < task->handle; at--) {
        shadow->tasks[at] = shadow->tasks[at - 1];
    }
    shadow->tasks[at] = task;
    return task;
}

static void add_new(shadow_t *shadow, task_t *task, uint32_t index, uint32_t id)
{
    task = task != NULL ? task : new_task(shadow, index);
    const uint32_t own = task != NULL ? own_block(shadow, 44) : HS_NONE;
    if (own != HS_NONE) {
        heap_t *heap = &task->heaps[task->count++];
        heap->region = shadow->place[id].region;
        heap->own = own;
        append(shadow, heap, id, HS_NONE);
    }
}

static void on_allocated(shadow_t *shadow, uint32_t id, uint32_t index)
{
    task_t *task = find_task(shadow, index);
    heap_t *heap = task != NULL ? heap_of(task, shadow->place[id].region) : NULL;
    shadow->owner[id] = index;
    if (heap != NULL) {
        append(shadow, heap, id, HS_NONE);
    } else {
        add_new(shadow, task, index, id);
    }
}

/* Takes the entry of a block out of a task's lists. */
static uint32_t detach(shadow_t *shadow, task_t *task, uint32_t id)
{
    heap_t *heap = heap_of(task, shadow->place[id].region);
    for (uint32_t i = 0; heap != NULL && i < heap->count; i++) {
        if (heap->entries[i].id == id) {
            const uint32_t own = heap->entries[i].own;
            heap->count--;
            memmove(&heap->entries[i], &heap->entries[i + 1],
                    (heap->count - i) * sizeof heap->entries[0]);
            return own;
        }
    }
    return HS_NONE;
}

static void remove_task(shadow_t *shadow, uint32_t at)
{
    task_t *task = shadow->tasks[at];
    for (uint32_t i = 0; i < task->count; i++) {
        for (uint32_t e = 0; e < task->heaps[i].count; e++) {
            own_free(shadow, task->heaps[i].entries[e].own);
        }
        own_free(shadow, task->heaps[i].own);
    }
    own_free(shadow, task->own);
    free(task);
    shadow->count--;
    memmove(&shadow->tasks[at], &shadow->tasks[at + 1],
            (shadow->count - at) * sizeof shadow->tasks[0]);
}

static void on_free(shadow_t *shadow, uint32_t id)
{
    task_t *owner = find_task(shadow, shadow->owner[id]);
    if (owner != NULL) {
        own_free(shadow, detach(shadow, owner, id));
    }
    for (uint32_t i = 0; i < shadow->count; i++) {
        const uint32_t index = shadow->tasks[i]->index;
        if (shadow->control[index] == id && shadow->ended[index]) {
            remove_task(shadow, i);
            break;
        }
    }
    for (uint32_t i = 0; i < TASKS; i++) {
        shadow->control[i] = shadow->control[i] == id ? UINT32_MAX : shadow->control[i];
    }
    shadow->owner[id] = TASKS;
}

static void on_resized(shadow_t *shadow, uint32_t id, uint32_t index)
{
    uint32_t own = HS_NONE;
    bool in_list = false;
    for (uint32_t i = 0; i < shadow->count; i++) {
        task_t *task = shadow->tasks[i];
        if (task->index == shadow->owner[id]) {
            own = detach(shadow, task, id);
        }
        if (task->index == index) {
            heap_t *heap = heap_of(task, shadow->place[id].region);
            if (heap != NULL) {
                append(shadow, heap, id, own);
            }
            in_list = true;
        }
    }
    if (!in_list) {
        add_new(shadow, NULL, index, id);
    }
    shadow->owner[id] = index;
}

/* ---- requests on the model's heaps ---- */

static void shadow_malloc(shadow_t *shadow, uint32_t id, const hs_request_t *request, uint32_t task)
{
    if (hs_chip_allocate(&shadow->chip, request, &shadow->place[id])) {
        on_allocated(shadow, id, task);
    }
}

static void shadow_free(shadow_t *shadow, uint32_t id)
{
    if (shadow->owner[id] != TASKS) {
        const hs_place_t place = shadow->place[id];
        on_free(shadow, id);
        hs_chip_release(&shadow->chip, &place);
    }
}

static void shadow_realloc(shadow_t *shadow, uint32_t id, const hs_request_t *request,
                           uint32_t task)
{
    const hs_place_t before = shadow->place[id];
    hs_chip_t *chip = &shadow->chip;
    const uint64_t refusals = chip->refusals[before.region];
    if (shadow->owner[id] == TASKS) {
        return;
    }
    if (hs_chip_resize(chip, request, true, &shadow->place[id])) {
        on_resized(shadow, id, task);
        return;
    }
    const uint32_t caps = request->caps != 0 ? request->caps : chip->malloc_rule.small;
    hs_place_t moved;
    if ((chip->refusals[before.region] != refusals &&
         hs_chip_route(chip, caps)->mask == UINT32_C(1) << before.region) ||
        !hs_chip_allocate(chip, request, &moved)) {
        return;
    }
    const uint32_t owner = shadow->owner[id];
    shadow->place[id] = moved;
    /* Both are in the lists for a moment, the old one under its own number. */
    shadow->place[IDS - 1] = before;
    shadow->owner[IDS - 1] = owner;
    task_t *of = find_task(shadow, owner);
    heap_t *heap = of != NULL ? heap_of(of, before.region) : NULL;
    for (uint32_t i = 0; heap != NULL && i < heap->count; i++) {
        heap->entries[i].id = heap->entries[i].id == id ? IDS - 1 : heap->entries[i].id;
    }
    for (uint32_t i = 0; i < TASKS; i++) {
        shadow->control[i] = shadow->control[i] == id ? IDS - 1 : shadow->control[i];
    }
    on_allocated(shadow, id, task);
    shadow_free(shadow, IDS - 1);
}

/* ---- both ---- */

static void compare(const shadow_t *shadow, const hs_replay_t *replay, uint32_t ids, unsigned event)
{
    for (uint32_t i = 0; i < REGIONS; i++) {
        const hs_tally_t *one = &replay->chip.region[i].heap->tally;
        const hs_tally_t *other = &shadow->chip.region[i].heap->tally;
        CHECK(one->used == other->used && one->used_blocks == other->used_blocks &&
                  one->minimum_free == other->minimum_free,
              "event %u: region %u: %u B in %u blocks, %u in %u", event, i, one->used,
              one->used_blocks, other->used, other->used_blocks);
    }
    for (uint32_t id = ids < 40 ? 0 : ids - 40; id < ids; id++) {
        const hs_block_t *block = hs_blocks_find(&replay->blocks, id);
        if (block != NULL && !(block->flags & HS_BLOCK_NOWHERE)) {
            CHECK(block->place.region == shadow->place[id].region &&
                      block->place.offset == shadow->place[id].offset,
                  "event %u: block %u", event, id);
        }
    }
}

static void open_both(shadow_t *shadow, hs_replay_t *replay, hs_lab_region_t *regions,
                      const char *allocator, hs_lab_config_t *config)
{
    uint32_t where, kinds;
    uint64_t unplaced;
    *config = config_like_esp32(regions, allocator);
    memset(shadow, 0, sizeof *shadow);
    CHECK(hs_replay_init(replay, config, &where) == HS_OK, "init");
    CHECK(replay->chip.lists != NULL && replay->chip.lists->host == HOST, "the largest");
    CHECK(hs_chip_init(&shadow->chip, config, &where, &kinds, &unplaced) == HS_OK, "init");
    hs_lists_free(&shadow->chip);
    for (uint32_t i = 0; i < IDS; i++) {
        shadow->owner[i] = TASKS;
    }
    for (uint32_t i = 0; i < TASKS; i++) {
        shadow->handle[i] = i;
        shadow->control[i] = UINT32_MAX;
        hs_ledger_slot(&replay->measure.owners, i); /* slots in their order */
    }
}

/* A task begins: the block before it is its control block. */
static void begin_task(shadow_t *shadow, uint32_t task, uint32_t id)
{
    if (shadow->owner[id] != TASKS) {
        const hs_place_t *place = &shadow->place[id];
        shadow->control[task] = id;
        shadow->handle[task] = shadow->chip.region[place->region].start + place->offset;
    }
}

static void run(check_random_t *random, const char *allocator)
{
    static const uint32_t caps[] = {0, 0, 0, 0, 0, DMA, WORD, EXEC | DEFAULT, IRAM_BYTE};
    static shadow_t shadow;
    hs_lab_region_t regions[REGIONS];
    hs_lab_config_t config;
    hs_replay_t replay;
    open_both(&shadow, &replay, regions, allocator, &config);
    uint32_t ids = 0, newest = OLD;
    for (unsigned n = 0; n < EVENTS; n++) {
        const uint32_t task = check_below(random, 3) != 0 || newest == OLD
                                  ? check_below(random, OLD)
                                  : newest - 1 - check_below(random, newest - OLD < 4 ? 1 : 4);
        const uint32_t dice = check_below(random, 100);
        const uint32_t old = ids == 0 ? 0 : ids - 1 - check_below(random, ids < 60 ? ids : 60);
        hs_event_t event = {.task = task,
                            .size = 1 + check_below(random, 1u << check_below(random, 12))};
        event.caps = caps[check_below(random, sizeof caps / sizeof caps[0])];
        hs_request_t request = {.size = (uint32_t)event.size, .caps = event.caps};
        if (ids == 0 || dice < 45) {
            event.kind = HS_EVENT_MALLOC;
            event.key = ids;
            shadow_malloc(&shadow, ids++, &request, task);
        } else if (dice < 60) {
            event.kind = HS_EVENT_REALLOC;
            event.key = event.new_key = old;
            shadow_realloc(&shadow, old, &request, task);
        } else {
            event.kind = HS_EVENT_FREE;
            event.key = old;
            shadow_free(&shadow, old);
        }
        CHECK(hs_replay_events(&replay, n, &event, 1) == HS_OK, "event %u", n);
        compare(&shadow, &replay, ids, n);
        const bool begins = event.kind == HS_EVENT_MALLOC && newest < TASKS &&
                            shadow.owner[ids - 1] != TASKS && check_below(random, 8) == 0;
        event = (hs_event_t){.kind = begins ? HS_EVENT_TASK_START : HS_EVENT_TASK_END};
        if (begins) {
            begin_task(&shadow, newest, ids - 1);
            event.key = newest++;
            CHECK(hs_replay_events(&replay, n + 1, &event, 1) == HS_OK, "start");
        } else if (newest > OLD && check_below(random, 8) == 0) {
            event.key = OLD + check_below(random, newest - OLD);
            shadow.ended[event.key] = true;
            CHECK(hs_replay_events(&replay, n + 1, &event, 1) == HS_OK, "end");
        }
    }
    CHECK(replay.summary.failures > 10 && newest > OLD + 20, "%s: failures and tasks", allocator);
    while (shadow.count != 0) {
        remove_task(&shadow, shadow.count - 1);
    }
    hs_chip_free(&shadow.chip);
    hs_replay_free(&replay);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    run(&random, "idf-5.5+track");
    run(&random, "idf-5.5+light+track");
    run(&random, "idf-5.5+full+track");
    return 0;
}
