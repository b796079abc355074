/*
 * The calls of esp_heap_caps.h that tell of heaps: figures, minima, summaries; heaps that are added
 * at run time; walks, checks and their findings.
 */
#include <string.h>

#include "../../models/check.h"
#include "esp_faults.h"
#include "esp_heap_caps_init.h"
#include "esp_memory_utils.h"
#include "esp_system.h"

#if defined(CONFIG_HEAP_POISONING_LIGHT) || defined(CONFIG_HEAP_POISONING_COMPREHENSIVE)
#define GUARDED 1
#else
#define GUARDED 0
#endif

#if defined(CONFIG_HEAP_TASK_TRACKING) /* then a block has its owner's byte, too */
#define TRACKED 1
#else
#define TRACKED 0
#endif

bool heap_caps_check_add_region_allowed(intptr_t heap_start, intptr_t heap_end, intptr_t start,
                                        intptr_t end);

/* The text printed since it was last asked for: the buffer of stdout, never written out. */
static char text[65536];

static const char *printed(void)
{
    static size_t from;
    if (from == 0 && text[0] == 0 && text[8] != 0) { /* musl keeps the buffer's first 8 bytes */
        from = 8;
    }
    const char *const here = text + from;
    from += strlen(here);
    return here;
}

static bool says(const char *here, const char *what)
{
    return strstr(here, what) != NULL;
}

/* ---- figures ---------------------------------------------------------------------------------- */

static multi_heap_info_t info_of(uint32_t caps)
{
    multi_heap_info_t info;
    heap_caps_get_info(&info, caps);
    CHECK(info.total_free_bytes == heap_caps_get_free_size(caps) &&
              info.minimum_free_bytes == heap_caps_get_minimum_free_size(caps) &&
              info.largest_free_block == heap_caps_get_largest_free_block(caps) &&
              info.total_blocks == info.allocated_blocks + info.free_blocks,
          "figures of %#x contradict each other", (unsigned)caps);
    return info;
}

static void check_figures(void)
{
    static const uint32_t sets[] = {MALLOC_CAP_8BIT, MALLOC_CAP_32BIT, MALLOC_CAP_DMA,
                                    MALLOC_CAP_EXEC, MALLOC_CAP_SPIRAM};
    CHECK(heap_caps_get_total_size(MALLOC_CAP_SPIRAM) == 4 << 20, "external RAM");
    for (size_t i = 0; i < 5; i++) {
        const multi_heap_info_t before = info_of(sets[i]);
        CHECK(before.total_free_bytes + before.total_allocated_bytes <
                  heap_caps_get_total_size(sets[i]),
              "set %zu: more than there is", i);
        CHECK(heap_caps_malloc(before.largest_free_block + 4, sets[i]) == NULL, "set %zu", i);
        void *const block = heap_caps_malloc(before.largest_free_block, sets[i]);
        CHECK(block != NULL, "set %zu: %zu bytes", i, before.largest_free_block);
        const multi_heap_info_t after = info_of(sets[i]);
        CHECK(after.largest_free_block <= before.largest_free_block &&
                  after.total_free_bytes + before.largest_free_block <= before.total_free_bytes &&
                  after.allocated_blocks == before.allocated_blocks + 1 &&
                  after.total_allocated_bytes >=
                      before.total_allocated_bytes + before.largest_free_block,
              "set %zu", i);
        heap_caps_free(block);
        const multi_heap_info_t freed = info_of(sets[i]);
        CHECK(freed.total_free_bytes == before.total_free_bytes &&
                  freed.largest_free_block == before.largest_free_block &&
                  freed.minimum_free_bytes < before.total_free_bytes,
              "set %zu", i);
    }
    CHECK(heap_caps_get_free_size(MALLOC_CAP_32BIT) >= heap_caps_get_free_size(MALLOC_CAP_8BIT),
          "bytes that are no words");
    CHECK(info_of(0).total_free_bytes >= info_of(MALLOC_CAP_8BIT).total_free_bytes, "all heaps");
    CHECK(info_of(MALLOC_CAP_INVALID).total_free_bytes == 0, "memory of no kind");
    CHECK(esp_get_free_heap_size() == heap_caps_get_free_size(MALLOC_CAP_DEFAULT) &&
              esp_get_minimum_free_heap_size() ==
                  heap_caps_get_minimum_free_size(MALLOC_CAP_DEFAULT),
          "esp_system.h says other figures");
}

