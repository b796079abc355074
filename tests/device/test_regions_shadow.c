/*
 * Random programs on a set of regions, against a model that knows the rules by itself: which region
 * serves a request, what every block holds, and whose it is. After each call all of it is compared;
 * fits and largest_allocatable must change nothing and agree with a malloc on a copy of the memory.
 */
#include "chip.h"

#define BLOCKS 160u
#define TASKS 5u

typedef struct one {
    uint8_t *data;   /* by the data bus */
    uint8_t *handle; /* what the caller got */
    size_t size;     /* asked for */
    size_t usable;
    uint32_t seed;
    uint32_t region;
    uint32_t task;
    bool reversed;
} one_t;

typedef struct world {
    chip_t chip;
    one_t block[BLOCKS];
    uint32_t count;
    check_random_t *random;
    bool owners;
    unsigned failures; /* that were expected */
    unsigned moves;
    size_t low[CHIP_REGIONS];
} world_t;

static world_t world;
static int tasks[TASKS + 1];

static const uint32_t wishes[] = {
    HS_CAP_DEFAULT,
    HS_CAP_DEFAULT,
    HS_CAP_8BIT,
    HS_CAP_INTERNAL,
    HS_CAP_INTERNAL | HS_CAP_DEFAULT,
    HS_CAP_DMA,
    HS_CAP_32BIT,
    HS_CAP_EXEC,
    HS_CAP_SPIRAM,
    HS_CAP_IRAM_8BIT,
    HS_CAP_RTCRAM,
    HS_CAP_SPIRAM | HS_CAP_INTERNAL,
    HS_CAP_EXEC | HS_CAP_DMA,
};

static const hs_size_rule_t size_rules[] = {
    {HS_CAP_DEFAULT, 1, 200, HS_CAP_DEFAULT | HS_CAP_INTERNAL},
    {HS_CAP_DEFAULT, 700, 900, HS_CAP_IRAM_8BIT},
    {HS_CAP_DEFAULT, 300, 0, HS_CAP_DEFAULT | HS_CAP_SPIRAM},
};

/* ---- what should happen --------------------------------------------------------------------------- */

/* Regions in the order in which they are tried: `added` from the table's end on, the newest first. */
static uint32_t in_order(uint32_t place)
{
    const chip_t *chip = &world.chip;
    const uint32_t added = chip->total - chip->count;
    return place < added ? chip->total - 1 - place : place - added;
}

/* The size that a region's heap must hold for a request; 0: it cannot serve it. */
static size_t needs(uint32_t region, size_t size, uint32_t caps)
{
    const hs_memory_t *memory = world.chip.table[region].memory;
    const uint32_t all = memory->caps[0] | memory->caps[1] | memory->caps[2];
    const bool code = (caps & HS_CAP_EXEC) != 0 && memory->alias != 0;
    if ((all & caps) != caps || (code && (caps & (HS_CAP_8BIT | HS_CAP_DMA)) != 0)) {
        return 0;
    }
    if ((all & HS_CAP_8BIT) == 0 || (caps & HS_CAP_32BIT) != 0) {
        size = (size + 3) / 4 * 4;
    }
    return size + (code && memory->alias_reversed ? 4 : 0);
}

/* The region for exactly these capabilities, CHIP_REGIONS: none. */
static uint32_t expected_by(size_t size, uint32_t caps)
{
    for (uint32_t priority = 0; priority < 3; priority++) {
        for (uint32_t place = 0; place < world.chip.total; place++) {
            const uint32_t i = in_order(place);
            hs_region_state_t state;
            CHECK(hs_regions_state(world.chip.set, i, &state), "region %u", (unsigned)i);
            const uint32_t at = world.chip.table[i].memory->caps[priority];
            const size_t needed = needs(i, size, caps);
            if ((at & caps) != 0 && needed != 0 && state.guard->heap != NULL &&
                hs_guard_fits(state.guard, 1, needed, 0)) {
                return i;
            }
        }
    }
    return CHIP_REGIONS;
}

static uint32_t expected(size_t size, uint32_t caps)
{
    const hs_regions_config_t *config = &world.chip.config;
    uint32_t match = CHIP_REGIONS;
    caps |= (caps & HS_CAP_EXEC) != 0 ? HS_CAP_32BIT : 0;
    for (uint32_t i = 0; i < config->rule_count && match == CHIP_REGIONS; i++) {
        const hs_size_rule_t *rule = &config->rules[i];
        if ((caps & rule->asked) == rule->asked && size >= rule->from &&
            (rule->to == 0 || size <= rule->to)) {
            match = expected_by(size, (caps & ~rule->asked) | rule->instead);
        }
    }
    return match != CHIP_REGIONS ? match : expected_by(size, caps);
}

