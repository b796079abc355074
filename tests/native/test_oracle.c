/*
 * Replays of the oracle's small traces give the real allocators' answers, on a host of either word
 * size: digest, counts, and at the end blocks, free bytes and what the interface reports, as far as each
 * allocator says. (The larger traces are compressed and tested from Python.)
 */
#include <string.h>

#include "../models/check.h"
#include "../models/kinds.h"
#include "lab/lab.h"

#define FOLDER "tests/oracle/"
#define LINE_MAX_BYTES 1024u

static const char *const traces[] = {"edge", "adv_holes", "fuzz_align", "fuzz_realloc_small"};

typedef struct answer {
    char trace[64], allocator[64];
    unsigned long pool;
    unsigned long long results, failures, first_failure, skipped, digest, live_peak;
    /* HS_LAB_NEVER: the allocator does not say. */
    unsigned long long free, minimum, largest, true_free, true_largest, used_blocks, free_blocks;
} answer_t;

static size_t read_file(const char *path, uint8_t **bytes)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL, "%s", path);
    CHECK(fseek(file, 0, SEEK_END) == 0, "%s", path);
    const long size = ftell(file);
    CHECK(size > 0, "%s", path);
    rewind(file);
    *bytes = malloc((size_t)size);
    CHECK(*bytes != NULL && fread(*bytes, 1, (size_t)size, file) == (size_t)size, "%s", path);
    fclose(file);
    return (size_t)size;
}

/* The index of a column by its heading; columns may be added or reordered. */
static int column_of(const char *header, const char *heading)
{
    const size_t length = strlen(heading);
    int column = 0;
    for (const char *at = header; at != NULL; at = strchr(at, ','), column++) {
        at += *at == ',';
        if (strncmp(at, heading, length) == 0 && strchr(",\r\n", at[length]) != NULL) {
            return column;
        }
    }
    CHECK(false, "no column %s", heading);
    return -1;
}

static const char *cell(const char *line, int column)
{
    for (; column > 0; column--) {
        line = strchr(line, ',');
        CHECK(line != NULL, "too few columns");
        line++;
    }
    return line;
}

static unsigned long long number(const char *header, const char *line, const char *heading,
                                 int base)
{
    const char *text = cell(line, column_of(header, heading));
    return strchr(",\r\n", *text) != NULL ? HS_LAB_NEVER : strtoull(text, NULL, base);
}

static void copy_cell(char out[64], const char *header, const char *line, const char *heading)
{
    const char *text = cell(line, column_of(header, heading));
    const size_t length = strcspn(text, ",\r\n");
    CHECK(length < 64, "%s", heading);
    memcpy(out, text, length);
    out[length] = 0;
}

static bool is_modelled(const char *allocator)
{
    const char *name;
    for (size_t i = 0; (name = hs_lab_allocator_name(i)) != NULL; i++) {
        if (strcmp(name, allocator) == 0) {
            return true;
        }
    }
    return false;
}

static hs_lab_reader_t *open_pool(const answer_t *answer)
{
    hs_lab_region_t region = {.start = 0x20000000u, .size = (uint32_t)answer->pool};
    region.caps[0] = UINT32_MAX;
    strcpy(region.allocator, answer->allocator);
    const hs_lab_config_t config = {.regions = &region,
                                    .region_count = 1,
                                    .malloc_threshold = UINT32_MAX,
                                    .malloc_small_caps = 0x1800u};
    int status;
    uint32_t where;
    hs_lab_reader_t *reader = hs_lab_reader_new(&config, &status, &where);
    CHECK(reader != NULL, "%s: status %d", answer->allocator, status);
    return reader;
}

static void compare_end(const answer_t *answer, const hs_lab_region_row_t *row)
{
    const struct {
        const char *what;
        unsigned long long real, ours;
    } figures[] = {
        {"free", answer->free, row->reported_free},
        {"minimum", answer->minimum, row->reported_minimum_free},
        {"largest", answer->largest, row->largest_reported},
        {"true free", answer->true_free, row->free},
        {"true largest", answer->true_largest, row->largest_free},
        {"used blocks", answer->used_blocks, row->used_blocks},
        {"free blocks", answer->free_blocks, row->free_blocks},
    };
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        CHECK(figures[i].real == HS_LAB_NEVER || figures[i].real == figures[i].ours,
              "%s on %s, pool %lu: %s %llu, real %llu", answer->trace, answer->allocator,
              answer->pool, figures[i].what, figures[i].ours, figures[i].real);
    }
}

