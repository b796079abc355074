/*
 * Pools beside a shadow that knows each block of each pool: where every request must land, to the
 * byte, when a pool grows and by how much, what it has used, and which events are reported. The source
 * gives blocks of the host's own heap, so that a sanitizer sees every byte beyond them.
 */
#include <string.h>

#include "../models/check.h"
#include "heapscope/pool.h"

enum { POOLS = 12, BLOCKS = 400, PIECES = 4000 };
#define SKEW sizeof(void *) /* blocks are aligned to a pointer and to no more */

typedef struct block {
    uint8_t *start;
    size_t size;
    uintptr_t at;
} block_t;

typedef struct piece {
    uint8_t *at;
    size_t size;
    uint8_t filling;
} piece_t;

typedef struct shadow_pool {
    hs_pool_t *pool;
    char name[HS_POOL_NAME];
    size_t increment;
    uint32_t number, failures;
    block_t blocks[BLOCKS]; /* the first one first */
    size_t block_count;
    piece_t pieces[PIECES];
    size_t piece_count;
    size_t used;
} shadow_pool_t;

static struct {
    check_random_t random;
    hs_pools_t pools;
    shadow_pool_t pool[POOLS];
    size_t pool_count; /* the oldest first */
    size_t budget, taken, peak;
    uint32_t next_number, failures;
    uint8_t *last;    /* block that the source gave */
    size_t last_size; /* 0: it was not asked */
    size_t events[HS_POOL_FAILED + 1], expected[HS_POOL_FAILED + 1];
    hs_pool_event_t event;
} test;

/* ---- source and observer ---------------------------------------------------------------------- */

static void *take(void *context, size_t size)
{
    CHECK(context == &test, "the source's context");
    test.last_size = size;
    test.last = NULL;
    if (size > test.budget - test.taken) {
        return NULL;
    }
    uint8_t *raw = malloc(size + SKEW);
    uint8_t *block = (uintptr_t)raw % (2 * SKEW) == 0 ? raw + SKEW : raw;
    CHECK(raw != NULL && block == raw + SKEW, "malloc's alignment");
    memset(block, 0xA7, size);
    test.taken += size;
    test.last = block;
    return block;
}

static void give(void *context, void *block, size_t size)
{
    CHECK(context == &test && block != NULL, "the source's context");
    CHECK(size <= test.taken, "%zu bytes given back of %zu", size, test.taken);
    test.taken -= size;
    memset(block, 0xD1, size); /* it was as large */
    free((uint8_t *)block - SKEW);
}

static void observe(void *context, const hs_pool_event_t *event)
{
    CHECK(context == &test, "the observer's context");
    test.events[event->kind]++;
    test.event = *event;
}

static void check_events(void)
{
    test.peak = test.taken > test.peak ? test.taken : test.peak;
    for (int kind = 0; kind <= HS_POOL_FAILED; kind++) {
        CHECK(test.events[kind] == test.expected[kind], "%zu events %d, not %zu", test.events[kind],
              kind, test.expected[kind]);
    }
}

/* ---- the shadow ------------------------------------------------------------------------------- */

static uintptr_t up(uintptr_t at, size_t alignment)
{
    return (at + alignment - 1) / alignment * alignment;
}

static void check_pool(const shadow_pool_t *shadow)
{
    size_t allocated = 0;
    size_t largest = 0;
    for (size_t i = 0; i < shadow->block_count; i++) {
        const block_t *block = &shadow->blocks[i];
        allocated += block->size;
        uintptr_t at = up(block->at, HS_POOL_ALIGNMENT);
        uintptr_t end = (uintptr_t)block->start + block->size;
        if (i + HS_POOL_LOOK >= shadow->block_count && at < end && end - at > largest) {
            largest = end - at;
        }
    }
    hs_pool_info_t info;
    hs_pool_info(shadow->pool, &info);
    CHECK(strcmp(info.name, shadow->name) == 0, "%s is %s", info.name, shadow->name);
    CHECK(info.number == shadow->number, "%s: number %u", info.name, (unsigned)info.number);
    CHECK(info.blocks == shadow->block_count, "%s: %u blocks", info.name, (unsigned)info.blocks);
    CHECK(info.used == shadow->used, "%s: %zu used, not %zu", info.name, info.used, shadow->used);
    CHECK(info.allocated == allocated, "%s: %zu of %zu", info.name, info.allocated, allocated);
    CHECK(info.largest == largest, "%s: largest %zu, not %zu", info.name, info.largest, largest);
    CHECK(info.increment == shadow->increment, "%s", info.name);
    CHECK(info.failures == shadow->failures, "%s: %u", info.name, (unsigned)info.failures);
    CHECK(info.utilisation == info.used * 100 / allocated, "%s", info.name);
    for (size_t i = 0; i < shadow->piece_count; i++) {
        const piece_t *piece = &shadow->pieces[i];
        for (size_t at = 0; at < piece->size; at++) {
            CHECK(piece->at[at] == piece->filling, "%s: byte %zu of piece %zu", info.name, at, i);
        }
    }
}