static void check_summary(void)
{
    char line[160];
    (void)printed();
    heap_caps_print_heap_info(MALLOC_CAP_DMA);
    const char *const summary = printed();
    const multi_heap_info_t info = info_of(MALLOC_CAP_DMA);
    CHECK(says(summary, "Heap summary for capabilities 0x00000008:\n"), "%s", summary);
    snprintf(line, sizeof(line),
             "  Totals:\n    free %zu allocated %zu min_free %zu largest_free_block %zu\n",
             info.total_free_bytes, info.total_allocated_bytes, info.minimum_free_bytes,
             info.largest_free_block);
    CHECK(says(summary, line), "no %s in %s", line, summary);
    size_t heaps = 0;
    for (const char *at = summary; (at = strstr(at, "  At 0x")) != NULL; at++) {
        heaps++;
    }
    CHECK(heaps == 4, "%zu heaps in %s", heaps, summary);
    void *const block = heap_caps_malloc(124, MALLOC_CAP_DMA);
    heap_caps_dump(MALLOC_CAP_DMA);
    const char *const dump = printed();
    snprintf(line, sizeof(line), "%p %8zu bytes used", block, heap_caps_get_allocated_size(block));
    CHECK(says(dump, line), "no %s in %s", line, dump);
    CHECK(says(dump, "bytes free\n"), "no free block in %s", dump);
    heap_caps_free(block);
    const size_t some = strlen(dump);
    heap_caps_dump_all();
    CHECK(strlen(printed()) > some, "not all heaps");
}

/* ---- minima ----------------------------------------------------------------------------------- */

static void check_monitoring(void)
{
    const uint32_t caps = MALLOC_CAP_DEFAULT;
    const size_t ever = heap_caps_get_minimum_free_size(caps);
    CHECK(heap_caps_monitor_local_minimum_free_size_stop() == ESP_FAIL, "stopped without start");
    CHECK(heap_caps_monitor_local_minimum_free_size_start() == ESP_OK, "not started");
    const size_t local = heap_caps_get_minimum_free_size(caps);
    CHECK(local == heap_caps_get_free_size(caps) && local > ever, "%zu and %zu", local, ever);
    heap_caps_free(heap_caps_malloc(400, caps));
    CHECK(heap_caps_get_minimum_free_size(caps) <= local - 400, "no low was seen");
    CHECK(heap_caps_monitor_local_minimum_free_size_start() == ESP_OK, "not started again");
    CHECK(heap_caps_get_minimum_free_size(caps) <= local - 400, "the second start forgot the low");
    CHECK(heap_caps_monitor_local_minimum_free_size_stop() == ESP_OK, "not stopped");
    CHECK(heap_caps_get_minimum_free_size(caps) == ever, "the low of all time is lost");
    CHECK(heap_caps_monitor_local_minimum_free_size_stop() != ESP_OK, "stopped twice");
}

/* ---- heaps that come later -------------------------------------------------------------------- */

enum { BUFFER = 3500 };
static uint8_t variables[BUFFER];

