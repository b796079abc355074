#include "calls.h"

#include "shadow.h"

/* A call that took longer was interrupted: the longest one, a walk of the guard, takes fewer. */
#define TICKS_MAX 1000000u

static calls_plan_t plan;
static call_counts_t built;
static uint64_t random_state, until_check;

uint64_t calls_ticks(void)
{
#if defined(__i386__) || defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
#else
    return 0;
#endif
}

void calls_start(const calls_plan_t *wanted)
{
    plan = *wanted;
    random_state = plan.seed;
    until_check = plan.check_every;
}

call_counts_t call_counts(void)
{
    return built;
}

uint64_t calls_sum(void)
{
    return built.mallocs + built.callocs + built.reallocs + built.frees;
}

/* Knuth's MMIX generator; its high bits. */
static bool is_refused(void)
{
    if (plan.refuse_one_in == 0) {
        return false;
    }
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    const bool refused = (random_state >> 33) % plan.refuse_one_in == 0;
    built.refused += refused;
    return refused;
}

static void tell(const char *fault)
{
    if (fault != NULL) {
        plan.end(fault);
    }
}

static void timed(uint64_t begun)
{
    const uint64_t taken = calls_ticks() - begun;
    if (taken < TICKS_MAX) {
        built.timed++;
        built.ticks += taken;
    }
    if (--until_check == 0) {
        until_check = plan.check_every;
        built.checks++;
        tell(heap_is_whole() ? NULL : "metadata");
    }
}

static void *taken(void *block, size_t size, bool cleared)
{
    if (block == NULL) {
        built.failed++;
    } else {
        tell(shadow_taken(block, size, cleared));
    }
    return block;
}

void *calls_malloc(size_t size)
{
    if (size == 0 || is_refused()) {
        return NULL;
    }
    built.mallocs++;
    const uint64_t begun = calls_ticks();
    void *const block = heap_malloc(size);
    timed(begun);
    return taken(block, size, false);
}

void *calls_calloc(size_t count, size_t size)
{
    if (count == 0 || size == 0 || count > SIZE_MAX / size || is_refused()) {
        return NULL;
    }
    built.callocs++;
    const uint64_t begun = calls_ticks();
    void *const block = heap_calloc(count, size);
    timed(begun);
    return taken(block, count * size, true);
}

void *calls_realloc(void *block, size_t size)
{
    if (block == NULL) {
        return calls_malloc(size);
    }
    if (size == 0) {
        calls_free(block);
        return NULL;
    }
    if (is_refused()) {
        return NULL;
    }
    tell(shadow_resizes(block, size));
    built.reallocs++;
    const uint64_t begun = calls_ticks();
    void *const moved = heap_realloc(block, size);
    timed(begun);
    built.failed += moved == NULL;
    tell(shadow_resized(block, moved, size));
    return moved;
}

void calls_free(void *block)
{
    if (block == NULL) {
        return;
    }
    tell(shadow_given(block));
    built.frees++;
    const uint64_t begun = calls_ticks();
    const bool done = heap_free(block);
    timed(begun);
    tell(done ? NULL : "free refused");
}
