/*
 * A guarded heap beside two models: a shadow that knows each block's bytes, tag and exact size, and
 * a bare heap of the same shape that is asked for the same blocks, marks included, by the heap's own
 * calls. The guard must answer as the bare heap does, place by place, and leave its memory as the
 * level says.
 */
#ifndef HEAPSCOPE_TESTS_DEVICE_GUARDED_H
#define HEAPSCOPE_TESTS_DEVICE_GUARDED_H

#include "heapscope/guard.h"
#include "region.h"

#define GUARDED_BLOCKS 256u
#define GUARDED_TRAILER 4u
#define GUARDED_OWN_WORDS 3u /* of the heap at the beginning of a free block */

typedef struct guarded_block {
    uint8_t *at;
    uint8_t *bare; /* the same in the bare heap */
    size_t size;
    size_t head;
    uint32_t seed; /* of its bytes */
    hs_tag_t tag;
} guarded_block_t;

typedef struct guarded {
    const char *label;
    region_t region, twin;
    hs_heap_t *heap, *bare;
    hs_guard_t guard;
    hs_guard_config_t config;
    size_t unit; /* of the heap's blocks */
    guarded_block_t blocks[GUARDED_BLOCKS];
    size_t count;
    uint32_t next_seed;
    /* reports */
    size_t faults;
    hs_fault_t last;
} guarded_t;

#define GUARDED_CHECK(g, condition, ...)                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s: ", (g)->label);                                                   \
            CHECK(condition, __VA_ARGS__);                                                         \
        }                                                                                          \
    } while (0)

static inline void guarded_note(void *context, const hs_fault_t *fault)
{
    guarded_t *g = context;
    g->faults++;
    g->last = *fault;
}

static inline bool guarded_has_canaries(const guarded_t *g)
{
    return g->config.level >= HS_GUARD_CANARIES;
}

static inline size_t guarded_alignment(const guarded_t *g)
{
    return g->config.alignment != 0 ? g->config.alignment : g->unit;
}

/* The bytes before the payload, by the rules of guard.h, worked out once more. */
static inline size_t guarded_head(const guarded_t *g)
{
    if (!guarded_has_canaries(g)) {
        return 0;
    }
    const size_t least = 4 + (g->config.sites ? sizeof(void *) : 0);
    const size_t alignment = guarded_alignment(g);
    return (least + alignment - 1) / alignment * alignment;
}

static inline size_t guarded_tail(const guarded_t *g)
{
    const size_t site = g->config.sites ? sizeof(void *) : 0;
    return guarded_has_canaries(g) ? GUARDED_TRAILER : site + (g->config.owners ? 1 : 0);
}

/* Bytes that a block must hold, never those of a pattern. */
static inline uint8_t guarded_byte(uint32_t seed, size_t i)
{
    return (uint8_t)((seed * 37 + i * 11 + (i >> 8)) % 200);
}

static inline void guarded_write(guarded_block_t *block)
{
    for (size_t i = 0; i < block->size; i++) {
        block->at[i] = guarded_byte(block->seed, i);
    }
}

static inline bool guarded_open(guarded_t *g, const char *label, const hs_guard_config_t *config,
                                hs_form_t form, uint32_t alignment, size_t size, size_t skew)
{
    const hs_heap_config_t shape = {form, alignment};
    *g = (guarded_t){.label = label, .config = *config};
    g->region = region_open(size, skew);
    g->twin = region_open(size, skew);
    g->heap = hs_heap_create(g->region.memory, size, &shape);
    g->bare = hs_heap_create(g->twin.memory, size, &shape);
    g->unit = alignment == 16 ? 16 : 8;
    g->config.report = guarded_note;
    g->config.context = g;
    g->next_seed = 1;
    if (g->heap == NULL) {
        region_close(&g->region);
        region_close(&g->twin);
        return false;
    }
    GUARDED_CHECK(g, hs_guard_init(&g->guard, g->heap, &g->config) == HS_OK, "not made");
    return true;
}

static inline void guarded_close(guarded_t *g)
{
    region_close(&g->region);
    region_close(&g->twin);
}

/* ---- calls ------------------------------------------------------------------------------------ */

static inline ptrdiff_t guarded_place(const guarded_t *g, const void *raw, bool bare)
{
    return (const uint8_t *)raw - (const uint8_t *)(bare ? g->bare : g->heap);
}

static inline void guarded_check_fresh(const guarded_t *g, const guarded_block_t *block,
                                       size_t from)
{
    for (size_t i = from; g->config.level >= HS_GUARD_FILL && i < block->size; i++) {
        GUARDED_CHECK(g, block->at[i] == HS_FILL_FRESH, "byte %zu of %zu fresh ones is %02x", i,
                      block->size, block->at[i]);
    }
}

