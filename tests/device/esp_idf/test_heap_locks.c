/* Each heap of heap_caps has a lock of its own. A call holds one of them at a time, and a walk, which a
 * panic handler makes, waits for no heap but those that it walks. */
#include <esp_heap_caps.h>
#include <esp_heap_caps_init.h>
#include <multi_heap.h>

#include "../../models/check.h"
#include "../src/heaps.h"

#define LOCKS (HS_REGIONS_MAX + 1)

static const void *known[LOCKS]; /* locks in the order in which they were seen first */
static unsigned held[LOCKS];
static unsigned taken[LOCKS];
static unsigned deep;
static const void *shared; /* the lock of what the heaps share */
static bool watched;

static unsigned number_of(const void *lock)
{
    unsigned i = 0;
    while (i < LOCKS && known[i] != lock && known[i] != NULL) {
        i++;
    }
    CHECK(i < LOCKS, "more locks than heaps");
    known[i] = lock;
    return i;
}

void heapscope_esp_lock(void *lock)
{
    const unsigned i = number_of(lock);
    CHECK(deep == 0 || held[i] != 0 || !watched || held[number_of(shared)] != 0,
          "a heap's lock is taken while another one is held");
    CHECK(lock != shared || deep == 0 || held[i] != 0, "the outer lock is taken within a heap's");
    held[i]++;
    taken[i]++;
    deep++;
}

void heapscope_esp_unlock(void *lock)
{
    const unsigned i = number_of(lock);
    CHECK(held[i] != 0, "unlocked without a lock");
    held[i]--;
    deep--;
}

/* How many locks were taken since the last time; and whether the shared one was. */
static unsigned count(bool *outer)
{
    unsigned locks = 0;
    *outer = taken[number_of(shared)] != 0;
    for (unsigned i = 0; i < LOCKS; i++) {
        locks += taken[i] != 0 ? 1 : 0;
        taken[i] = 0;
    }
    return locks;
}

static bool visit(walker_heap_into_t heap, walker_block_info_t block, void *blocks)
{
    (void)heap;
    (void)block;
    ++*(unsigned *)blocks;
    return true;
}

int main(void)
{
    bool outer;
    unsigned blocks = 0;
    heapscope_esp_heaps_lock(NULL);
    shared = known[0];
    heapscope_esp_heaps_unlock(NULL);
    (void)heap_caps_get_free_size(MALLOC_CAP_8BIT);
    (void)count(&outer);
    watched = true;
    uint8_t *inside = heap_caps_malloc(100, MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT);
    CHECK(inside != NULL && count(&outer) >= 1, "malloc");
    uint8_t *outside = heap_caps_malloc(100, MALLOC_CAP_SPIRAM);
    CHECK(outside != NULL && count(&outer) >= 1 && (HEAPSCOPE_ESP_TASKS || !outer), "in PSRAM");
    inside = heap_caps_realloc(inside, 200, MALLOC_CAP_SPIRAM);
    CHECK(inside != NULL && count(&outer) >= 2, "from one heap to another");
    inside = heap_caps_realloc(inside, 5000, MALLOC_CAP_SPIRAM);
    CHECK(inside != NULL, "within a heap");
    (void)count(&outer);
    heap_caps_walk(MALLOC_CAP_SPIRAM, visit, &blocks);
    CHECK(blocks >= 3 && count(&outer) == 1 && !outer, "the walk of one heap takes its lock alone");
    heap_caps_walk_all(visit, &blocks);
    CHECK(count(&outer) > 1 && !outer, "the walk of all takes theirs");
    CHECK(heap_caps_check_integrity_all(true) && count(&outer) > 1 && !outer, "check");
    multi_heap_info_t info;
    heap_caps_get_info(&info, MALLOC_CAP_SPIRAM);
    CHECK(info.allocated_blocks == 2 && count(&outer) == 1 && !outer, "info");
    heap_caps_free(inside);
    heap_caps_free(outside);
    CHECK(deep == 0, "a lock is held");
    return 0;
}
