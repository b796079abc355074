/*
 * Random programs on our heap, in every form and alignment, in regions from the smallest that can be
 * had to 1 MB that begin anywhere. After every call the heap is compared with a shadow: see shadow.h.
 */
#include "program.h"

/* The smallest region that holds a heap. One of a bin more may be too small again, by bytes. */
static size_t smallest(const hs_heap_config_t *config, size_t skew)
{
    size_t match = 0;
    const size_t first = CHECK_THIN > 1 ? 48 : 0; /* of any heap 64 is the least */
    const size_t last = CHECK_THIN > 1 ? 200 : 1024;
    size_t enough = first; /* from here on all do */
    for (size_t size = first; size < last; size++) {
        region_t region = region_open(size, skew);
        bool created = hs_heap_create(region.memory, size, config) != NULL;
        region_close(&region);
        match = created && match == 0 ? size : match;
        enough = created ? enough : size + 1;
    }
    CHECK(match > 0, "no heap in 1 KB");
    CHECK(enough <= match + 16, "%zu bytes do, %zu do not", match, enough - 1);
    return enough;
}

static program_t program; /* large: a stripe of pattern bytes */

static void run(const hs_heap_config_t *config, size_t size, size_t skew, int steps,
                check_random_t *random)
{
    char label[96];
    uint64_t seed = check_next(random);
    check_random_t own = {seed * 2 + 1};
    snprintf(label, sizeof label, "form %d, alignment %u, %zu bytes, skew %zu, seed %llu",
             (int)config->form, (unsigned)config->alignment, size, skew, (unsigned long long)seed);
    program.random = &own;
    program.refused = 0;
    program.moved = 0;
    bool opened = shadow_open(&program.shadow, label, region_open(size, skew), config, seed);
    CHECK(opened, "%s: not created", label);
    shadow_t *shadow = &program.shadow;
    shadow->leave_raw = check_below(&own, 2) * 4;
    for (int step = 0; step < steps; step++) {
        program_step(&program, step / 64 % 2 == 0 ? 9 : 5);
        if (shadow->count > 600) {
            shadow_free(shadow, check_below(&own, (uint32_t)shadow->count));
        }
    }
    CHECK(size < 1000 || CHECK_THIN > 1 || (program.refused > 0 && program.moved > 0),
          "%s: never short of memory, or no realloc that moved", label);
    shadow_empty(shadow, &own);
    shadow_close(shadow);
}

/* Regions in which everything happens at the edges. */
static void run_small(const hs_heap_config_t *config, check_random_t *random)
{
    for (size_t skew = 0; skew < 18; skew += CHECK_THIN) {
        size_t least = smallest(config, skew);
        for (size_t more = 0; more < 40; more += CHECK_THIN + check_below(random, 7)) {
            run(config, least + more, skew, 60, random);
        }
        run(config, least + 100 + check_below(random, 500), skew, check_rounds(300), random);
    }
}

static void run_large(const hs_heap_config_t *config, check_random_t *random)
{
    static const size_t sizes[] = {1000, 2048, 4096, 15000, 40001, 65536, 250000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        run(config, sizes[i], check_below(random, 32), check_rounds(sizes[i] > 60000 ? 800 : 1500),
            random);
        if (CHECK_THIN > 1) {
            return; /* minutes in emulation */
        }
    }
    if (config->form != HS_FORM_SMALL) {
        run(config, (size_t)1 << 20, check_below(random, 32), 600, random);
    }
    if (config->form == HS_FORM_SMALL || config->form == HS_FORM_AUTO) {
        run(config, HS_SMALL_MAX - check_below(random, 8), 4, 600, random);
    }
}

int main(int argc, char **argv)
{
    static const uint32_t alignments[] = {0, 4, 8, 16};
    check_random_t random = check_start(argc, argv);
    for (int form = HS_FORM_AUTO; form <= HS_FORM_WORD; form++) {
        for (size_t i = 0; i < sizeof alignments / sizeof alignments[0]; i++) {
            hs_heap_config_t config = {(hs_form_t)form, alignments[i]};
            run_small(&config, &random);
            run_large(&config, &random);
        }
    }
    return 0;
}