/* ---- what is there -------------------------------------------------------------------------------- */

/* The word of a block that its user sees as the `index`th. */
static uint32_t *word_of(const one_t *block, size_t index)
{
    const uintptr_t at = block->reversed
                             ? world.chip.diram.alias - (uintptr_t)block->handle - 4 * index
                             : (uintptr_t)block->handle + 4 * index;
    return (uint32_t *)at;
}

static void fill(one_t *block)
{
    block->seed = check_next(world.random);
    for (size_t i = 0; i < block->usable / 4; i++) {
        *word_of(block, i) = block->seed + (uint32_t)i;
    }
}

static void check_filled(const one_t *block, size_t bytes)
{
    for (size_t i = 0; i < bytes / 4; i++) {
        CHECK(*word_of(block, i) == block->seed + (uint32_t)i, "word %zu of %zu bytes", i,
              block->size);
    }
}

/* Finds out where a block that was just handed out lies. */
static void look(one_t *block)
{
    const chip_t *chip = &world.chip;
    block->reversed = chip_where(chip, block->handle) == CHIP_REGIONS;
    block->data = block->handle;
    block->usable = hs_regions_usable_size(chip->set, block->handle);
    CHECK(block->usable >= block->size, "%zu for %zu", block->usable, block->size);
    if (block->reversed) {
        const uintptr_t last = chip->diram.alias - (uintptr_t)block->handle;
        block->data = hs_regions_containing_block(chip->set, (void *)last);
        CHECK(block->data != NULL, "no block at the alias %p", (void *)block->handle);
    }
    block->region = chip_where(chip, block->data);
    CHECK((uintptr_t)block->data % 4 == 0, "%p", (void *)block->data);
    hs_region_state_t state;
    CHECK(hs_regions_state(chip->set, block->region, &state), "region");
    const uint8_t *end = block->data + hs_guard_usable_size(state.guard, block->data);
    for (uint32_t i = 0; i < world.count; i++) {
        const one_t *other = &world.block[i];
        CHECK(other == block || other->data >= end || block->data >= other->data + other->usable,
              "blocks overlap");
    }
}

static void check_owners(void)
{
    hs_owners_t *owners = world.chip.config.owners;
    hs_holding_t held[CHIP_OWNERS + 1][HS_KINDS_MAX] = {{{0, 0, 0, 0}}};
    for (uint32_t i = 0; i < world.count; i++) {
        const one_t *block = &world.block[i];
        const hs_memory_t *memory = world.chip.table[block->region].memory;
        hs_region_state_t state;
        CHECK(hs_regions_state(world.chip.set, block->region, &state), "region");
        const hs_tag_t tag = hs_guard_tag(state.guard, block->data);
        if (memory->bare) {
            CHECK(tag.owner == HS_OWNER_NONE, "an owner in bare memory");
            continue;
        }
        const uint32_t row = hs_owners_row(owners, &tasks[block->task]);
        CHECK(tag.owner == row, "a block of row %u, not %u", (unsigned)tag.owner, (unsigned)row);
        held[row][memory->kind].blocks++;
        held[row][memory->kind].bytes += (uint32_t)hs_guard_usable_size(state.guard, block->data);
    }
    for (uint32_t row = 1; row <= CHIP_OWNERS; row++) {
        const hs_owner_t *owner = hs_owners_get(owners, row);
        for (uint32_t kind = 0; kind < HS_KINDS_MAX; kind++) {
            const hs_holding_t *is =
                owner != NULL ? &owner->holding[kind] : &(hs_holding_t){0, 0, 0, 0};
            CHECK(is->bytes == held[row][kind].bytes && is->blocks == held[row][kind].blocks,
                  "row %u, kind %u: %u bytes of %u", (unsigned)row, (unsigned)kind,
                  (unsigned)is->bytes, (unsigned)held[row][kind].bytes);
            CHECK(is->peak_bytes >= is->bytes && is->peak_blocks >= is->blocks, "peaks");
        }
    }
}

