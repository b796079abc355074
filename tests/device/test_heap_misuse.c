/*
 * Calls with addresses that are no used block: freed before, also after their neighbours were merged
 * with them, interior, between granules, of the control block, before and behind the region. Each
 * is refused and not one byte of the region changes.
 */
#include "heap/slab.h"
#include "program.h"

static program_t program;

static bool is_used(const shadow_t *shadow, const uint8_t *address)
{
    size_t index = shadow_place(shadow, address);
    return index < shadow->count && shadow->blocks[index].at == address;
}

/* The used block around an address, or NULL. */
static const uint8_t *owner_of(const shadow_t *shadow, const uint8_t *address)
{
    size_t index = shadow_place(shadow, address + 1);
    if (index == 0) {
        return NULL;
    }
    const shadow_block_t *block = &shadow->blocks[index - 1];
    return (size_t)(address - block->at) < block->usable ? block->at : NULL;
}

static void check_refused(const uint8_t *address, const uint8_t *saved)
{
    const shadow_t *shadow = &program.shadow;
    if (address == NULL || is_used(shadow, address)) {
        return; /* an address far away that came round to one that is not */
    }
    hs_heap_t *heap = shadow->heap;
    void *wrong = (void *)(uintptr_t)address;
    ptrdiff_t at = address - shadow->region.memory;
    SHADOW_CHECK(shadow, hs_heap_usable_size(heap, wrong) == 0, "at %td", at);
    SHADOW_CHECK(shadow, hs_heap_full_size(heap, wrong) == 0, "at %td", at);
    SHADOW_CHECK(shadow, hs_heap_check_block(heap, wrong) == HS_ERR_ARGUMENT, "at %td", at);
    SHADOW_CHECK(shadow, hs_heap_free(heap, wrong) == HS_ERR_ARGUMENT, "at %td", at);
    for (size_t size = 0; size < 200; size = size * 4 + 5) {
        SHADOW_CHECK(shadow, hs_heap_realloc(heap, wrong, size) == NULL, "%zu at %td", size, at);
    }
    SHADOW_CHECK(shadow, hs_heap_realloc(heap, wrong, SIZE_MAX) == NULL, "at %td", at);
    SHADOW_CHECK(shadow, region_same(&shadow->region, saved), "misuse at %td changed the heap", at);
}

/* Every address of the region and some around it. */
static void check_all(void)
{
    const shadow_t *shadow = &program.shadow;
    const region_t *region = &shadow->region;
    uint8_t *saved = region_save(region);
    SHADOW_CHECK(shadow, hs_heap_usable_size(shadow->heap, NULL) == 0, "NULL");
    SHADOW_CHECK(shadow, hs_heap_full_size(shadow->heap, NULL) == 0, "NULL");
    SHADOW_CHECK(shadow, hs_heap_containing_block(shadow->heap, NULL) == NULL, "NULL");
    SHADOW_CHECK(shadow, hs_heap_check_block(shadow->heap, NULL) == HS_ERR_ARGUMENT, "NULL");
    for (const uint8_t *at = region->memory - 40; at < region->memory + region->size + 40; at++) {
        const void *owner = hs_heap_containing_block(shadow->heap, at);
        SHADOW_CHECK(shadow, owner == owner_of(shadow, at), "%td is said to be in %p",
                     at - region->memory, owner);
        if (!is_used(shadow, at)) {
            check_refused(at, saved);
        }
    }
    /* Far away, and such that the distance in granules is small when it is cut to 32 bits. */
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t distance = i % 2 == 0 ? check_next(program.random) : UINT32_C(1) << (i % 32);
        uint8_t *base = (uint8_t *)shadow->heap;
        uintptr_t far_up = (uintptr_t)base + region->size + distance;
        uintptr_t far_down = (uintptr_t)base - region->size - distance;
        check_refused((const uint8_t *)far_up, saved);
        check_refused((const uint8_t *)far_down, saved);
#if UINTPTR_MAX > UINT32_MAX
        const uint8_t *block = shadow->count > 0 ? shadow->blocks[0].at : shadow->first;
        check_refused((const uint8_t *)((uintptr_t)block + ((uintptr_t)(i + 1) << 32)), saved);
        check_refused((const uint8_t *)((uintptr_t)block + ((uintptr_t)(i + 1) << 35)), saved);
#endif
    }
    free(saved);
}

static void run(const hs_heap_config_t *config, size_t size, size_t skew, check_random_t *random)
{
    char label[64];
    snprintf(label, sizeof label, "form %d, alignment %u, %zu bytes", (int)config->form,
             (unsigned)config->alignment, size);
    CHECK(shadow_open(&program.shadow, label, region_open(size, skew), config, 3), "%s", label);
    for (int step = 0; step < check_rounds(240); step++) {
        program_step(&program, step / 40 % 2 == 0 ? 10 : 5);
        if (step % 12 == 0) {
            check_all();
        }
    }
    shadow_empty(&program.shadow, random);
    check_all();
    shadow_close(&program.shadow);
}

