/* A realloc that copies without the lock leaves every block where one does that keeps it: the same program
 * on two sets, of which one has locks. And the blocks' contents are what they were. */
#include "chip.h"

#define LIVE 32u
#define STEPS 20000u

static uint32_t below(uint32_t *random, uint32_t limit)
{
    *random = *random * 1664525u + 1013904223u;
    return (*random >> 8) % limit;
}

/* Where an address lies: its region and the distance from its start; 0: NULL. */
static size_t place(const chip_t *chip, const void *address)
{
    if (address == NULL) {
        return 0;
    }
    const uint32_t region = chip_where(chip, address);
    CHECK(region < chip->total, "in no region");
    return (size_t)region << 24 |
           (size_t)((uintptr_t)address - (uintptr_t)chip->table[region].start);
}

static void same(chip_t *locked, chip_t *plain, uint32_t step)
{
    CHECK(locked->locked == 0, "a lock is held");
    CHECK(hs_regions_free_size(locked->set, 0) == hs_regions_free_size(plain->set, 0), "free, %u",
          (unsigned)step);
    CHECK(hs_regions_minimum_free(locked->set, 0) == hs_regions_minimum_free(plain->set, 0),
          "minimum, %u", (unsigned)step);
}

static void run(hs_guard_level_t level, bool owners, uint32_t seed)
{
    static chip_t chips[2];
    static hs_guard_config_t guard;
    guard = (hs_guard_config_t){.level = level, .owners = owners, .walk_every = 50};
    for (int i = 0; i < 2; i++) {
        chip_open(&chips[i]);
        chip_region(&chips[i], &chip_dram, 3000, 0);
        chip_region(&chips[i], &chip_dram, 6000, 4);
        chip_region(&chips[i], &chip_iram, 3000, 0);
        chips[i].config.guard = &guard;
        if (owners) {
            (void)chip_owners(&chips[i]);
        }
    }
    chips[1].config.lock = NULL;
    chips[1].config.unlock = NULL;
    chip_start(&chips[0]);
    chip_start(&chips[1]);
    uint32_t *live[2][LIVE] = {{NULL}};
    uint32_t words[LIVE] = {0};
    uint32_t random = seed;
    uint32_t moves = 0;
    for (uint32_t step = 0; step < (uint32_t)check_rounds(STEPS); step++) {
        const uint32_t which = below(&random, LIVE);
        const size_t size = 4 * (1 + below(&random, below(&random, 4) == 0 ? 300 : 40));
        const uint32_t caps = below(&random, 4) == 0 ? HS_CAP_IRAM_8BIT : HS_CAP_8BIT;
        const size_t alignment = below(&random, 4) == 0 ? 64 : 1;
        const bool gives = below(&random, 3) == 0;
        size_t was = 0;
        for (int i = 0; i < 2; i++) {
            hs_regions_t *const set = chips[i].set;
            uint32_t **const block = &live[i][which];
            if (*block == NULL) {
                *block = hs_regions_aligned_alloc(set, alignment, size, 0, caps);
            } else if (gives) {
                CHECK(hs_regions_free(set, *block) == HS_OK, "free");
                *block = NULL;
            } else {
                was = place(&chips[i], *block);
                uint32_t *const now = hs_regions_realloc(set, *block, size, caps);
                if (now != NULL) {
                    const uint32_t kept =
                        words[which] < size / 4 ? words[which] : (uint32_t)(size / 4);
                    for (uint32_t word = 0; word < kept; word++) {
                        CHECK(now[word] == which * 1000 + word, "step %u word %u", (unsigned)step,
                              (unsigned)word);
                    }
                    *block = now;
                }
            }
        }
        CHECK(place(&chips[0], live[0][which]) == place(&chips[1], live[1][which]),
              "seed %u level %d step %u: another place", (unsigned)seed, (int)level,
              (unsigned)step);
        moves += was != 0 && was != place(&chips[0], live[0][which]) ? 1 : 0;
        words[which] = live[0][which] != NULL
                           ? (uint32_t)(hs_regions_usable_size(chips[0].set, live[0][which]) / 4)
                           : 0;
        for (int i = 0; i < 2 && live[i][which] != NULL; i++) {
            for (uint32_t word = 0; word < words[which]; word++) {
                live[i][which][word] = which * 1000 + word;
            }
        }
        same(&chips[0], &chips[1], step);
    }
    CHECK(moves > 500 / CHECK_THIN, "%u moves", (unsigned)moves);
    CHECK(memcmp(chips[0].owners_memory, chips[1].owners_memory, sizeof chips[0].owners_memory) ==
              0,
          "owners hold the same");
    chip_close(&chips[0]);
    chip_close(&chips[1]);
}

int main(void)
{
    for (int level = HS_GUARD_OFF; level <= HS_GUARD_WALK; level++) {
        run((hs_guard_level_t)level, false, (uint32_t)(17 + level));
        run((hs_guard_level_t)level, true, (uint32_t)(71 + level));
    }
    return 0;
}