static void check_all(void)
{
    const chip_t *chip = &world.chip;
    size_t free = 0;
    size_t minimum = 0;
    CHECK(chip->locked == 0, "the lock is held");
    for (uint32_t i = 0; i < chip->total; i++) {
        hs_region_state_t state;
        CHECK(hs_regions_state(chip->set, i, &state) && state.guard->heap != NULL, "region");
        CHECK(hs_heap_check(state.guard->heap, NULL) == HS_OK, "region %u", (unsigned)i);
        const size_t is = hs_heap_free_size(state.guard->heap);
        const size_t low = hs_heap_minimum_free(state.guard->heap);
        world.low[i] = is < world.low[i] ? is : world.low[i];
        CHECK(low <= world.low[i], "region %u was lower", (unsigned)i);
        free += is;
        minimum += low;
    }
    CHECK(hs_regions_free_size(chip->set, 0) == free, "free");
    CHECK(hs_regions_minimum_free(chip->set, 0) == minimum, "minimum");
    CHECK(chip->failures == world.failures, "%u failures", chip->failures);
    for (uint32_t i = 0; i < world.count; i++) {
        check_filled(&world.block[i], world.block[i].size);
    }
    if (world.owners) {
        check_owners();
    }
}

/* ---- on a copy ---------------------------------------------------------------------------------- */

static void check_questions(void)
{
    hs_regions_t *set = world.chip.set;
    const uint32_t caps = wishes[check_below(world.random, sizeof wishes / sizeof wishes[0])];
    const size_t size = 1 + check_below(world.random, 1200);
    const size_t alignment = (size_t)1 << check_below(world.random, 8);
    chip_copy_t copy;
    chip_save(&world.chip, &copy);
    const size_t largest = hs_regions_largest_allocatable(set, caps);
    const bool fits = hs_regions_fits(set, size, 1, caps);
    const bool fits_aligned = hs_regions_fits(set, size, alignment, caps);
    CHECK(!hs_regions_fits(set, 0, 1, caps) && !hs_regions_fits(set, SIZE_MAX, 1, caps), "size");
    CHECK(!hs_regions_fits(set, 8, 3, caps) && !hs_regions_fits(set, 8, 0, caps), "alignment");
    chip_check_same(&world.chip, &copy);
    CHECK((hs_regions_malloc(set, size, caps) != NULL) == fits, "%zu bytes with %#x: fits says %d",
          size, (unsigned)caps, fits);
    chip_restore(&world.chip, &copy);
    void *aligned = hs_regions_aligned_alloc(set, alignment, size, 0, caps);
    CHECK((aligned != NULL) == fits_aligned, "%zu bytes at %zu with %#x: fits says %d", size,
          alignment, (unsigned)caps, fits_aligned);
    chip_restore(&world.chip, &copy);
    CHECK(largest == 0 || hs_regions_malloc(set, largest, caps) != NULL, "%zu with %#x", largest,
          (unsigned)caps);
    chip_restore(&world.chip, &copy);
    for (size_t more = largest + 1; more < largest + 40; more++) {
        CHECK(hs_regions_malloc(set, more, caps) == NULL, "%zu, not only %zu, with %#x", more,
              largest, (unsigned)caps);
    }
    chip_restore(&world.chip, &copy);
    chip_forget(&world.chip, &copy);
}

/* ---- the calls ------------------------------------------------------------------------------------ */

static void allocate(void)
{
    one_t *block = &world.block[world.count];
    const uint32_t caps = wishes[check_below(world.random, sizeof wishes / sizeof wishes[0])];
    block->size = 1 + (check_below(world.random, 4) == 0 ? check_below(world.random, 1500)
                                                         : check_below(world.random, 120));
    block->task = check_below(world.random, TASKS);
    world.chip.task = &tasks[block->task];
    const uint32_t region = expected(block->size, caps);
    const bool clear = check_below(world.random, 3) == 0;
    block->handle = clear ? hs_regions_calloc(world.chip.set, 1, block->size, caps)
                          : hs_regions_malloc(world.chip.set, block->size, caps);
    CHECK((block->handle == NULL) == (region == CHIP_REGIONS), "%zu bytes with %#x", block->size,
          (unsigned)caps);
    if (block->handle == NULL) {
        world.failures++;
        return;
    }
    world.count++;
    look(block);
    CHECK(block->region == region, "%zu bytes with %#x from %u, not %u", block->size,
          (unsigned)caps, (unsigned)block->region, (unsigned)region);
    for (size_t i = 0; clear && i < block->size / 4; i++) {
        CHECK(*word_of(block, i) == 0, "word %zu is not clear", i);
    }
    fill(block);
}

static void release(uint32_t index)
{
    one_t *block = &world.block[index];
    void *address = check_below(world.random, 2) == 0 ? block->handle : block->data;
    world.chip.task = &tasks[check_below(world.random, TASKS)];
    CHECK(hs_regions_free(world.chip.set, address) == HS_OK, "%p", address);
    *block = world.block[--world.count];
}