static void check_added(void)
{
    const uint32_t invented = 1u << 29;
    const uint32_t caps[SOC_MEMORY_TYPE_NO_PRIOS] = {invented, 0, 0};
    CHECK(heap_caps_malloc(64, invented) == NULL, "memory that does not exist");
    const size_t minimum = heap_caps_get_minimum_free_size(MALLOC_CAP_DEFAULT);
    void *const buffer = heap_caps_malloc(BUFFER, MALLOC_CAP_DEFAULT);
    const intptr_t start = (intptr_t)buffer;
    CHECK(heap_caps_add_region_with_caps(caps, start, start + BUFFER) == ESP_OK, "not added");
    CHECK(heap_caps_get_minimum_free_size(invented) == 0 &&
              heap_caps_get_minimum_free_size(MALLOC_CAP_DEFAULT) <= minimum,
          "a late heap counts for the minimum");
    CHECK(heap_caps_get_total_size(invented) == BUFFER, "of another size");
    uint8_t *const block = heap_caps_malloc(64, invented);
    CHECK(block >= (uint8_t *)buffer && block < (uint8_t *)buffer + BUFFER, "%p", (void *)block);
    memset(block, 1, 64);
    CHECK(heap_caps_get_allocated_size(block) >= 64, "no block");
    CHECK(heap_caps_check_integrity_addr((intptr_t)block, true), "corrupt");
    heap_caps_free(block);
    CHECK(heap_caps_add_region_with_caps(caps, start, start + BUFFER) == ESP_FAIL, "added twice");
    CHECK(heap_caps_add_region_with_caps(caps, start - 8, start + BUFFER) == ESP_FAIL, "across");
    CHECK(heap_caps_add_region_with_caps(NULL, start, start + BUFFER) == ESP_ERR_INVALID_ARG,
          "refused");
    CHECK(heap_caps_add_region_with_caps(caps, 0, start) == ESP_ERR_INVALID_ARG, "from 0");
    CHECK(heap_caps_add_region_with_caps(caps, start, 0) == ESP_ERR_INVALID_ARG, "to 0");
    CHECK(heap_caps_add_region_with_caps(caps, start, start) == ESP_ERR_INVALID_ARG, "nothing");
    uint8_t *const other = heap_caps_malloc(100, MALLOC_CAP_DEFAULT);
    CHECK(heap_caps_add_region_with_caps(caps, (intptr_t)other, (intptr_t)other + 16) ==
              ESP_ERR_INVALID_SIZE,
          "a heap on 16 bytes");
    heap_caps_free(other);
}

static void check_added_by_place(void)
{
    /* In memory of a heap: of its capabilities, and used before all others of its priority. */
    uint8_t *const buffer = heap_caps_malloc(BUFFER, MALLOC_CAP_DMA);
    const size_t before = heap_caps_get_free_size(MALLOC_CAP_DMA);
    CHECK(heap_caps_add_region((intptr_t)buffer, (intptr_t)buffer + BUFFER) == ESP_OK, "refused");
    const size_t after = heap_caps_get_free_size(MALLOC_CAP_DMA);
    CHECK(after >= before + BUFFER - 400, "%zu and %zu bytes", before, after);
    uint8_t *const first = heap_caps_malloc(64, MALLOC_CAP_DMA);
    CHECK(first >= buffer && first < buffer + BUFFER, "%p is not in the newest heap",
          (void *)first);
    heap_caps_free(first);
    /* In the program's variables, which stand for the chip's. */
    const uint32_t free = esp_get_free_heap_size();
    CHECK(heap_caps_add_region((intptr_t)variables, (intptr_t)variables + BUFFER) == ESP_OK,
          "refused");
    CHECK(esp_get_free_heap_size() >= free + BUFFER - 400, "%u", (unsigned)free);
    CHECK(heap_caps_add_region((intptr_t)variables, (intptr_t)variables + BUFFER) != ESP_OK,
          "added twice");
    CHECK(heap_caps_add_region(0, 100) == ESP_ERR_INVALID_ARG, "at 0");
    CHECK(heap_caps_add_region(64, 4096) == ESP_ERR_NOT_FOUND, "where no memory is");
}

