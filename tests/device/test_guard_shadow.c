/*
 * Random calls at each level, form, alignment and with or without tags: after each few the guarded
 * heap is compared from end to end (guarded.h).
 */
#include "guarded.h"

static guarded_t guarded;

static size_t some_size(check_random_t *random, size_t whole)
{
    switch (check_below(random, 8)) {
    case 0:
        return 1 + check_below(random, 8);
    case 1:
        return hs_guard_largest(&guarded.guard) + 3 - check_below(random, 6);
    case 2:
        return check_below(random, 50) == 0 ? SIZE_MAX - check_below(random, 40)
                                            : 1 + check_below(random, (uint32_t)whole);
    case 3:
        return 480 + check_below(random, 64); /* about the size from which the heap stores it */
    default:
        return 1 + check_below(random, 120);
    }
}

static void step(check_random_t *random, uint32_t greed)
{
    static const char sites[64];
    guarded_t *g = &guarded;
    const hs_tag_t tag = {check_below(random, HS_OWNER_MAX + 1), sites + check_below(random, 64)};
    const uint32_t choice = check_below(random, 16);
    const size_t size = some_size(random, g->region.size);
    if (g->count == 0 || (choice < greed && g->count < GUARDED_BLOCKS)) {
        const size_t alignment = (size_t)1 << check_below(random, 9);
        const size_t step_of = alignment < guarded_alignment(g) ? alignment : guarded_alignment(g);
        const size_t offset = check_below(random, 6) * (g->config.level == 0 ? g->unit : step_of);
        if (choice % 4 == 3) {
            guarded_aligned(g, alignment, size, offset <= size ? offset : 0, tag);
        } else if (choice % 4 == 2 && size < 100000) {
            guarded_calloc(g, 1 + check_below(random, 4), size, tag);
        } else {
            guarded_malloc(g, size, tag);
        }
    } else {
        const size_t index = check_below(random, (uint32_t)g->count);
        const size_t near = g->blocks[index].size + 24 - check_below(random, 48);
        if (choice < greed + (16 - greed) / 2) {
            const size_t wanted = check_below(random, 2) == 0 ? size : near;
            if (wanted - 1 < HS_WIDE_MAX) {
                guarded_realloc(g, index, wanted, tag);
            }
        } else {
            guarded_free(g, index);
        }
    }
}

static void run(const hs_guard_config_t *config, hs_form_t form, uint32_t alignment, size_t size,
                check_random_t *random)
{
    char label[120];
    snprintf(label, sizeof label, "level %d, owners %d, sites %d, payloads to %u, form %d of %u",
             (int)config->level, config->owners, config->sites, (unsigned)config->alignment,
             (int)form, (unsigned)alignment);
    guarded_t *g = &guarded;
    CHECK(guarded_open(g, label, config, form, alignment, size, check_below(random, 16)), "%s",
          label);
    for (int i = 0; i < 300; i++) {
        step(random, i / 50 % 2 == 0 ? 11 : 5);
        if (i % 3 == 0) {
            guarded_check(g);
        }
    }
    while (g->count > 0) {
        guarded_free(g, check_below(random, (uint32_t)g->count));
    }
    guarded_check(g);
    guarded_close(g);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    for (uint32_t i = 0; i < 4 * 3 * 2 * 4 * 4; i += CHECK_THIN > 1 ? 67 : 1) {
        const uint32_t marks = i / 4 % 4, heap = i / 16 % 2 == 0 ? 8 : 16;
        const uint32_t choices[4] = {0, 4, 8, heap};
        const hs_guard_config_t config = {
            .level = (hs_guard_level_t)(i % 4),
            .owners = marks % 2 != 0,
            .sites = marks / 2 != 0,
            .alignment = choices[i / 32 % 4],
            .walk_every = 1 + check_below(&random, 40),
        };
        const hs_form_t form = (hs_form_t)(HS_FORM_SMALL + i / 128 % 3);
        run(&config, form, heap, 700 + check_below(&random, 64), &random);
        run(&config, form, heap, 6000, &random);
    }
    return 0;
}
