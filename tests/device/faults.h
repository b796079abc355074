/*
 * Faults on a guarded heap: what lies where, what a write there must come to at each level, and the
 * memory put back after each. Which writes stay unseen is worked out from the sound heap before they
 * are made (unseen_t); what the guard finds must be exactly the rest.
 */
#ifndef HEAPSCOPE_TESTS_DEVICE_FAULTS_H
#define HEAPSCOPE_TESTS_DEVICE_FAULTS_H

#include "../../device/src/guard/marks.h"
#include "guarded.h"

/* Why a write stays unseen even by a walk. */
typedef enum unseen {
    SEEN,
    SAME,     /* it writes the bytes that stand there */
    SLACK,    /* level 0: into the block's own rounding */
    TAG,      /* level 0: onto owner or site */
    PAYLOAD,  /* into the payload of another block: no byte of a mark is changed */
    FREE,     /* levels 0 and 1: into free memory, beside the heap's own words */
    SLOTS,    /* level 0, small form: a slab's map, as many slots as before being free in it */
    HARMLESS, /* metadata: the same blocks, free and used, come out of it */
    SPLIT,    /* level 0, metadata: other used blocks, as possible as those before */
    REUSED,   /* a stale pointer to where a block lives again */
    FORGED,   /* it writes a trailer that agrees with itself: one in 65 536 */
    UNSEEN
} unseen_t;

static const char *const unseen_names[UNSEEN] = {"seen",    "same",   "slack", "tag",
                                                 "payload", "free",   "slots", "harmless",
                                                 "split",   "reused", "forged"};

typedef struct item {
    uint8_t *at;
    size_t size;
    bool used;
} item_t;

typedef struct scene {
    guarded_t guarded;
    item_t items[1024];
    size_t item_count;
    uint8_t *saved;
    hs_guard_t guard; /* as it was then */
} scene_t;

static inline bool scene_item(void *context, void *block, size_t size, bool used)
{
    scene_t *scene = context;
    CHECK(scene->item_count < sizeof scene->items / sizeof scene->items[0], "too many blocks");
    scene->items[scene->item_count++] = (item_t){block, size, used};
    return true;
}

/* Remembers what lies where and the bytes of it all. */
static inline void scene_keep(scene_t *scene)
{
    scene->item_count = 0;
    hs_heap_walk(scene->guarded.heap, scene_item, scene);
    scene->saved = region_save(&scene->guarded.region);
    scene->guard = scene->guarded.guard;
}

static inline void scene_back(scene_t *scene)
{
    memcpy(scene->guarded.region.memory, scene->saved, scene->guarded.region.size);
    scene->guarded.guard = scene->guard;
    scene->guarded.faults = 0;
}

static inline void scene_drop(scene_t *scene)
{
    scene_back(scene);
    free(scene->saved);
    scene->saved = NULL;
}

static inline const item_t *scene_item_at(const scene_t *scene, const uint8_t *at)
{
    for (size_t i = 0; i < scene->item_count; i++) {
        if (at >= scene->items[i].at && at < scene->items[i].at + scene->items[i].size) {
            return &scene->items[i];
        }
    }
    return NULL;
}

static inline const guarded_block_t *scene_block_of(const scene_t *scene, const item_t *item)
{
    const guarded_t *g = &scene->guarded;
    for (size_t i = 0; i < g->count; i++) {
        if (g->blocks[i].at - g->blocks[i].head == item->at) {
            return &g->blocks[i];
        }
    }
    return NULL;
}

/* Is it a byte that blocks can have, or a slab's? */
static inline bool scene_is_inside(const scene_t *scene, const uint8_t *at)
{
    const item_t *last = &scene->items[scene->item_count - 1];
    return at >= scene->items[0].at && at < last->at + last->size;
}

/* The fault that a change of the byte at `at` must show as. */
static inline unseen_t unseen_at(const scene_t *scene, const uint8_t *at)
{
    const guarded_t *g = &scene->guarded;
    const item_t *item = scene_item_at(scene, at);
    const bool slot = item != NULL && item->size <= 8;
    if (item == NULL) { /* of a slab: its head, which begins on a granule, or its rest */
        for (size_t i = 0; i < scene->item_count; i++) {
            const uint8_t *first = scene->items[i].at;
            if (scene->items[i].size <= 8 && at < first && at + 8 >= first) {
                return first - at > 6 ? SLOTS : SEEN;
            }
        }
        return SLACK;
    }
    const size_t offset = (size_t)(at - item->at);
    if (!item->used) {
        const bool own = !slot && (offset < 4 * GUARDED_OWN_WORDS || offset >= item->size - 4);
        return own || g->config.level >= HS_GUARD_FILL ? SEEN : FREE;
    }
    const guarded_block_t *block = scene_block_of(scene, item);
    const size_t tags = guarded_tail(g);
    if (block != NULL && offset >= block->head && offset < block->head + block->size) {
        return PAYLOAD;
    }
    if (guarded_has_canaries(g)) {
        return SEEN;
    }
    return offset >= item->size - tags ? TAG : SLACK;
}

/* Why `count` bytes written at `at` are not found; SEEN if one of them is. */
static inline unseen_t unseen_of(const scene_t *scene, const uint8_t *at, const uint8_t *bytes,
                                 size_t count)
{
    unseen_t verdict = SAME;
    for (size_t i = 0; i < count; i++) {
        if (at[i] == bytes[i]) {
            continue;
        }
        const unseen_t one = unseen_at(scene, at + i);
        verdict = verdict == SEEN || one == SEEN ? SEEN : one;
    }
    return verdict;
}

/* Has a trailer become another one that agrees with itself? */
static inline bool scene_is_forged(const scene_t *scene)
{
    const guarded_t *g = &scene->guarded;
    for (size_t i = 0; guarded_has_canaries(g) && i < scene->item_count; i++) {
        const item_t *item = &scene->items[i];
        const uint8_t *trailer = item->at + item->size - GUARDED_TRAILER;
        const uint8_t *before = scene->saved + (trailer - g->region.memory);
        if (item->used && memcmp(trailer, before, GUARDED_TRAILER) != 0) {
            hs_guarded_t marks;
            hs_guard_read_marks(&g->guard, (uintptr_t)item->at, (uint32_t)item->size, &marks);
            if (marks.sound) {
                return true;
            }
        }
    }
    return false;
}

/* A heap with blocks and holes of many sizes. */
static inline bool scene_open(scene_t *scene, const char *label, const hs_guard_config_t *config,
                              hs_form_t form, uint32_t alignment, check_random_t *random)
{
    guarded_t *g = &scene->guarded;
    if (!guarded_open(g, label, config, form, alignment, 2600, check_below(random, 16))) {
        return false;
    }
    for (int i = 0; i < 90; i++) {
        const hs_tag_t tag = {check_below(random, 256), label + check_below(random, 8)};
        const size_t size = 1 + check_below(random, i % 4 == 0 ? 8 : i % 9 == 0 ? 300 : 60);
        if (g->count > 0 && check_below(random, 5) < 2) {
            guarded_free(g, check_below(random, (uint32_t)g->count));
        } else if (check_below(random, 6) == 0) {
            guarded_aligned(g, 8u << check_below(random, 4), size, 0, tag);
        } else {
            guarded_malloc(g, size, tag);
        }
    }
    guarded_check(g);
    scene_keep(scene);
    return true;
}

static inline void scene_close(scene_t *scene)
{
    scene_drop(scene);
    guarded_close(&scene->guarded);
}

#endif
