/*
 * Every bit of the metadata, flipped once in many heaps: hs_heap_check() finds it, or it belongs to
 * one of the classes below, in which no two places contradict each other. The expectation for each
 * bit is worked out from the layout and a walk of the sound heap; the check must find exactly that.
 * The check ends and stays inside the region whatever the bytes are (REGION_POISON).
 */
#include <stddef.h>

#include "heap/slab.h"
#include "program.h"

typedef enum damage {
    DETECTED,
    PADDING, /* bytes between the parts of the control block, which hold nothing */
    MINIMUM, /* a low-water mark that is not above what is free now could be true */
    ROTATED, /* the head of a circular list, moved to another member of the same list */
    SPLIT,   /* a bit in a used block's middle: two used blocks stand there as well as one */
    MERGED,  /* the first bit of a used block behind another one: one block instead of two */
    DAMAGES
} damage_t;

static const char *const names[DAMAGES] = {"found",   "padding", "minimum",
                                           "rotated", "split",   "merged"};

typedef struct item {
    uint32_t block; /* granules */
    uint32_t size;
    bool used;
    bool slab;
} item_t;

static program_t program;
static item_t items[1024];
static size_t item_count;
static size_t counts[DAMAGES];

static bool list_item(void *context, void *block, size_t size, bool used)
{
    const hs_heap_t *heap = context;
    uint32_t at = (uint32_t)((uint8_t *)block - (const uint8_t *)heap) / HS_GRANULE;
    item_t *last = item_count > 0 ? &items[item_count - 1] : NULL;
    if (last != NULL && at < last->block + last->size) {
        return true; /* one slot more */
    }
    CHECK(item_count < sizeof items / sizeof items[0], "too many blocks");
    items[item_count] = (item_t){at, (uint32_t)(size / HS_GRANULE), used, false};
    if (shadow_is_slot(size)) {
        uint32_t slab = at - SHADOW_SLAB_HEAD / HS_GRANULE;
        items[item_count] = (item_t){slab, hs_used_size(hs_bitmap(heap), slab), true, true};
    }
    item_count++;
    return true;
}

static void list_items(const hs_heap_t *heap)
{
    item_count = 0;
    hs_heap_walk(heap, list_item, (void *)(uintptr_t)heap);
}

static const item_t *free_item_at(uint32_t block)
{
    for (size_t i = 0; i < item_count; i++) {
        if (items[i].block == block && !items[i].used) {
            return &items[i];
        }
    }
    return NULL;
}

/* ---- what is expected ------------------------------------------------------------------------- */

static damage_t expected_of_bin(const hs_heap_t *heap, uint32_t bin, uint32_t bit)
{
    uint32_t old = hs_is_wide(heap) ? ((const uint32_t *)heap)[1 - (int32_t)bin]
                                    : ((const uint16_t *)heap)[1 - (int32_t)bin];
    const item_t *item = free_item_at(old ^ UINT32_C(1) << bit);
    return old != 0 && item != NULL && hs_bin_of(item->size, hs_is_wide(heap)) == bin ? ROTATED
                                                                                      : DETECTED;
}

/* Slabs with a free slot must still come before the full ones. */
static damage_t expected_of_slabs(const hs_heap_t *heap, uint32_t bit)
{
    uint32_t kind = bit / 16;
    uint32_t head = hs_slabs(heap)[kind] ^ UINT32_C(1) << bit % 16;
    bool member = false;
    for (size_t i = 0; i < item_count; i++) {
        bool same = items[i].slab && hs_slab_kind(heap, items[i].block) == kind;
        member = member || (same && items[i].block == head);
    }
    if (!member) {
        return DETECTED;
    }
    bool full = false;
    uint32_t slab = head;
    do {
        bool this_full = hs_slab_at(heap, slab)->slots == 0;
        if (full && !this_full) {
            return DETECTED;
        }
        full = this_full;
        slab = hs_slab_at(heap, slab)->next;
    } while (slab != head);
    return ROTATED;
}