/* Keeps the block that a malloc of either kind gave, and checks it against the bare heap's. */
static inline guarded_block_t *guarded_add(guarded_t *g, void *payload, void *bare, size_t size,
                                           size_t head, hs_tag_t tag)
{
    GUARDED_CHECK(g, (payload == NULL) == (bare == NULL), "%zu bytes: %p, bare %p", size, payload,
                  bare);
    if (payload == NULL) {
        return NULL;
    }
    GUARDED_CHECK(g, g->count < GUARDED_BLOCKS, "too many blocks");
    guarded_block_t *block = &g->blocks[g->count++];
    *block = (guarded_block_t){payload, bare, size, head, g->next_seed++, tag};
    GUARDED_CHECK(g, guarded_place(g, block->at - head, false) == guarded_place(g, bare, true),
                  "%zu bytes at %td, bare at %td", size, guarded_place(g, block->at, false),
                  guarded_place(g, bare, true));
    return block;
}

static inline guarded_block_t *guarded_malloc(guarded_t *g, size_t size, hs_tag_t tag)
{
    const size_t head = guarded_head(g), total = head + size + guarded_tail(g);
    const bool fits = hs_guard_fits(&g->guard, 1, size, 0);
    void *bare = size - 1 < HS_WIDE_MAX ? hs_heap_malloc(g->bare, total) : NULL;
    void *payload = hs_guard_malloc(&g->guard, size, tag);
    GUARDED_CHECK(g, fits == (payload != NULL), "fits of %zu", size);
    guarded_block_t *block = guarded_add(g, payload, bare, size, head, tag);
    if (block != NULL) {
        guarded_check_fresh(g, block, 0);
        guarded_write(block);
    }
    return block;
}

static inline guarded_block_t *guarded_calloc(guarded_t *g, size_t count, size_t size, hs_tag_t tag)
{
    const size_t head = guarded_head(g), total = head + count * size + guarded_tail(g);
    void *bare = count * size != 0 ? hs_heap_malloc(g->bare, total) : NULL;
    void *payload = hs_guard_calloc(&g->guard, count, size, tag);
    guarded_block_t *block = guarded_add(g, payload, bare, count * size, head, tag);
    for (size_t i = 0; block != NULL && i < block->size; i++) {
        GUARDED_CHECK(g, block->at[i] == 0, "byte %zu of %zu zeroed ones", i, block->size);
    }
    if (block != NULL) {
        guarded_write(block);
    }
    return block;
}

/* The smallest head that allows it. */
static inline size_t guarded_aligned_head(const guarded_t *g, size_t alignment, size_t offset)
{
    const size_t step = alignment < g->unit ? alignment : g->unit;
    size_t head = guarded_head(g);
    while (guarded_has_canaries(g) && alignment > guarded_alignment(g) &&
           (head + offset) % step != 0) {
        head += 4;
    }
    return head;
}

static inline guarded_block_t *guarded_aligned(guarded_t *g, size_t alignment, size_t size,
                                               size_t offset, hs_tag_t tag)
{
    const size_t head = guarded_aligned_head(g, alignment, offset);
    const size_t total = head + size + guarded_tail(g);
    const bool fits = hs_guard_fits(&g->guard, alignment, size, offset);
    const bool more = alignment > guarded_alignment(g) || head == 0;
    void *bare = NULL;
    if (size - 1 < HS_WIDE_MAX) {
        bare =
            hs_heap_aligned_alloc(g->bare, more ? alignment : 1, total, more ? head + offset : 0);
    }
    void *payload = hs_guard_aligned_alloc(&g->guard, alignment, size, offset, tag);
    GUARDED_CHECK(g, fits == (payload != NULL), "fits of %zu at %zu", size, alignment);
    guarded_block_t *block = guarded_add(g, payload, bare, size, head, tag);
    if (block != NULL) {
        GUARDED_CHECK(g, ((uintptr_t)block->at + offset) % alignment == 0, "%p + %zu to %zu",
                      (void *)block->at, offset, alignment);
        guarded_check_fresh(g, block, 0);
        guarded_write(block);
    }
    return block;
}

static inline void guarded_same(const guarded_t *g, const guarded_block_t *block, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        GUARDED_CHECK(g, block->at[i] == guarded_byte(block->seed, i), "byte %zu of %zu at %td", i,
                      size, guarded_place(g, block->at, false));
    }
}

static inline void guarded_free(guarded_t *g, size_t index)
{
    guarded_block_t block = g->blocks[index];
    g->blocks[index] = g->blocks[--g->count];
    guarded_same(g, &block, block.size);
    GUARDED_CHECK(g, hs_guard_free(&g->guard, block.at) == HS_OK, "free");
    GUARDED_CHECK(g, hs_heap_free(g->bare, block.bare) == HS_OK, "bare free");
}

