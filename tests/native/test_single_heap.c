/* A heap without a trace: fills and drills agree with the same requests made one by one. */
#include <string.h>

#include "../models/check.h"
#include "allocators/allocators.h"
#include "lab/lab.h"
#include "model.h"

#define BASE UINT32_C(0x20000000)
#define POOL UINT32_C(20000)

static hs_sim_t *same_heap(const char *name)
{
    hs_allocator_t allocator;
    CHECK(hs_allocator_parse(name, &allocator) == HS_OK, "%s", name);
    hs_sim_t *heap = hs_sim_new(allocator, BASE, POOL, NULL);
    CHECK(heap != NULL, "%s", name);
    return heap;
}

static void fill_is_malloc_until_it_fails(const char *name, uint32_t block)
{
    hs_sim_t *heap = same_heap(name);
    hs_lab_filled_t filled;
    for (uint32_t count = 0;; count++) {
        CHECK(hs_lab_fill_heap(name, BASE, POOL, block, count, &filled) == HS_OK, "%s", name);
        if (filled.blocks != count) {
            CHECK(filled.blocks + 1 == count, "%s: %u of %u", name, filled.blocks, count);
            CHECK(count > 10, "%s: holds nothing", name);
            CHECK(hs_sim_malloc(heap, block) == HS_NONE, "%s: more would fit", name);
            break;
        }
        hs_reported_t reported;
        hs_sim_reported(heap, &reported);
        CHECK(filled.free == heap->tally.free, "%s: free", name);
        CHECK(filled.reported_free == reported.free, "%s: reported", name);
        CHECK(filled.control + filled.used + filled.headers + filled.free == POOL, "%s", name);
        (void)hs_sim_malloc(heap, block); /* whether it failed, the next round tells */
    }
    hs_sim_delete(heap);
}

static uint64_t steps(const hs_sim_t *heap)
{
    return heap->steps.nodes + heap->steps.bins + heap->steps.writes;
}

static uint64_t phase_steps(const hs_lab_phase_t *phase)
{
    return phase->nodes + phase->bins + phase->writes;
}

/* The drill with its order of requests written out. */
static void drill_is_its_requests(const char *name)
{
    const hs_lab_drill_t drill = {.first = 40, .small = 12, .count = 101, .last = 24};
    hs_lab_phase_t phases[HS_LAB_DRILL_PHASES];
    CHECK(hs_lab_drill_heap(name, BASE, POOL, &drill, phases) == HS_OK, "%s", name);
    hs_sim_t *heap = same_heap(name);
    uint32_t blocks[101];
    uint64_t worst = 0;

    uint64_t before = steps(heap);
    CHECK(hs_sim_malloc(heap, 40) != HS_NONE, "%s", name);
    CHECK(phase_steps(&phases[HS_LAB_DRILL_FIRST]) == steps(heap) - before, "%s: first", name);
    before = steps(heap);
    for (uint32_t i = 0; i < 101; i++) {
        blocks[i] = hs_sim_malloc(heap, 12);
    }
    CHECK(phase_steps(&phases[HS_LAB_DRILL_SMALL]) == steps(heap) - before, "%s: small", name);
    before = steps(heap);
    for (uint32_t i = 0; i < 50; i++) {
        const uint64_t start = steps(heap);
        hs_sim_free(heap, blocks[2 * i + 1], false);
        worst = steps(heap) - start > worst ? steps(heap) - start : worst;
    }
    CHECK(phases[HS_LAB_DRILL_FREE].calls == 50, "%s: every second", name);
    CHECK(phase_steps(&phases[HS_LAB_DRILL_FREE]) == steps(heap) - before, "%s: free", name);
    CHECK(phase_steps(&phases[HS_LAB_DRILL_WORST_FREE]) == worst, "%s: worst free", name);
    before = steps(heap);
    CHECK(hs_sim_malloc(heap, 24) != HS_NONE, "%s", name);
    CHECK(phase_steps(&phases[HS_LAB_DRILL_LAST]) == steps(heap) - before, "%s: last", name);
    hs_sim_delete(heap);
}

static void a_full_pool_counts_what_failed(void)
{
    const hs_lab_drill_t drill = {.first = 8, .small = 1000, .count = 100, .last = 8};
    hs_lab_phase_t phases[HS_LAB_DRILL_PHASES];
    CHECK(hs_lab_drill_heap("idf-4.2", BASE, POOL, &drill, phases) == HS_OK, "drill");
    const hs_lab_phase_t *small = &phases[HS_LAB_DRILL_SMALL];
    const hs_lab_phase_t *freed = &phases[HS_LAB_DRILL_FREE];
    CHECK(small->calls == 100 && small->failures == 81, "%u failed", small->failures);
    CHECK(freed->calls == 50 && freed->failures == 41, "%u not freed", freed->failures);
}

static void what_cannot_be_is_reported(void)
{
    const hs_lab_drill_t drill = {.first = 8, .small = 4, .count = 1, .last = 8};
    hs_lab_phase_t phases[HS_LAB_DRILL_PHASES];
    hs_lab_filled_t filled;
    CHECK(hs_lab_fill_heap("none", BASE, POOL, 4, 1, &filled) == HS_ERR_ARGUMENT, "name");
    CHECK(hs_lab_fill_heap("idf-4.2", BASE, 16, 4, 1, &filled) == HS_ERR_MEMORY, "small");
    CHECK(hs_lab_drill_heap("none", BASE, POOL, &drill, phases) == HS_ERR_ARGUMENT, "name");
    CHECK(hs_lab_drill_heap("idf-4.2", BASE, 16, &drill, phases) == HS_ERR_MEMORY, "small");
}

int main(int argc, char **argv)
{
    (void)check_start(argc, argv);
    for (size_t i = 0; hs_allocator_name(i) != NULL; i++) {
        if (strcmp(hs_allocator_name(i), "rtthread-slab") == 0) {
            continue; /* a zone of it takes more than the pool */
        }
        fill_is_malloc_until_it_fails(hs_allocator_name(i), 500);
        drill_is_its_requests(hs_allocator_name(i));
    }
    a_full_pool_counts_what_failed();
    what_cannot_be_is_reported();
    return 0;
}
