/*
 * Every sequence of malloc, free and realloc of a few sizes, to a depth, on heaps so small that all
 * their edges are met. After each call the heap is compared with its shadow from end to end.
 *
 * Two sequences that lead to the same bytes with the same live blocks go on alike: what follows is
 * then tried once. For that, payloads hold a pattern that depends on place and size alone. Counted
 * are both the calls tried and the sequences that they stand for.
 */
#include <stddef.h>

#include "../device/shadow_calls.h"

#define SEEN_SLOTS ((size_t)1 << 21)
#define DEPTH_MAX 16
#define LIVE_MAX 32

typedef struct seen {
    uint64_t state; /* 0: empty */
    double sequences;
    int depth;
} seen_t;

typedef struct saved {
    uint8_t *bytes;
    shadow_t shadow; /* without blocks and stripe, which are saved apart */
    shadow_block_t blocks[LIVE_MAX];
} saved_t;

static shadow_t shadow;
static seen_t *seen;
static size_t states;
static size_t calls;
static const size_t *sizes; /* 0 ends them */
static saved_t saves[DEPTH_MAX];

/* The pattern of a payload, the same whichever way it came there. */
static void normalise(void)
{
    for (size_t i = 0; i < shadow.count; i++) {
        shadow_block_t *block = &shadow.blocks[i];
        uint32_t seed = (uint32_t)(block->at - shadow.region.memory) * 131 + (uint32_t)block->size;
        if (seed != block->seed) {
            block->seed = seed;
            shadow_fill(&shadow, block);
        }
    }
}

static uint64_t state_of(void)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < shadow.region.size; i++) {
        hash = (hash ^ shadow.region.memory[i]) * UINT64_C(0x100000001B3);
    }
    for (size_t i = 0; i < shadow.count; i++) {
        hash = (hash ^ (uint64_t)(shadow.blocks[i].at - shadow.region.memory)) *
               UINT64_C(0x100000001B3);
        hash = (hash ^ shadow.blocks[i].size) * UINT64_C(0x100000001B3);
    }
    hash ^= hash >> 29;
    return hash | 1;
}

/* Where the state is known, to that depth at least; else where it belongs, or NULL: no room. */
static seen_t *look_up(uint64_t state, int depth, bool *known)
{
    *known = false;
    for (size_t i = 0; i < 64; i++) {
        seen_t *entry = &seen[(state + i) % SEEN_SLOTS];
        if (entry->state == state && entry->depth == depth) {
            *known = true;
            return entry;
        }
        if (entry->state == 0) {
            return entry;
        }
    }
    return NULL;
}

static void save(saved_t *to)
{
    CHECK(shadow.count <= LIVE_MAX, "%zu live blocks", shadow.count);
    memcpy(to->bytes, shadow.region.memory, shadow.region.size);
    for (size_t i = 0; i < shadow.count; i++) {
        to->blocks[i] = shadow.blocks[i];
    }
    memcpy(&to->shadow, &shadow, offsetof(shadow_t, stripe));
}

static void restore(const saved_t *from)
{
    shadow_block_t *blocks = shadow.blocks;
    size_t room = shadow.room;
    memcpy(shadow.region.memory, from->bytes, shadow.region.size);
    memcpy(&shadow, &from->shadow, offsetof(shadow_t, stripe));
    shadow.blocks = blocks; /* may have grown */
    shadow.room = room;
    for (size_t i = 0; i < shadow.count; i++) {
        shadow.blocks[i] = from->blocks[i];
    }
}

/* Tries everything that `depth` more calls can be. Gives how many sequences that is. */
static double explore(int depth);

static double after_call(int depth)
{
    calls++;
    normalise();
    return 1 + explore(depth - 1);
}

static double explore(int depth)
{
    bool known;
    if (depth == 0) {
        return 0;
    }
    uint64_t state = state_of();
    seen_t *entry = look_up(state, depth, &known);
    if (known) {
        return entry->sequences;
    }
    saved_t *saved = &saves[depth];
    double sequences = 0;
    save(saved);
    size_t live = shadow.count;
    for (size_t s = 0; sizes[s] != 0; s++) {
        shadow_malloc(&shadow, sizes[s]);
        sequences += after_call(depth);
        restore(saved);
    }
    for (size_t i = 0; i < live; i++) {
        shadow_free(&shadow, i);
        sequences += after_call(depth);
        restore(saved);
        for (size_t s = 0; sizes[s] != 0; s++) {
            (void)shadow_realloc(&shadow, i, sizes[s]);
            sequences += after_call(depth);
            restore(saved);
        }
    }
    entry = look_up(state, depth, &known); /* others may have come in between */
    if (entry != NULL && !known) {
        *entry = (seen_t){state, sequences, depth};
        states++;
    }
    return sequences;
}

static void run(const char *label, const hs_heap_config_t *config, size_t size, size_t skew,
                const size_t *which, int depth)
{
    size_t before = calls;
    sizes = which;
    memset(seen, 0, SEEN_SLOTS * sizeof *seen);
    states = 0;
    CHECK(depth < DEPTH_MAX, "%d", depth);
    CHECK(shadow_open(&shadow, label, region_open_at(size, 4096, skew, 0), config, 11), "%s",
          label);
    for (int i = 0; i < DEPTH_MAX; i++) {
        saves[i].bytes = malloc(size);
        CHECK(saves[i].bytes != NULL, "no memory");
    }
    double sequences = explore(depth);
    printf("%s, %zu bytes, depth %d: %.3g sequences by %zu calls from %zu states\n", label, size,
           depth, sequences, calls - before, states);
    CHECK(calls - before > 1000, "%s: only %zu calls", label, calls - before);
    for (int i = 0; i < DEPTH_MAX; i++) {
        free(saves[i].bytes);
    }
    shadow_close(&shadow);
}

int main(int argc, char **argv)
{
    static const size_t few[] = {8, 16, 40, 0};
    static const size_t slots[] = {1, 8, 24, 0};
    static const size_t words[] = {4, 12, 20, 36, 0};
    static const size_t slab[] = {8, 128, 136, 0};
    static const size_t longs[] = {16, 512, 520, 600, 0};
    static const hs_heap_config_t small = {HS_FORM_SMALL, 8};
    static const hs_heap_config_t small4 = {HS_FORM_SMALL, 4};
    static const hs_heap_config_t small16 = {HS_FORM_SMALL, 16};
    static const hs_heap_config_t wide = {HS_FORM_WIDE, 8};
    int less = argc > 1 ? atoi(argv[1]) : CHECK_THIN > 1; /* negative: deeper */
    seen = calloc(SEEN_SLOTS, sizeof *seen);
    CHECK(seen != NULL, "%s: no memory", argv[0]);
    run("small, blocks", &small, 180, 0, few, 7 - less);
    run("small, slots", &small, 330, 0, slots, 7 - less);
    run("small, slabs", &small, 420, 3, slab, 8 - less);
    run("small, words", &small4, 520, 0, words, 6 - less);
    run("small, aligned to 16", &small16, 260, 1, few, 7 - less);
    run("small, long blocks", &small, 1500, 0, longs, 6 - less);
    run("wide, blocks", &wide, 230, 0, few, 7 - less);
    run("wide, long blocks", &wide, 1500, 5, longs, 6 - less);
    free(seen);
    return 0;
}