static bool check_walked(void *context, const hs_pool_t *pool)
{
    size_t *left = context;
    CHECK(*left > 0 && test.pool[--*left].pool == pool, "the walk's order");
    return true;
}

static void check_all(void)
{
    size_t left = test.pool_count;
    hs_pools_walk(&test.pools, check_walked, &left);
    CHECK(left == 0, "%zu pools were not walked", left);
    for (size_t i = 0; i < test.pool_count; i++) {
        check_pool(&test.pool[i]);
    }
    CHECK(test.pools.allocated == test.taken, "%zu, not %zu", test.pools.allocated, test.taken);
    CHECK(test.pools.peak_allocated == test.peak, "peak %zu", test.pools.peak_allocated);
    CHECK(test.pools.failures == test.failures, "%u failures", (unsigned)test.pools.failures);
}

/* The pool with its first block alone, as after its creation. */
static void begin(shadow_pool_t *shadow)
{
    block_t *first = &shadow->blocks[0];
    shadow->block_count = 1;
    shadow->piece_count = 0;
    shadow->number = test.next_number++;
    hs_pool_info_t info;
    hs_pool_info(shadow->pool, &info);
    CHECK((uint8_t *)shadow->pool > first->start, "the pool lies outside its first block");
    shadow->used = info.used; /* its own data: that many bytes, whatever the pool */
    first->at = (uintptr_t)first->start + info.used;
    test.expected[HS_POOL_CREATED]++;
    check_events();
    CHECK(test.event.kind == HS_POOL_CREATED && test.event.size == first->size &&
              test.event.increment == shadow->increment && test.event.number == shadow->number,
          "the event of a creation");
}

static size_t own_bytes; /* of a pool, in its first block */

static void create(size_t initial, size_t increment)
{
    static const char *const names[] = {"ice", "a-name-of-15-let", NULL, "", "fifteen-letters"};
    const char *name = names[check_below(&test.random, 5)];
    shadow_pool_t *shadow = &test.pool[test.pool_count];
    shadow->pool = hs_pool_create(&test.pools, name, initial, increment);
    CHECK(test.last_size == (initial < own_bytes ? own_bytes : initial), "asked for %zu",
          test.last_size);
    if (test.last == NULL) {
        CHECK(shadow->pool == NULL, "a pool of nothing");
        test.failures++;
        test.expected[HS_POOL_FAILED]++;
        return;
    }
    CHECK(shadow->pool != NULL, "no pool of %zu", initial);
    snprintf(shadow->name, sizeof shadow->name, "%s", name == NULL ? "" : name);
    shadow->increment = increment;
    shadow->failures = 0;
    shadow->blocks[0] = (block_t){test.last, test.last_size, 0};
    test.pool_count++;
    begin(shadow);
}

/* Where a request of `size` must land: its block; NULL: there is no room. */
static block_t *room(shadow_pool_t *shadow, size_t alignment, size_t size, uintptr_t *at)
{
    for (size_t i = 0; i < HS_POOL_LOOK && i < shadow->block_count; i++) {
        block_t *block = &shadow->blocks[shadow->block_count - 1 - i];
        *at = up(block->at, alignment);
        uintptr_t end = (uintptr_t)block->start + block->size;
        if (*at <= end && end - *at >= size) {
            return block;
        }
    }
    return NULL;
}

