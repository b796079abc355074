/*
 * Decodes a trace again and again in one core and prints the rate: decode FILE ROUNDS
 * The file is in memory beforehand; CRC and batches are included, the sink only counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "trace/decoder.h"

static hs_status_t count_events(void *context, uint64_t first, const hs_event_t *events,
                                size_t count)
{
    uint64_t *sum = context;
    (void)first;
    sum[0] += count;
    sum[1] += events[count - 1].size; /* the batch is really there */
    return HS_OK;
}

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
    uint8_t *bytes = argc == 3 ? read_file(argv[1], &size) : NULL;
    const int rounds = argc == 3 ? atoi(argv[2]) : 0;
    if (bytes == NULL || rounds < 1) {
        fprintf(stderr, "usage: decode FILE ROUNDS\n");
        return 2;
    }
    double best = 1e9;
    uint64_t sum[2] = {0, 0};
    for (int round = 0; round < rounds; round++) {
        hs_decoder_t *decoder = hs_decoder_new();
        sum[0] = 0;
        const clock_t begin = clock(); /* processor time */
        hs_decoder_push(decoder, bytes, size, count_events, sum);
        hs_decoder_finish(decoder, count_events, sum);
        const double took = (double)(clock() - begin) / CLOCKS_PER_SEC;
        best = took < best ? took : best;
        hs_decoder_delete(decoder);
    }
    printf("%llu %.9f %llu\n", (unsigned long long)sum[0], best, (unsigned long long)size);
    free(bytes);
    return 0;
}