static void resize(uint32_t index)
{
    one_t *block = &world.block[index];
    const one_t before = *block;
    const uint32_t caps = wishes[check_below(world.random, sizeof wishes / sizeof wishes[0])];
    const size_t size = 1 + check_below(world.random, check_below(world.random, 2) ? 900 : 60);
    const uint32_t task = check_below(world.random, TASKS);
    const bool possible = expected(size, caps) != CHIP_REGIONS;
    world.chip.task = &tasks[task];
    uint8_t *moved = hs_regions_realloc(world.chip.set, block->handle, size, caps);
    if (moved == NULL) {
        CHECK(!possible, "%zu bytes with %#x had room", size, (unsigned)caps);
        world.failures++;
        return;
    }
    block->handle = moved;
    block->size = size;
    block->task = task;
    look(block);
    const uint32_t *has = world.chip.table[block->region].memory->caps;
    const uint32_t all = has[0] | has[1] | has[2];
    CHECK((all & caps) == caps || world.chip.config.rule_count != 0, "moved to %u for %#x",
          (unsigned)block->region, (unsigned)caps);
    world.moves += block->region != before.region ? 1 : 0;
    check_filled(block, size < before.size ? size : before.size);
    fill(block);
}

static void step(uint32_t number)
{
    const uint32_t choice = check_below(world.random, 16);
    const uint32_t greed = number / 100 % 2 == 0 ? 9 : 5;
    if (world.count == 0 || (choice < greed && world.count < BLOCKS)) {
        allocate();
    } else if (choice < 12) {
        resize(check_below(world.random, world.count));
    } else {
        release(check_below(world.random, world.count));
    }
    check_all();
    if (number % 16 == 0) {
        check_questions();
    }
}

/* ---- the worlds ----------------------------------------------------------------------------------- */

static void run(check_random_t *random, hs_guard_level_t level, bool owners, bool rules,
                uint32_t steps)
{
    const hs_guard_config_t guard = {.level = level, .owners = owners, .walk_every = 64};
    static hs_memory_t bare;
    chip_t *chip = &world.chip;
    world.count = 0;
    world.failures = 0;
    world.moves = 0;
    world.random = random;
    world.owners = owners;
    chip_open(chip);
    chip->config.guard = level != HS_GUARD_LINKS || owners ? &guard : NULL;
    chip->config.rules = rules ? size_rules : NULL;
    chip->config.rule_count = rules ? 3 : 0;
    if (owners) {
        chip_owners(chip);
    }
    bare = chip_rtc_last;
    bare.bare = true;
    const size_t skew = check_below(random, 9);
    chip_region(chip, &bare, 700, skew);
    chip_region(chip, &chip_dram, 3000 + check_below(random, 900), skew);
    chip_region(chip, chip_reversed(chip), 2000 + check_below(random, 900), 4 * skew)
        ->startup_stack = true;
    chip_region(chip, &chip_iram, 2000 + check_below(random, 900), skew);
    chip_start(chip);
    CHECK(hs_regions_enable_startup_stacks(chip->set) == HS_OK, "enable");
    CHECK(hs_regions_add(chip->set, chip_region(chip, &chip_spiram, 5000, skew)) == HS_OK, "add");
    CHECK(hs_regions_add(chip->set, chip_region(chip, &chip_dram, 900, 0)) == HS_OK, "add");
    for (uint32_t i = 0; i < chip->total; i++) {
        world.low[i] = SIZE_MAX;
    }
    for (uint32_t i = 0; i < steps; i++) {
        step(i);
    }
    while (world.count != 0) {
        release(check_below(random, world.count));
        check_all();
    }
    hs_heap_info_t info;
    hs_regions_info(chip->set, 0, &info);
    CHECK(info.used_blocks == 2, "%zu blocks, not those of the two added regions",
          info.used_blocks);
    CHECK(world.failures > steps / 100 && world.moves > steps / 100, "%u, %u", world.failures,
          world.moves);
    CHECK(hs_regions_check(chip->set, 0) == HS_OK, "damaged");
    chip_close(chip);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    const uint32_t steps = argc > 2         ? (uint32_t)strtoul(argv[2], NULL, 0)
                           : CHECK_THIN > 1 ? 80
                                            : 700;
    for (hs_guard_level_t level = HS_GUARD_LINKS; level <= HS_GUARD_WALK; level++) {
        run(&random, level, false, level % 2 == 0, steps);
        run(&random, level, true, level % 2 == 1, steps);
    }
    return 0;
}