/* Neighbours of every kind, freed in every order; then each is freed again. */
static void check_double_free(const hs_heap_config_t *config, size_t size)
{
    static const size_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                        {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    shadow_t *shadow = &program.shadow;
    for (size_t order = 0; order < 6; order++) {
        uint8_t *blocks[3];
        CHECK(shadow_open(shadow, "double free", region_open(4096, 0), config, 5), "no heap");
        shadow_malloc(shadow, size);
        for (size_t i = 0; i < 3; i++) {
            blocks[i] = shadow_malloc(shadow, size);
        }
        shadow_malloc(shadow, size);
        for (size_t i = 0; i < 3; i++) {
            shadow_free(shadow, shadow_place(shadow, blocks[orders[order][i]]));
            uint8_t *saved = region_save(&shadow->region);
            for (size_t again = 0; again <= i; again++) {
                check_refused(blocks[orders[order][again]], saved);
            }
            free(saved);
        }
        /* Where they were there is now the payload of another. */
        uint8_t *over = shadow_malloc(shadow, 3 * size);
        uint8_t *saved = region_save(&shadow->region);
        for (size_t i = 0; i < 3; i++) {
            if (!is_used(shadow, blocks[i])) {
                check_refused(blocks[i], saved);
            }
        }
        CHECK(over != NULL, "%zu bytes", 3 * size);
        free(saved);
        shadow_close(shadow);
    }
}

/* A payload that looks like metadata, so that an interior pointer seems to be a block. */
static void check_disguise(const hs_heap_config_t *config)
{
    shadow_t *shadow = &program.shadow;
    CHECK(shadow_open(shadow, "disguise", region_open(4096, 0), config, 5), "no heap");
    uint8_t *slot = shadow_malloc(shadow, 8);
    uint8_t *block = shadow_malloc(shadow, 128);
    CHECK(slot != NULL && block != NULL, "no block");
    for (int filling = 0; filling < 256; filling += CHECK_THIN) {
        memset(block, filling, 128);
        uint8_t *saved = region_save(&shadow->region);
        for (size_t inside = 1; inside < 128; inside += (CHECK_THIN + 3) / 4) {
            check_refused(block + inside, saved);
        }
        free(saved);
    }
    shadow_close(shadow);
}

/* A payload that is a slab's head but for the links, which no slab answers. */
static void check_forged_head(void)
{
    static const hs_heap_config_t config = {HS_FORM_SMALL, 8};
    shadow_t *shadow = &program.shadow;
    CHECK(shadow_open(shadow, "forged", region_open(2000, 0), &config, 5), "no heap");
    uint8_t *slots[2] = {shadow_malloc(shadow, 4), shadow_malloc(shadow, 8)};
    shadow->leave_raw = 1;
    for (uint32_t kind = 0; kind < 2; kind++) {
        uint8_t *block = shadow_malloc(shadow, (size_t)hs_slab_granules(kind) * HS_GRANULE);
        uint32_t self = (uint32_t)hs_granule_of(shadow->heap, block);
        uint32_t real = (uint32_t)hs_granule_of(shadow->heap, slots[kind] - SHADOW_SLAB_HEAD);
        const uint32_t links[] = {self, real, shadow->heap->end, 0xFFFF, 0, self + 1};
        for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
            hs_slab_t head = {(uint16_t)(i * 5), hs_slab_sign(self, kind), (uint16_t)links[i],
                              (uint16_t)real};
            memcpy(block, &head, sizeof head);
            shadow_check(shadow);
            check_all();
        }
    }
    shadow_close(shadow);
}

/* A block that begins where the only slab did, and still holds its head, is not taken for a slab.
 * The same holds when there is another slab. */
static void check_stale_head(const hs_heap_config_t *config)
{
    shadow_t *shadow = &program.shadow;
    int seen = 0;
    for (size_t lot = 16; lot < 400; lot += CHECK_THIN > 1 ? 64 : 8) {
        CHECK(shadow_open(shadow, "stale", region_open(1200, 0), config, 5), "no heap");
        uint8_t *before = shadow_malloc(shadow, lot);
        uint8_t *slot = shadow_malloc(shadow, 8);
        uint8_t *head = slot - SHADOW_GRANULE;
        shadow_malloc(shadow, 16);
        shadow_free(shadow, shadow_place(shadow, before));
        shadow_free(shadow, shadow_place(shadow, slot)); /* the hole begins before the head */
        shadow->leave_raw = 1;
        size_t alignment = (uintptr_t)head & -(uintptr_t)head;
        uint8_t *over = shadow_aligned(shadow, alignment, 112 + lot / 8 % 3 * 8, 0);
        seen += over == head ? 1 : 0;
        shadow_malloc(shadow, 8);
        check_all();
        shadow_close(shadow);
    }
    CHECK(CHECK_THIN > 1 || seen > 0 || !shadow->slots, "no block ever began at a stale head");
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {1, 9, 24, 120, 300};
    check_random_t random = check_start(argc, argv);
    program.random = &random;
    check_forged_head();
    for (int form = HS_FORM_SMALL; form <= HS_FORM_WORD; form++) {
        for (uint32_t alignment = 4; alignment <= 16; alignment *= 2) {
            const hs_heap_config_t config = {(hs_form_t)form, alignment};
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
                check_double_free(&config, sizes[i]);
            }
            check_disguise(&config);
            check_stale_head(&config);
            run(&config, 280, check_below(&random, 20), &random);
            if (CHECK_THIN > 1) {
                continue; /* minutes in emulation */
            }
            run(&config, 700 + check_below(&random, 20), check_below(&random, 20), &random);
            run(&config, 3000, check_below(&random, 20), &random);
        }
    }
    return 0;
}
