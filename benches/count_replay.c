/*
 * One replay of a trace, to be counted: count_replay FILE [ALLOCATOR POOL]
 * idf-5.5, or that allocator, on one pool of 262,144 bytes, or that many, with all measures: one need, every capability set, a timeline of 2048
 * buckets. It prints the events, the failures and the digest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/lab.h"

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        return NULL;
    }
    const long end = ftell(file);
    uint8_t *bytes = end > 0 ? malloc((size_t)end) : NULL;
    rewind(file);
    *size = bytes != NULL ? fread(bytes, 1, (size_t)end, file) : 0;
    fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    size_t size = 0;
    uint8_t *bytes = argc == 2 || argc == 4 ? read_file(argv[1], &size) : NULL;
    if (bytes == NULL) {
        fprintf(stderr, "usage: count_replay FILE [ALLOCATOR POOL]\n");
        return 2;
    }
    hs_lab_region_t pool = {.start = 0x20000000u, .size = 262144, .caps = {0x7FFFFFFFu, 0, 0}};
    snprintf(pool.allocator, sizeof pool.allocator, "%s", argc == 4 ? argv[2] : "idf-5.5");
    pool.size = argc == 4 ? (uint32_t)strtoul(argv[3], NULL, 10) : pool.size;
    const uint32_t capsets[] = {0, 1, 2, 4, 8, 0x400, 0x800, 0x2000};
    const hs_lab_need_t need = {.size = 16717};
    const hs_lab_config_t config = {.regions = &pool,
                                    .region_count = 1,
                                    .malloc_threshold = UINT32_MAX,
                                    .malloc_small_caps = 0x1800,
                                    .capsets = capsets,
                                    .capset_count = sizeof capsets / sizeof *capsets,
                                    .needs = &need,
                                    .need_count = 1,
                                    .timeline_buckets = 2048};
    int status;
    uint32_t where;
    hs_lab_reader_t *reader = hs_lab_reader_new(&config, &status, &where);
    if (reader == NULL || hs_lab_reader_push(reader, bytes, size) != 0 ||
        hs_lab_reader_finish(reader) != 0) {
        fprintf(stderr, "count_replay: %s cannot be replayed\n", argv[1]);
        return 1;
    }
    hs_lab_summary_t summary;
    hs_lab_summary(reader, &summary);
    printf("%llu %llu %016llx\n", (unsigned long long)summary.event_count,
           (unsigned long long)summary.failures, (unsigned long long)summary.digest);
    hs_lab_reader_delete(reader);
    free(bytes);
    return 0;
}
