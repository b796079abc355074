/*
 * Random recordings of the recorder that ships, over lines of every kind, each as bytes and as what the
 * decoder makes of them: recordings SEED COUNT FOLDER writes FOLDER/N.hst and FOLDER/N.txt.
 */
#include "../../format/reading.h"
#include "../line.h"

static void steps(line_t *line, check_random_t *random)
{
    for (uint64_t left = check_below(random, 600); left > 0; left--) {
        device_step(&line->device);
        line->room = (size_t)check_below(random, 60);
        line->broken = check_below(random, 60) == 0;
        if (check_below(random, 4) == 0) {
            (void)hs_recorder_drain(line->device.recorder, 1 + check_below(random, 30));
        }
        if (check_below(random, 300) == 0) {
            hs_recorder_snapshot(line->device.recorder);
        }
    }
    line->room = SIZE_MAX / 2;
    line->broken = false;
    for (int i = 0; i < 100; i++) {
        (void)hs_recorder_drain(line->device.recorder, 10000);
    }
    CHECK_EQUAL(HS_OK, hs_recorder_flush(line->device.recorder));
}

/* The line of one boot after another, as one recording. */
static void record(check_random_t *random, line_t *line)
{
    static _Alignas(8) uint8_t memory[1 << 17];
    static const unsigned noises[] = {0, 0, 20000, 3000, 300};
    line->device.random = random;
    line->noise = noises[check_below(random, 5)];
    line->log = (unsigned)check_below(random, 2) * 5;
    line->rude = check_below(random, 3) == 0;
    line->device.busy_walks = check_below(random, 2) == 0;
    hs_recorder_config_t config = line_config(line);
    config.level = (hs_recorder_level_t)check_below(random, 4);
    config.sampling = (unsigned)check_below(random, 5);
    config.automatic = check_below(random, 2) == 0;
    for (uint64_t boots = 1 + check_below(random, 2); boots > 0; boots--, config.boot++) {
        memset(line->device.sizes, 0, sizeof line->device.sizes);
        line->device.recorder = hs_recorder_open(memory, sizeof memory / 2, &config);
        CHECK(line->device.recorder != NULL);
        steps(line, random);
    }
}

static void put(const char *folder, uint64_t number, const char *ending, const void *bytes,
                size_t count)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%" PRIu64 ".%s", folder, number, ending);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK_EQUAL(count, fwrite(bytes, 1, count, file));
    CHECK_EQUAL(0, fclose(file));
}

int main(int argc, char **argv)
{
    CHECK_EQUAL(4, argc);
    check_random_t random = check_start(argc, argv);
    for (uint64_t number = strtoull(argv[2], NULL, 10); number > 0; number--) {
        line_t line = {0};
        record(&random, &line);
        const size_t from = check_below(&random, 3) == 0 ? check_below(&random, line.count) : 0;
        stream_bytes_t heard = {0};
        reading_t text = {0};
        stream_events_t events = {0};
        stream_bytes_add(&heard, line.bytes + from, line.count - from);
        reading_of(&heard, &text, &events);
        put(argv[3], number, "hst", heard.at, heard.count);
        put(argv[3], number, "txt", text.at, text.count);
        stream_bytes_clear(&heard);
        stream_events_clear(&events);
        free(text.at);
        free(line.bytes);
    }
    return 0;
}