static void compare(const answer_t *answer, const uint8_t *bytes, size_t size)
{
    hs_lab_reader_t *reader = open_pool(answer);
    CHECK(hs_lab_reader_push(reader, bytes, size) == 0 && hs_lab_reader_finish(reader) == 0, "%s",
          answer->trace);
    hs_lab_summary_t summary;
    hs_lab_region_row_t row;
    hs_lab_summary(reader, &summary);
    hs_lab_regions(reader, &row, 1);
    CHECK(summary.digest == answer->digest, "%s on %s, pool %lu: digest %llx, real %llx",
          answer->trace, answer->allocator, answer->pool, (unsigned long long)summary.digest,
          answer->digest);
    CHECK(summary.results == answer->results && summary.failures == answer->failures &&
              summary.first_failure_event == answer->first_failure &&
              summary.skipped == answer->skipped && summary.live_peak == answer->live_peak,
          "%s on %s: counts", answer->trace, answer->allocator);
    compare_end(answer, &row);
    hs_lab_reader_delete(reader);
}

/* Compares one answer of CHECK_THIN, and returns how many there are. */
static unsigned check_trace(const char *trace)
{
    char path[128], header[LINE_MAX_BYTES], line[LINE_MAX_BYTES];
    uint8_t *bytes;
    snprintf(path, sizeof path, FOLDER "traces/%s.hst", trace);
    const size_t size = read_file(path, &bytes);
    FILE *file = fopen(FOLDER "oracle.csv", "r");
    CHECK(file != NULL && fgets(header, sizeof header, file) != NULL, "oracle.csv");
    unsigned compared = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        answer_t answer;
        copy_cell(answer.trace, header, line, "trace");
        copy_cell(answer.allocator, header, line, "allocator");
        /* Those of other systems with the shortest traces alone: Python has all. */
        const bool is_left =
            kind_is_of_the_field(answer.allocator) && strncmp(trace, "fuzz", 4) == 0;
        if (strcmp(answer.trace, trace) != 0 || is_left || !is_modelled(answer.allocator)) {
            continue;
        }
        if (compared++ % CHECK_THIN != 0) {
            continue;
        }
        answer.pool = (unsigned long)number(header, line, "pool_used", 10);
        answer.results = number(header, line, "results", 10);
        answer.failures = number(header, line, "failures", 10);
        answer.first_failure = number(header, line, "first_failure", 10);
        answer.skipped = number(header, line, "skipped", 10);
        answer.digest = number(header, line, "digest", 16);
        answer.free = number(header, line, "reported_free", 10);
        answer.minimum = number(header, line, "reported_minimum", 10);
        answer.largest = number(header, line, "reported_largest", 10);
        answer.live_peak = number(header, line, "peak_live", 10);
        answer.true_free = number(header, line, "walk_free", 10);
        answer.true_largest = number(header, line, "walk_largest", 10);
        /* umm counts units, not blocks. */
        const bool in_units = strncmp(answer.allocator, "umm", 3) == 0;
        answer.used_blocks = in_units ? HS_LAB_NEVER : number(header, line, "used_blocks", 10);
        answer.free_blocks = in_units ? HS_LAB_NEVER : number(header, line, "free_blocks", 10);
        compare(&answer, bytes, size);
    }
    fclose(file);
    free(bytes);
    return compared;
}

int main(void)
{
    unsigned compared = 0;
    for (size_t i = 0; i < sizeof traces / sizeof traces[0]; i++) {
        compared += check_trace(traces[i]);
    }
    printf("%u answers of real allocators equal\n", compared);
    /* 11 allocators answer four traces with three pools, 5 without aligned allocation three of them;
     * the two of umm have four pools. */
    CHECK(compared >= 11 * 4 * 3 + 4 * 3 * 3 + 2 * 3 * 4, "only %u answers compared", compared);
    return 0;
}