static void allocate(shadow_pool_t *shadow, size_t alignment, size_t size)
{
    uintptr_t expected;
    block_t *block = room(shadow, alignment, size, &expected);
    test.last_size = 0;
    bool cleared = alignment == HS_POOL_ALIGNMENT && check_below(&test.random, 2) == 0;
    uint8_t *built = cleared ? hs_pool_calloc(shadow->pool, 1, size)
                             : hs_pool_aligned_alloc(shadow->pool, alignment, size);
    if (block != NULL) {
        CHECK(test.last_size == 0, "it grew though there was room");
    } else if (test.last_size != 0 &&
               test.last != NULL) { /* it grew, and by no more than it must */
        const size_t header = 4 * sizeof(void *);
        size_t slack = alignment > sizeof(void *) ? alignment - sizeof(void *) : 0;
        CHECK(test.last_size % shadow->increment == 0, "grown by %zu", test.last_size);
        CHECK(test.last_size >= header + slack + size, "grown by %zu", test.last_size);
        CHECK(test.last_size - shadow->increment < header + slack + size, "grown by too much");
        block = &shadow->blocks[shadow->block_count++];
        *block = (block_t){test.last, test.last_size, (uintptr_t)test.last + header};
        expected = up(block->at, alignment);
        shadow->used += header;
        test.expected[HS_POOL_GREW]++;
    }
    if (block == NULL) {
        CHECK(built == NULL, "%zu bytes out of nothing", size);
        CHECK(shadow->increment == 0 || test.last_size != 0 || size > SIZE_MAX / 4, "no attempt");
        shadow->failures++;
        test.failures++;
        test.expected[HS_POOL_FAILED]++;
        return;
    }
    CHECK((uintptr_t)built == expected, "%zu bytes at %p", size, (void *)built);
    for (size_t i = 0; cleared && i < size; i++) {
        CHECK(built[i] == 0, "byte %zu of %zu is not cleared", i, size);
    }
    shadow->used += expected + size - block->at;
    block->at = expected + size;
    test.expected[HS_POOL_ALLOCATED]++;
    uint8_t filling = (uint8_t)check_next(&test.random);
    memset(built, filling, size);
    shadow->pieces[shadow->piece_count++] = (piece_t){built, size, filling};
}

static void release(size_t index)
{
    hs_pool_t *pool = test.pool[index].pool;
    CHECK(hs_pool_release(&test.pools, pool) == HS_OK, "release");
    CHECK(hs_pool_release(&test.pools, pool) == HS_ERR_ARGUMENT, "a second release");
    test.expected[HS_POOL_RELEASED]++;
    test.pool_count--;
    memmove(&test.pool[index], &test.pool[index + 1],
            (test.pool_count - index) * sizeof test.pool[0]);
}

/* ---- programs --------------------------------------------------------------------------------- */

static size_t any_size(void)
{
    switch (check_below(&test.random, 12)) {
    case 0:
        return SIZE_MAX >> check_below(&test.random, sizeof(size_t) * 8 - 20);
    case 1:
        return 1 + check_below(&test.random, 20000);
    case 2:
        return 1 + check_below(&test.random, 2000);
    default:
        return 1 + check_below(&test.random, 90);
    }
}

static void step(void)
{
    uint32_t choice = check_below(&test.random, 64);
    if (test.pool_count == 0 || (choice < 3 && test.pool_count < POOLS)) {
        create(check_below(&test.random, 1500), check_below(&test.random, 4) == 0
                                                    ? check_below(&test.random, 3) * 16
                                                    : 1 + check_below(&test.random, 900));
        return;
    }
    size_t index = check_below(&test.random, (uint32_t)test.pool_count);
    shadow_pool_t *shadow = &test.pool[index];
    bool full = shadow->block_count == BLOCKS || shadow->piece_count == PIECES;
    if (choice == 3 || full) {
        hs_pool_reset(shadow->pool);
        test.expected[HS_POOL_RELEASED]++;
        begin(shadow);
    } else if (choice == 4) {
        release(index);
    } else if (choice < 12) {
        allocate(shadow, (size_t)1 << check_below(&test.random, 9), any_size());
    } else {
        allocate(shadow, HS_POOL_ALIGNMENT, any_size());
    }
    check_events();
}

static void check_arguments(void)
{
    hs_pool_t *pool = hs_pool_create(&test.pools, "arguments", 400, 100);
    hs_pools_t other;
    hs_pools_init(&other, test.pools.source, NULL, NULL);
    CHECK(hs_pool_release(&other, pool) == HS_ERR_ARGUMENT, "a foreign pool");
    CHECK(hs_pool_release(&test.pools, NULL) == HS_ERR_ARGUMENT, "no pool");
    CHECK(hs_pool_alloc(pool, 0) == NULL, "0 bytes");
    CHECK(hs_pool_calloc(pool, 0, 4) == NULL && hs_pool_calloc(pool, 4, 0) == NULL, "0 bytes");
    static const size_t wrong[] = {0, 3, 24, HS_ALIGNMENT_MAX * 2u, SIZE_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(hs_pool_aligned_alloc(pool, wrong[i], 4) == NULL, "alignment %zu", wrong[i]);
    }
    hs_pool_info_t info;
    hs_pool_info(pool, &info);
    CHECK(info.failures == 0 && info.used == own_bytes, "refused arguments are no failures");
    CHECK(hs_pool_calloc(pool, SIZE_MAX / 2 + 2, 2) == NULL, "2 bytes by overflow");
    CHECK(hs_pool_calloc(pool, 2, SIZE_MAX / 2 + 2) == NULL, "2 bytes by overflow");
    hs_pool_info(pool, &info);
    CHECK(info.failures == 2, "%u failures", (unsigned)info.failures);
    char text[400];
    hs_text_buffer_t buffer = {text, sizeof text, 0};
    hs_pools_dump(&test.pools, hs_text_to(&buffer));
    char expected[400];
    int length = snprintf(expected, sizeof expected,
                          "       arguments: %8zu of      400 (%zu%%) used\n"
                          "           total: %8zu of      400 (%zu%%) used, peak %zu\n",
                          own_bytes, own_bytes * 100 / 400, own_bytes, own_bytes * 100 / 400,
                          test.pools.peak_allocated);
    CHECK(strcmp(text, expected) == 0, "%s", text);
    CHECK(buffer.length == (size_t)length, "%zu", buffer.length);
    hs_pools_release_all(&test.pools);
    CHECK(test.pools.first == NULL && test.taken == 0, "%zu bytes are left", test.taken);
}