static damage_t expected_of_granule(const hs_heap_t *heap, uint32_t granule)
{
    size_t i = 0;
    while (i < item_count && granule >= items[i].block + items[i].size) {
        i++;
    }
    if (granule < hs_first(heap) || i == item_count || !items[i].used || items[i].slab) {
        return DETECTED;
    }
    const item_t *item = &items[i];
    uint32_t inside = granule - item->block;
    if (inside == 0) {
        bool merges = i > 0 && items[i - 1].used && !items[i - 1].slab &&
                      items[i - 1].size + item->size < HS_LONG;
        return merges ? MERGED : DETECTED;
    }
    bool splits = item->size < HS_LONG && inside >= HS_BLOCK_MIN &&
                  item->size - inside >= HS_BLOCK_MIN && (inside & heap->shape & HS_UNIT) == 0;
    return splits ? SPLIT : DETECTED;
}

/* The class of a bit of the control block; `at` counts bytes from the region's start. */
static damage_t expected_of(size_t at, uint32_t bit_of_byte)
{
    const shadow_t *shadow = &program.shadow;
    const hs_heap_t *heap = shadow->heap;
    size_t handle = (size_t)((const uint8_t *)heap - shadow->region.memory);
    uint32_t bin_bytes = hs_is_wide(heap) ? 4 : 2;
    if (at < handle) {
        size_t back = handle - 1 - at; /* bin 2 lies right before the handle */
        uint32_t bin = 2 + (uint32_t)(back / bin_bytes);
        uint32_t bit = 8 * (uint32_t)((bin_bytes - 1) - back % bin_bytes) + bit_of_byte;
        return bin > hs_last_bin(heap->end) ? PADDING : expected_of_bin(heap, bin, bit);
    }
    size_t word = (at - handle) / 4;
    uint32_t bit = 8 * (uint32_t)((at - handle) % 4) + bit_of_byte;
    size_t bitmap = (size_t)((const uint8_t *)hs_bitmap(heap) - (const uint8_t *)heap) / 4;
    if (word == offsetof(hs_heap_t, minimum) / 4) {
        return (heap->minimum ^ UINT32_C(1) << bit) <= heap->free ? MINIMUM : DETECTED;
    }
    if (!hs_is_wide(heap) && word == offsetof(hs_heap_t, words) / 4 + HS_MAP_SMALL) {
        return expected_of_slabs(heap, bit);
    }
    if (word < bitmap) {
        return DETECTED;
    }
    return word < bitmap + hs_bitmap_words(heap->end)
               ? expected_of_granule(heap, (uint32_t)(word - bitmap) * 32 + bit)
               : PADDING;
}

/* ---- flips ------------------------------------------------------------------------------------ */

static void flip(size_t at, uint32_t bit, damage_t expected)
{
    const shadow_t *shadow = &program.shadow;
    uint8_t *byte = shadow->region.memory + at;
    const void *where = NULL;
    *byte ^= (uint8_t)(1u << bit);
    hs_status_t status = hs_heap_check(shadow->heap, &where);
    hs_status_t again = hs_heap_check(shadow->heap, NULL);
    for (size_t i = 0; i < shadow->count; i++) {
        (void)hs_heap_check_block(shadow->heap, shadow->blocks[i].at); /* ends, and stays inside */
    }
    *byte ^= (uint8_t)(1u << bit);
    SHADOW_CHECK(shadow, status == again, "%d and %d", (int)status, (int)again);
    SHADOW_CHECK(shadow, status == (expected == DETECTED ? HS_ERR_CORRUPT : HS_OK),
                 "bit %u of byte %zu (handle %td, blocks from %td): %s expected, status %d", bit,
                 at, (uint8_t *)shadow->heap - shadow->region.memory,
                 shadow->first - shadow->region.memory, names[expected], (int)status);
    const uint8_t *place = where;
    SHADOW_CHECK(shadow,
                 status == HS_OK || (place >= shadow->region.memory && place <= shadow->end),
                 "bit %u of byte %zu: said to be at %p", bit, at, where);
    counts[expected]++;
}