static inline void guarded_realloc(guarded_t *g, size_t index, size_t size, hs_tag_t tag)
{
    guarded_block_t *block = &g->blocks[index];
    const size_t old = block->size;
    /* A head that was larger for the sake of an alignment stays while the block does. */
    uint8_t *bare = hs_heap_realloc(g->bare, block->bare, block->head + size + guarded_tail(g));
    uint8_t *at = hs_guard_realloc(&g->guard, block->at, size, tag);
    GUARDED_CHECK(g, (at == NULL) == (bare == NULL), "realloc from %zu to %zu: %p, bare %p", old,
                  size, (void *)at, (void *)bare);
    if (at == NULL) {
        return;
    }
    ptrdiff_t raw = guarded_place(g, at - block->head, false);
    GUARDED_CHECK(g, raw == guarded_place(g, bare, true), "from %zu to %zu: %td, bare %td", old,
                  size, raw, guarded_place(g, bare, true));
    block->at = at;
    block->bare = bare;
    block->size = size;
    block->tag = tag;
    guarded_same(g, block, old < size ? old : size);
    guarded_check_fresh(g, block, old);
    block->seed = g->next_seed++;
    guarded_write(block);
}

/* ---- everything compared ---------------------------------------------------------------------- */

static inline guarded_block_t *guarded_at(guarded_t *g, const void *payload)
{
    for (size_t i = 0; i < g->count; i++) {
        if (g->blocks[i].at == payload) {
            return &g->blocks[i];
        }
    }
    return NULL;
}

static inline bool guarded_visit(void *context, void *at, size_t size, bool used, hs_tag_t tag)
{
    guarded_t *g = context;
    if (used) {
        const guarded_block_t *block = guarded_at(g, at);
        GUARDED_CHECK(g, block != NULL, "a block at %td", guarded_place(g, at, false));
        GUARDED_CHECK(g, size == hs_guard_usable_size(&g->guard, at), "%zu bytes", size);
        GUARDED_CHECK(g, guarded_has_canaries(g) ? size == block->size : size >= block->size,
                      "%zu bytes, asked for %zu", size, block->size);
        const bool owned = g->config.owners || guarded_has_canaries(g);
        GUARDED_CHECK(g, tag.owner == (owned ? block->tag.owner : HS_OWNER_NONE), "owner %u",
                      (unsigned)tag.owner);
        GUARDED_CHECK(g, tag.site == (g->config.sites ? block->tag.site : NULL), "site %p",
                      tag.site);
    } else if (g->config.level >= HS_GUARD_FILL) {
        const uint8_t *bytes = at;
        for (size_t i = 4 * GUARDED_OWN_WORDS; i < size - 4; i++) {
            GUARDED_CHECK(g, bytes[i] == HS_FILL_FREE, "byte %zu of %zu free ones at %td is %02x",
                          i, size, guarded_place(g, at, false), bytes[i]);
        }
    }
    return true;
}

static inline bool guarded_count(void *context, void *at, size_t size, bool used)
{
    (void)at, (void)size;
    *(size_t *)context += used ? 1 : 0;
    return true;
}

static inline void guarded_check(guarded_t *g)
{
    size_t used = 0;
    hs_heap_walk(g->heap, guarded_count, &used);
    GUARDED_CHECK(g, used == g->count, "%zu blocks of %zu", used, g->count);
    hs_guard_walk(&g->guard, guarded_visit, g);
    GUARDED_CHECK(g, hs_guard_check(&g->guard) == HS_OK && g->faults == 0, "fault %d",
                  (int)g->last.kind);
    GUARDED_CHECK(g, hs_heap_free_size(g->heap) == hs_heap_free_size(g->bare), "free");
    for (size_t i = 0; i < g->count; i++) {
        const guarded_block_t *block = &g->blocks[i];
        guarded_same(g, block, block->size);
        GUARDED_CHECK(g, hs_guard_check_block(&g->guard, block->at) == HS_OK, "block");
        GUARDED_CHECK(g,
                      hs_guard_tag(&g->guard, block->at).site ==
                          (g->config.sites ? block->tag.site : NULL),
                      "tag");
    }
    if (g->count > 0) {
        const guarded_block_t *block = &g->blocks[g->next_seed % g->count];
        const uint8_t *inside = block->at + g->next_seed % block->size;
        GUARDED_CHECK(g, hs_guard_containing_block(&g->guard, inside) == block->at, "containing");
        GUARDED_CHECK(
            g, hs_guard_full_size(&g->guard, block->at) == hs_heap_full_size(g->bare, block->bare),
            "full size");
    }
    const size_t largest = hs_heap_largest(g->bare), marks = guarded_head(g) + guarded_tail(g);
    GUARDED_CHECK(g, hs_guard_largest(&g->guard) == (largest > marks ? largest - marks : 0),
                  "largest");
}

#endif