/* A source of one block, which keeps what it was last asked for. */
static size_t requested;

static void *take_once(void *context, size_t size)
{
    void *const block = requested == 0 ? context : NULL;
    requested = size;
    return block;
}

static void give_nowhere(void *context, void *block, size_t size)
{
    CHECK(block == context && size == 400, "another block");
}

/* An increment that nobody has is asked for as it is, not as what is left of it by overflow. */
static void check_huge_increments(void)
{
    static uint64_t memory[400 / 8];
    static const size_t increments[] = {SIZE_MAX, SIZE_MAX - 100, SIZE_MAX / 2 + 1};
    for (size_t i = 0; i < 3; i++) {
        hs_pools_t pools;
        requested = 0;
        hs_pools_init(&pools, (hs_source_t){take_once, give_nowhere, memory}, NULL, NULL);
        hs_pool_t *const pool = hs_pool_create(&pools, "huge", 400, increments[i]);
        CHECK(pool != NULL && hs_pool_alloc(pool, 500) == NULL, "500 bytes of 400");
        CHECK(requested == increments[i], "asked for %zu, not %zu", requested, increments[i]);
        hs_pools_release_all(&pools);
    }
}

/* Numbers begin again before they are too large for a trace. */
static void check_numbers(void)
{
    test.pools.next_number = HS_POOL_NUMBERS - 1;
    hs_pool_info_t last, next;
    hs_pool_info(hs_pool_create(&test.pools, "last", 0, 0), &last);
    hs_pool_info(hs_pool_create(&test.pools, "next", 0, 0), &next);
    CHECK(last.number == HS_POOL_NUMBERS - 1 && next.number == 0, "%u", (unsigned)next.number);
    hs_pools_release_all(&test.pools);
}

/* Pools that grow from a heap of ours: all of it comes back. */
static void check_on_a_heap(void)
{
    static uint64_t memory[1024];
    hs_heap_t *heap = hs_heap_create(memory, sizeof memory, NULL);
    const size_t free = hs_heap_free_size(heap);
    hs_pools_t pools;
    hs_pools_init(&pools, hs_heap_source(heap), NULL, NULL);
    hs_pool_t *pool = hs_pool_create(&pools, "heap", 256, 256);
    size_t got = 0;
    while (hs_pool_alloc(pool, 40) != NULL) {
        got++;
    }
    CHECK(got * 40 > free * 3 / 4, "%zu of %zu bytes", got * 40, free);
    CHECK(hs_heap_free_size(heap) < 300, "%zu bytes left", hs_heap_free_size(heap));
    hs_pools_release_all(&pools);
    CHECK(hs_heap_free_size(heap) == free, "%zu of %zu", hs_heap_free_size(heap), free);
}

int main(int argc, char **argv)
{
    test.random = check_start(argc, argv);
    const hs_source_t source = {take, give, &test};
    test.budget = 2000;
    hs_pools_init(&test.pools, source, NULL, NULL);
    hs_pool_t *smallest = hs_pool_create(&test.pools, NULL, 0, 0);
    own_bytes = test.last_size;
    CHECK(hs_pool_alloc(smallest, 1) == NULL, "a byte in a pool without room");
    CHECK(hs_pool_release(&test.pools, smallest) == HS_OK, "release");
    check_arguments();
    check_huge_increments();
    check_numbers();
    check_on_a_heap();
    hs_pools_init(&test.pools, source, observe, &test);
    test.failures = 0;
    for (int round = 0; round < check_rounds(40); round++) {
        test.budget = 2000 + check_below(&test.random, 200000);
        for (int i = 0; i < 400; i++) {
            step();
            if (i % 8 == 0) {
                check_all();
            }
        }
        while (test.pool_count > 0) {
            release(check_below(&test.random, (uint32_t)test.pool_count));
        }
        check_all();
        CHECK(test.taken == 0, "%zu bytes are left", test.taken);
    }
    return 0;
}
