/* The pool that cannot fail: what its proof takes for granted holds on every heap, and no program is refused on it. */
#include <stdlib.h>
#include <string.h>

#include "../models/program.h"
#include "fit/bound.h"

#define BASE 0x20000000u
#define SIZES 5u
#define BLOCKS 64u
#define STATES 60000u

typedef struct program_class {
    const char *name;
    hs_allocator_t allocator;
    uint32_t count;
    hs_sized_t sizes[SIZES];
    uint64_t live_most;
    uint32_t pool;
    uint32_t header; /* of a free block */
} class_t;

/* False: the allocator does not say when it serves a request, or makes no such pool. */
static bool make_class(class_t *class, const char *name, const uint32_t *requests, uint32_t count,
                       uint32_t blocks)
{
    memset(class, 0, sizeof *class);
    CHECK(hs_allocator_parse(name, &class->allocator) == HS_OK, "%s", name);
    class->name = name;
    class->count = count;
    if (class->allocator.model->search == HS_SEARCH_UNKNOWN) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        CHECK(hs_bound_size(class->allocator, BASE, requests[i], &class->sizes[i]) == HS_OK,
              "%s: %u bytes", name, requests[i]);
    }
    class->live_most = (uint64_t)class->sizes[count - 1].taken * blocks;
    const hs_model_t *model = class->allocator.model;
    const uint64_t bytes =
        hs_bound_of(class->sizes, count, class->live_most, model->search == HS_SEARCH_LOWEST, NULL);
    class->pool = (uint32_t)hs_bound_pool(class->allocator, BASE, bytes);
    if (class->pool == 0) {
        return false;
    }
    hs_sim_t *fresh = hs_sim_new(class->allocator, BASE, class->pool, NULL);
    class->header =
        (uint32_t)hs_bound_bytes(class->allocator, BASE, class->pool) - hs_sim_largest_free(fresh);
    hs_sim_delete(fresh);
    return true;
}

/* ---- the heap as it lies -------------------------------------------------------------------------- */

typedef struct view {
    const class_t *class;
    uint64_t free; /* bytes, with headers */
    uint32_t largest, lowest, wanted;
    bool was_free;
} view_t;

static bool see(void *context, const hs_walk_block_t *block)
{
    view_t *view = context;
    if (program_is_own(view->class->name) && block->size <= 8) {
        view->was_free = false; /* a slot of a slab, which is one used block */
        return true;
    }
    CHECK(block->used || !view->was_free, "%s: two free blocks side by side", view->class->name);
    view->was_free = !block->used;
    if (!block->used) {
        const uint32_t size = block->size + view->class->header;
        view->free += size;
        view->largest = size > view->largest ? size : view->largest;
        view->lowest =
            size > view->wanted && block->offset < view->lowest ? block->offset : view->lowest;
    }
    return true;
}

static view_t look(const class_t *class, const hs_sim_t *heap, uint32_t wanted)
{
    view_t view = {.class = class, .lowest = HS_NONE, .wanted = wanted};
    hs_sim_walk(heap, see, &view);
    return view;
}

/* ---- programs of the class ------------------------------------------------------------------------ */

typedef struct run {
    const class_t *class;
    hs_sim_t *heap;
    uint32_t offsets[BLOCKS];
    uint32_t which[BLOCKS];
    uint32_t count;
    uint64_t live;
    uint64_t all; /* bytes of the new heap */
} run_t;

/* False: it is refused, or no program of the class may ask for it now. */
static bool take(run_t *run, uint32_t which, bool *refused)
{
    const hs_sized_t *size = &run->class->sizes[which];
    *refused = false;
    if (run->count == BLOCKS || run->live + size->taken > run->class->live_most) {
        return false;
    }
    const uint32_t offset = hs_sim_malloc(run->heap, size->request);
    *refused = offset == HS_NONE;
    if (!*refused) {
        run->offsets[run->count] = offset;
        run->which[run->count++] = which;
        run->live += size->taken;
    }
    return !*refused;
}

static void give(run_t *run, uint32_t index)
{
    hs_sim_free(run->heap, run->offsets[index], false);
    run->live -= run->class->sizes[run->which[index]].taken;
    run->count--;
    run->offsets[index] = run->offsets[run->count];
    run->which[index] = run->which[run->count];
}

/* A realloc holds both blocks, and stays within the class by it. */
static void grow(run_t *run, uint32_t index, uint32_t which)
{
    const hs_sized_t *sizes = run->class->sizes;
    if (run->live + sizes[which].taken > run->class->live_most) {
        return;
    }
    const uint32_t offset = hs_sim_realloc(run->heap, run->offsets[index], sizes[which].request);
    CHECK(offset != HS_NONE, "%s: a realloc is refused", run->class->name);
    run->live += sizes[which].taken;
    run->live -= sizes[run->which[index]].taken;
    run->offsets[index] = offset;
    run->which[index] = which;
}

/* Frees all blocks that are nearer to the one kept before than the largest request. */
static void thin(run_t *run, uint32_t apart)
{
    uint32_t kept = 0;
    for (uint32_t low = 0;; kept = low) {
        low = HS_NONE;
        for (uint32_t i = 0; i < run->count; i++) {
            low = run->offsets[i] > kept && run->offsets[i] < low ? run->offsets[i] : low;
        }
        if (low == HS_NONE) {
            return;
        }
        for (uint32_t i = 0; low < kept + apart && i < run->count; i++) {
            if (run->offsets[i] == low) {
                give(run, i);
                low = kept;
                break;
            }
        }
    }
}