static void check_overlap(void)
{
    static const struct {
        intptr_t start, end;
        bool allowed;
    } cases[] = {
        {0x0, 0x1000, true},     {0x3000, 0x4000, true},  {0x1000, 0x2999, true},
        {0x1001, 0x3000, true},  {0x1001, 0x2999, true},  {0x0, 0x2000, false},
        {0x0, 0x4000, false},    {0x1000, 0x4000, false}, {0x2000, 0x4000, false},
        {0x1000, 0x3000, false}, {0x500, 0x800, true},    {0x3001, 0x3002, true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const bool allowed =
            heap_caps_check_add_region_allowed(0x1000, 0x3000, cases[i].start, cases[i].end);
        CHECK(allowed == cases[i].allowed, "case %zu", i);
    }
}

/* ---- walks ------------------------------------------------------------------------------------ */

enum { HEAD = GUARDED ? 8 : 0, TAIL = GUARDED ? 4 : 0, CODE = 0x1876BAAB };

typedef struct seen {
    size_t heaps, blocks, found;
    intptr_t last; /* heap */
    bool once;     /* stop each heap at its first block */
} seen_t;

static bool see(walker_heap_into_t heap, walker_block_info_t block, void *user_data)
{
    seen_t *const seen = user_data;
    const intptr_t start = (intptr_t)block.ptr;
    CHECK(start >= heap.start && (size_t)(heap.end - start) >= block.size, "%p with %zu bytes",
          block.ptr, block.size);
    seen->heaps += heap.start != seen->last ? 1 : 0;
    seen->last = heap.start;
    seen->blocks++;
    const uint32_t *const payload = (const uint32_t *)((uint8_t *)block.ptr + HEAD);
    if (block.used && *payload == CODE) {
        CHECK(TRACKED || block.size == 16 + HEAD + TAIL, "%zu bytes", block.size);
        seen->found++;
    }
    return !seen->once;
}

static void check_walk(void)
{
    uint32_t *const block = heap_caps_malloc(16, MALLOC_CAP_DEFAULT);
    *block = CODE;
    seen_t seen = {0};
    heap_caps_walk_all(see, &seen);
    const size_t heaps = seen.heaps;
    CHECK(seen.found == 1 && heaps >= 7 && seen.blocks == info_of(0).total_blocks,
          "%zu blocks of %zu heaps", seen.blocks, heaps);
    seen = (seen_t){.once = true};
    heap_caps_walk_all(see, &seen);
    CHECK(seen.heaps == heaps && seen.blocks == heaps, "%zu blocks of %zu heaps", seen.blocks,
          seen.heaps);
    seen = (seen_t){0};
    heap_caps_walk(MALLOC_CAP_RTCRAM, see, &seen);
    CHECK(seen.heaps == 1 && seen.found == 0, "%zu heaps", seen.heaps);
    heap_caps_free(block);
}

/* ---- checks ----------------------------------------------------------------------------------- */

static void check_corruption(void)
{
    CHECK(heap_caps_check_integrity_all(true), "corrupt");
    int local;
    CHECK(!heap_caps_check_integrity_addr((intptr_t)&local, true), "a heap on the stack");
    CHECK(heap_caps_get_allocated_size(&local) == 0, "a block on the stack");
    uint32_t *const block = heap_caps_malloc(4, MALLOC_CAP_DEFAULT);
#if GUARDED
    static const int places[] = {-2, -1, 1};
    for (size_t i = 0; i < 3; i++) {
        const uint32_t kept = block[places[i]];
        block[places[i]] = 0xDEADBEEF;
        CHECK(!heap_caps_check_integrity(MALLOC_CAP_DEFAULT, i == 0), "word %d", places[i]);
        CHECK(!heap_caps_check_integrity_all(false), "word %d", places[i]);
        CHECK(!heap_caps_check_integrity_addr((intptr_t)block, false), "word %d", places[i]);
        CHECK(heap_caps_check_integrity(MALLOC_CAP_RTCRAM, true), "another heap");
        block[places[i]] = kept;
        CHECK(heap_caps_check_integrity(MALLOC_CAP_DEFAULT, true), "word %d", places[i]);
    }
#endif
    heap_caps_free(block);
    uint8_t *const freed = heap_caps_malloc(64, MALLOC_CAP_8BIT);
    heap_caps_free(freed);
    for (size_t i = 16; i < 60; i += 11) { /* each check may read all free memory */
        freed[i] ^= 0x55;
#if defined(CONFIG_HEAP_POISONING_COMPREHENSIVE)
        CHECK(!heap_caps_check_integrity(MALLOC_CAP_8BIT, i == 16), "byte %zu", i);
#else
        CHECK(heap_caps_check_integrity(MALLOC_CAP_8BIT, true), "byte %zu", i);
#endif
        freed[i] ^= 0x55;
        CHECK(heap_caps_check_integrity(MALLOC_CAP_8BIT, true), "byte %zu", i);
    }
    heap_caps_free(freed);
    CHECK(esp_faults() == 1, "freed twice");
    heap_caps_free(&local);
    CHECK(esp_faults() == 1, "the stack was freed");
    CHECK(heap_caps_realloc(&local, 8, MALLOC_CAP_8BIT) == NULL && esp_faults() == 1, "realloc");
    CHECK(heap_caps_get_containing_block_size(&local) == 0 && esp_faults() == 1, "no block");
}

int main(void)
{
    setvbuf(stdout, text, _IOFBF, sizeof(text));
    check_figures();
    check_summary();
    check_monitoring();
    check_overlap();
    check_walk();
    check_corruption();
    check_added();
    check_added_by_place();
    check_walk();
    CHECK(heap_caps_check_integrity_all(true) && esp_faults() == 0, "corrupt");
    return 0;
}
