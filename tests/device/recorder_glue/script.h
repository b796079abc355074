/*
 * The script of all programs in this folder: each names its heap's calls by macros, opens a recorder whose
 * sink is a file, and plays. tests/device/test_recorder_glue.py knows how many events of each kind come.
 */
#ifndef HS_TESTS_RECORDER_GLUE_SCRIPT_H
#define HS_TESTS_RECORDER_GLUE_SCRIPT_H

#include <stdio.h>
#include <stdlib.h>

#include "recorder_glue.h"
#include "sink_file.h"

#define ROUNDS 20
#define BLOCKS 30

static _Alignas(8) unsigned char recorder_memory[1 << 16];
static hs_recorder_config_t recorder_config;

static void drain(hs_recorder_t *recorder)
{
    for (int i = 0; i < 20; i++) {
        (void)hs_recorder_drain(recorder, 1000);
    }
    (void)hs_recorder_flush(recorder);
}

static hs_recorder_t *script_open(int argc, char **argv)
{
    static char buffer[1 << 16]; /* so that the file asks for none */
    FILE *to = fopen(argc > 1 ? argv[1] : "recorded.hst", "wb");
    if (to == NULL || setvbuf(to, buffer, _IOFBF, sizeof buffer) != 0) {
        abort();
    }
    recorder_config.write = hs_recorder_file_write;
    recorder_config.context = to;
    recorder_config.boot = 5;
    recorder_config.clock_hz = 1;
    recorder_config.chip = "host";
    return hs_recorder_open(recorder_memory, sizeof recorder_memory, &recorder_config);
}

static void play(hs_recorder_t *recorder)
{
    void *volatile blocks[BLOCKS];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < BLOCKS; i++) {
            blocks[i] = i % 3 == 1 ? CLEAR(3, 7u + (unsigned)i) : TAKE(10u + (unsigned)i);
        }
        hs_recorder_mark(recorder, "full");
        for (int i = 0; i < BLOCKS; i += 5) {
            blocks[i] = RESIZE(blocks[i], i % 2 == 0 ? 8 : 200); /* smaller, or larger */
        }
        void *volatile aligned = ALIGN(64, 128);
        GIVE(aligned);
        for (int i = 0; i < BLOCKS; i++) {
            GIVE(blocks[i]);
        }
        drain(recorder);
    }
    void *volatile none = TAKE((size_t)1 << 40); /* more than there is */
    GIVE(none);
    drain(recorder);
}

#endif
