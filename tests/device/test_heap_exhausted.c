/*
 * Out of memory at each n-th call: a recorded program is run again and again, and each time another
 * of its allocations finds the heap full. It fails, all else stays as it was, and when the memory is
 * back the same call succeeds. Then the same programs in heaps that are too small for them.
 */
#include "program.h"

#define CALLS 60u
#define IDS 16u
#define LARGE ((size_t)16384)

typedef enum kind { MALLOC, CALLOC, ALIGNED, REALLOC, FREE } kind_t;

typedef struct call {
    kind_t kind;
    size_t id;
    size_t size;
} call_t;

typedef struct replay {
    shadow_t shadow;
    uint8_t *blocks[IDS]; /* by id; NULL: none */
    size_t failures;
} replay_t;

static replay_t replay;

static void record(call_t *calls, check_random_t *random)
{
    bool live[IDS] = {false};
    for (size_t i = 0; i < CALLS; i++) {
        size_t id = check_below(random, IDS);
        size_t size = 1 + check_below(random, 8u << check_below(random, 7));
        kind_t kind = live[id] ? (check_below(random, 2) == 0 ? FREE : REALLOC)
                               : (kind_t)check_below(random, 3);
        calls[i] = (call_t){kind, id, size};
        live[id] = kind != FREE;
    }
}

static void open_replay(const hs_heap_config_t *config, size_t size)
{
    memset(replay.blocks, 0, sizeof replay.blocks);
    replay.failures = 0;
    CHECK(shadow_open(&replay.shadow, "exhausted", region_open(size, 4), config, size), "%zu",
          size);
}

/* Runs one call; a call on an id whose allocation failed is left out. False: it found no memory. */
static bool run_call(const call_t *call)
{
    shadow_t *shadow = &replay.shadow;
    uint8_t **block = &replay.blocks[call->id];
    if (call->kind <= ALIGNED) {
        *block = call->kind == MALLOC   ? shadow_malloc(shadow, call->size)
                 : call->kind == CALLOC ? shadow_calloc(shadow, 1, call->size)
                                        : shadow_aligned(shadow, 64, call->size, 0);
        return *block != NULL;
    }
    if (*block == NULL) {
        return true;
    }
    size_t index = shadow_place(shadow, *block);
    if (call->kind == FREE) {
        shadow_free(shadow, index);
        *block = NULL;
        return true;
    }
    index = shadow_realloc(shadow, index, call->size);
    if (index == SIZE_MAX) {
        return false; /* shadow_realloc() has seen that the old block is whole */
    }
    *block = shadow->blocks[index].at;
    return true;
}

/* Takes all that is left; gives how many blocks that made. */
static size_t fill(uint8_t **fillers, size_t room)
{
    shadow_t *shadow = &replay.shadow;
    size_t count = 0;
    while (shadow->largest > 0) {
        CHECK(count < room, "more than %zu holes", room);
        fillers[count] = shadow_malloc(shadow, shadow->largest);
        count++;
    }
    CHECK(shadow->free == 0, "%zu bytes left of a full heap", shadow->free);
    return count;
}

static void drain(uint8_t **fillers, size_t count)
{
    shadow_t *shadow = &replay.shadow;
    while (count > 0) {
        count--;
        shadow_free(shadow, shadow_place(shadow, fillers[count]));
    }
}

/* Would the call need memory that it has not got? */
static bool needs_memory(const call_t *call)
{
    const uint8_t *block = replay.blocks[call->id];
    if (call->kind == REALLOC) {
        return block != NULL && hs_heap_usable_size(replay.shadow.heap, block) < call->size;
    }
    return call->kind != FREE;
}

/* The n-th call runs into a full heap. False: not one that can. */
static bool fail_at(const hs_heap_config_t *config, const call_t *calls, size_t nth)
{
    static uint8_t *fillers[512];
    open_replay(config, LARGE);
    for (size_t i = 0; i < CALLS; i++) {
        bool failed = false;
        if (i == nth) {
            if (!needs_memory(&calls[i])) {
                shadow_close(&replay.shadow);
                return false;
            }
            size_t count = fill(fillers, sizeof fillers / sizeof fillers[0]);
            size_t used = replay.shadow.count;
            failed = !run_call(&calls[i]);
            CHECK(failed && replay.shadow.count == used, "call %zu succeeds in a full heap", i);
            drain(fillers, count);
        }
        CHECK(run_call(&calls[i]), "call %zu fails, after call %zu %s", i, nth,
              failed ? "now" : "before");
    }
    shadow_close(&replay.shadow);
    return true;
}

static void run_short(const hs_heap_config_t *config, const call_t *calls, size_t size)
{
    open_replay(config, size);
    for (size_t i = 0; i < CALLS; i++) {
        replay.failures += run_call(&calls[i]) ? 0 : 1;
    }
    while (replay.shadow.count > 0) {
        shadow_free(&replay.shadow, replay.shadow.count / 2);
    }
    CHECK(replay.shadow.free_blocks == 1, "%zu blocks", replay.shadow.free_blocks);
    shadow_close(&replay.shadow);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    size_t failed = 0;
    size_t refused = 0;
    size_t heaps = 0;
    for (int form = HS_FORM_SMALL; form <= HS_FORM_WORD; form++) {
        for (uint32_t alignment = 8; alignment <= 16; alignment *= 2) {
            const hs_heap_config_t config = {(hs_form_t)form, alignment};
            for (int program = 0; program < check_rounds(6); program++) {
                call_t calls[CALLS];
                record(calls, &random);
                for (size_t nth = 0; nth < CALLS; nth += CHECK_THIN) {
                    failed += fail_at(&config, calls, nth) ? 1 : 0;
                }
                for (size_t size = 250; size < 4000; size += 56 * CHECK_THIN) {
                    run_short(&config, calls, size);
                    refused += replay.failures;
                    heaps++;
                }
            }
        }
    }
    printf("%zu calls in a full heap, %zu refused in %zu small ones\n", failed, refused, heaps);
    CHECK(failed > 36 * CALLS / 3 / CHECK_THIN / 8 && refused > heaps, "too few failures");
    return 0;
}