/* Each block lies where the proof says it may, and what is not free is no more than its blocks may take. */
static void check_look(const run_t *run)
{
    const view_t view = look(run->class, run->heap, 0);
    const uint64_t all = run->all;
    CHECK(all <= view.free + run->live + (view.free == 0 ? run->class->header : 0),
          "%s: %llu bytes are taken for %llu", run->class->name,
          (unsigned long long)(all - view.free), (unsigned long long)run->live);
}

static void one_program(const class_t *class, uint32_t pool, check_random_t *random, int steps,
                        uint32_t *refusals)
{
    run_t run = {.class = class, .heap = hs_sim_new(class->allocator, BASE, pool, NULL)};
    if (run.heap == NULL) {
        return;
    }
    run.all = hs_bound_bytes(class->allocator, BASE, pool);
    const bool lowest = class->allocator.model->search == HS_SEARCH_LOWEST;
    for (int step = 0; step < steps; step++) {
        const uint32_t draw = check_below(random, 100);
        const uint32_t which = check_below(random, 4) ? (uint32_t)step / 40 % class->count
                                                      : check_below(random, class->count);
        const view_t before = look(class, run.heap, class->sizes[which].gap);
        bool refused = false;
        if (draw < 70) {
            const bool taken = take(&run, which, &refused);
            CHECK(!refused || before.largest <= class->sizes[which].gap,
                  "%s: %u bytes are refused, and %u are free in one block", class->name,
                  class->sizes[which].request, before.largest);
            CHECK(!lowest || !taken || run.offsets[run.count - 1] <= before.lowest,
                  "%s: a lower block serves it", class->name);
        } else if (draw < 72) {
            thin(&run, class->sizes[class->count - 1].gap);
        } else if (run.count != 0 && draw < 80 && pool >= class->pool) {
            grow(&run, check_below(random, run.count), which);
        } else if (run.count != 0) {
            give(&run, check_below(random, run.count));
        }
        *refusals += refused;
        check_look(&run);
    }
    hs_sim_delete(run.heap);
}

static void try_allocator(const char *name, check_random_t *random)
{
    static const uint32_t requests[][SIZES] = {
        {4, 12, 24, 40, 100}, {16, 64, 65, 200, 777}, {1, 8, 9, 300, 1000}, {32, 33, 34, 35, 36}};
    class_t class;
    const uint32_t *some = requests[check_below(random, sizeof requests / sizeof requests[0])];
    if (!make_class(&class, name, some, SIZES, 3 + check_below(random, 6))) {
        return;
    }
    uint32_t refusals = 0, small = 0;
    one_program(&class, class.pool, random, 200, &refusals);
    CHECK(refusals == 0, "%s: refused on %u bytes", name, class.pool);
    one_program(&class, class.pool - class.pool / 3, random, 100, &small);
}

/* ---- all programs there are ------------------------------------------------------------------------ */

typedef struct state {
    uint32_t count;
    uint32_t at[12]; /* offset and size of its blocks, ascending */
    hs_sim_t *heap;
    run_t run;
} state_t;

static uint32_t as_key(const run_t *run, uint32_t index)
{
    return run->offsets[index] << 3 | run->which[index];
}

static int by_value(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* False: there was such a state. */
static bool add_state(state_t *all, uint32_t *count, const run_t *run)
{
    state_t *state = &all[*count];
    CHECK(run->count <= 12 && *count < STATES, "%s: %u states", run->class->name, *count);
    memset(state, 0, sizeof *state);
    state->count = run->count;
    for (uint32_t i = 0; i < run->count; i++) {
        state->at[i] = as_key(run, i);
    }
    qsort(state->at, state->count, sizeof state->at[0], by_value);
    for (uint32_t i = 0; i < *count; i++) {
        if (all[i].count == state->count && memcmp(all[i].at, state->at, sizeof state->at) == 0) {
            return false;
        }
    }
    state->run = *run;
    (*count)++;
    return true;
}

/* Whether some program of the class is refused on this pool. For allocators whose answers follow from where the
 * blocks lie. */
static bool some_fails(const class_t *class, uint32_t pool)
{
    state_t *all = calloc(STATES, sizeof *all);
    uint32_t count = 0;
    bool fails = false;
    run_t first = {.class = class, .heap = hs_sim_new(class->allocator, BASE, pool, NULL)};
    add_state(all, &count, &first);
    for (uint32_t at = 0; at < count && !fails; at++) {
        for (uint32_t move = 0; move < class->count + all[at].run.count; move++) {
            run_t run = all[at].run;
            bool refused = false;
            run.heap = hs_sim_clone(all[at].run.heap);
            if (move >= class->count) {
                give(&run, move - class->count);
            } else if (!take(&run, move, &refused)) {
                fails = fails || refused;
            }
            if (!add_state(all, &count, &run)) {
                hs_sim_delete(run.heap);
            }
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        hs_sim_delete(all[i].run.heap);
    }
    free(all);
    return fails;
}

/* `fails`: an eighth more than can be live is too little, so that the class is a hard one. */
static void try_all_programs(const char *name, uint32_t small, uint32_t large, bool fails)
{
    const uint32_t requests[] = {small, large};
    class_t class;
    CHECK(make_class(&class, name, requests, 2, 2), "%s", name);
    CHECK(!some_fails(&class, class.pool), "%s: %u bytes fail", name, class.pool);
    const uint64_t eighth = class.live_most * 9 / 8;
    const uint32_t little = (uint32_t)hs_bound_pool(class.allocator, BASE, eighth);
    CHECK(!fails || some_fails(&class, little), "%s: %u bytes never fail", name, little);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    const char *name;
    for (size_t i = 0; (name = program_next(&i)) != NULL;) {
        try_allocator(name, &random);
    }
    try_all_programs("heap_4", 8, 40, false);
    try_all_programs("heap_4", 8, 72, true);
    try_all_programs("idf-4.2", 8, 40, false);
    return 0;
}