static void flip_word(const uint32_t *word)
{
    size_t at = (size_t)((const uint8_t *)word - program.shadow.region.memory);
    for (uint32_t bit = 0; bit < 32; bit++) {
        flip(at + bit / 8, bit % 8, DETECTED);
    }
}

static bool find_used(const uint8_t *at)
{
    const shadow_t *shadow = &program.shadow;
    size_t index = shadow_place(shadow, at);
    return index < shadow->count && shadow->blocks[index].at == at;
}

/* The O(1) check of a used block must see damage to the free block beside it. */
static void flip_beside(const item_t *item, uint32_t *word)
{
    const shadow_t *shadow = &program.shadow;
    const hs_heap_t *heap = shadow->heap;
    const item_t *sides[] = {item - 1, item + 1};
    for (size_t side = 0; side < 2; side++) {
        if (sides[side] < items || sides[side] >= items + item_count || sides[side]->slab) {
            continue;
        }
        const uint8_t *beside = (const uint8_t *)hs_at(heap, sides[side]->block);
        SHADOW_CHECK(shadow, find_used(beside), "%zu", (size_t)(item - items));
        for (uint32_t bit = 0; bit < 32; bit++) {
            *word ^= UINT32_C(1) << bit;
            hs_status_t status = hs_heap_check_block(heap, beside);
            *word ^= UINT32_C(1) << bit;
            SHADOW_CHECK(shadow, status == HS_ERR_CORRUPT, "%d: bit %u of the word at %td",
                         (int)status, bit, (uint8_t *)word - shadow->region.memory);
        }
    }
}

static void flip_all(void)
{
    const shadow_t *shadow = &program.shadow;
    const hs_heap_t *heap = shadow->heap;
    list_items(heap);
    for (size_t at = 0; at < (size_t)(shadow->first - shadow->region.memory); at++) {
        for (uint32_t bit = 0; bit < 8; bit++) {
            flip(at, bit, expected_of(at, bit));
        }
    }
    for (size_t i = 0; i < item_count; i++) {
        uint32_t *self = hs_at(heap, items[i].block);
        if (items[i].slab) {
            flip_word(self);
            flip_word(self + 1);
        } else if (!items[i].used) {
            uint32_t *words[] = {self + HS_NEXT, self + HS_PREVIOUS, self + HS_SIZE,
                                 hs_at(heap, items[i].block + items[i].size) + HS_FOOTER};
            for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
                flip_word(words[w]);
                flip_beside(&items[i], words[w]);
            }
        }
    }
    /* Bytes behind the last whole granule belong to nobody. */
    for (size_t at = (size_t)(shadow->end - shadow->region.memory); at < shadow->region.size;
         at++) {
        flip(at, 3, PADDING);
    }
}

/* Many bytes at once: nothing is demanded but an end, inside. */
static void scramble(check_random_t *random)
{
    const shadow_t *shadow = &program.shadow;
    const region_t *region = &shadow->region;
    size_t control = (size_t)(shadow->first - region->memory);
    uint8_t *saved = region_save(region);
    size_t match = 0;
    for (int round = 0; round < 400; round++) {
        for (uint32_t i = check_below(random, 12) + 1; i > 0; i--) {
            size_t span = check_below(random, 2) == 0 ? control : region->size;
            region->memory[check_below(random, (uint32_t)span)] = (uint8_t)check_next(random);
        }
        if (round % 8 == 7) {
            memset(region->memory, (int)check_below(random, 256), control);
        }
        match += hs_heap_check(shadow->heap, NULL) == HS_ERR_CORRUPT ? 1 : 0;
        memcpy(region->memory, saved, region->size);
    }
    SHADOW_CHECK(shadow, match > 300, "%zu of 400 found", match);
    region_restore(region, saved);
}

static void check_corrupt(uint8_t *block)
{
    const shadow_t *shadow = &program.shadow;
    uint8_t *damaged = region_save(&shadow->region);
    SHADOW_CHECK(shadow, hs_heap_free(shadow->heap, block) == HS_ERR_CORRUPT, "%p", (void *)block);
    SHADOW_CHECK(shadow, hs_heap_realloc(shadow->heap, block, 4000) == NULL, "%p", (void *)block);
    SHADOW_CHECK(shadow, region_same(&shadow->region, damaged), "%p", (void *)block);
    free(damaged);
}

/* Payloads that run over their end into a free block, or over their start: the next call beside it
 * refuses, and makes nothing worse. */
static void overflow(void)
{
    shadow_t *shadow = &program.shadow;
    for (size_t i = 1; i < item_count; i++) {
        if (items[i].used || items[i - 1].slab) {
            continue;
        }
        uint8_t *hole = (uint8_t *)hs_at(shadow->heap, items[i].block);
        uint8_t *block = (uint8_t *)hs_at(shadow->heap, items[i - 1].block);
        uint8_t *saved = region_save(&shadow->region);
        for (size_t more = 12; more <= 16; more += 4) { /* over the size, from there on */
            memset(hole, 0xFF, more);
            check_corrupt(block);
            memcpy(shadow->region.memory, saved, shadow->region.size);
        }
        hs_at(shadow->heap, items[i].block + items[i].size)[HS_FOOTER] ^= 1u;
        check_corrupt(block);
        region_restore(&shadow->region, saved);
    }
}

static void run(const hs_heap_config_t *config, size_t size, size_t skew, check_random_t *random)
{
    char label[64];
    snprintf(label, sizeof label, "form %d, alignment %u, %zu bytes", (int)config->form,
             (unsigned)config->alignment, size);
    program.random = random;
    CHECK(shadow_open(&program.shadow, label, region_open(size, skew), config, 3), "%s", label);
    for (int step = 0; step < 400; step++) {
        program_step(&program, step / 40 % 2 == 0 ? 11 : 6);
        if (step % (10 * CHECK_THIN) == 9) {
            flip_all();
            overflow();
            scramble(random);
            shadow_check(&program.shadow);
        }
    }
    shadow_empty(&program.shadow, random);
    flip_all();
    shadow_close(&program.shadow);
}

/* A footer of ones tells of a free block of size 0, which seems to begin where the used one behind it
 * does: the payload there is taken for size and links, and none of these may be followed. */
static void check_size_zero(void)
{
    static uint64_t region[512];
    hs_heap_t *heap = hs_heap_create(region, sizeof region, NULL);
    uint32_t *before = hs_heap_malloc(heap, 64);
    uint32_t *used = hs_heap_malloc(heap, 64);
    CHECK(before != NULL && used != NULL && hs_heap_free(heap, before) == HS_OK, "no blocks");
    CHECK(hs_heap_check_block(heap, used) == HS_OK, "not yet damaged");
    used[-1] = UINT32_MAX;
    used[HS_NEXT] = used[HS_PREVIOUS] = UINT32_C(0x30000000);
    used[HS_SIZE] = 0;
    CHECK(hs_heap_check_block(heap, used) == HS_ERR_CORRUPT, "a free block of size 0");
}

int main(int argc, char **argv)
{
    check_size_zero();
    check_random_t random = check_start(argc, argv);
    size_t all[DAMAGES] = {0};
    for (int form = HS_FORM_SMALL; form <= HS_FORM_WORD; form++) {
        for (uint32_t alignment = 8; alignment <= 16; alignment *= 2) {
            const hs_heap_config_t config = {(hs_form_t)form, alignment};
            memset(counts, 0, sizeof counts);
            run(&config, 300, check_below(&random, 16), &random);
            if (CHECK_THIN > 1) {
                continue;
            }
            run(&config, 1200 + check_below(&random, 16), check_below(&random, 16), &random);
            run(&config, 4000, check_below(&random, 16), &random);
            printf("form %d, alignment %u:", form, (unsigned)alignment);
            for (int i = 0; i < DAMAGES; i++) {
                printf(" %s %zu", names[i], counts[i]);
                all[i] += counts[i];
            }
            printf("\n");
        }
    }
    for (int i = 0; i < DAMAGES; i++) {
        CHECK(CHECK_THIN > 1 || all[i] > 0, "no flip of the class %s", names[i]);
    }
    return 0;
}
