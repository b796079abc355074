/* A program whose malloc is recorded by the linker, into the ring of RTT, which stands for a debugger. */
#include <stdio.h>
#include <stdlib.h>

#include "recorder_glue.h"
#include "recorder_rtt.h"

static _Alignas(8) unsigned char memory[1 << 18];
static unsigned char ring[4096];
static hs_recorder_rtt_t rtt;

static void debugger_reads(FILE *to)
{
    while (rtt.read != rtt.written) {
        (void)fputc(ring[rtt.read], to);
        rtt.read = rtt.read + 1u < rtt.size ? rtt.read + 1u : 0u;
    }
}

static void drain(hs_recorder_t *recorder, FILE *to)
{
    for (int i = 0; i < 100; i++) {
        (void)hs_recorder_drain(recorder, 1000);
        debugger_reads(to);
    }
    (void)hs_recorder_flush(recorder);
    debugger_reads(to);
}

int main(int argc, char **argv)
{
    static char buffer[1 << 16]; /* so that the file asks for none */
    static const hs_recorder_config_t config = {
        .write = hs_recorder_rtt_write, .context = &rtt, .boot = 5, .clock_hz = 1, .chip = "host"};
    FILE *to = fopen(argc > 1 ? argv[1] : "recorded.hst", "wb");
    if (to == NULL || setvbuf(to, buffer, _IOFBF, sizeof buffer) != 0) {
        return 1;
    }
    hs_recorder_rtt_open(&rtt, ring, sizeof ring);
    hs_recorder_t *recorder = hs_recorder_open(memory, sizeof memory, &config);
    if (recorder == NULL) {
        return 1;
    }
    hs_recorder_libc(recorder);
    void *volatile blocks[50];
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 50; i++) {
            blocks[i] = i % 2 == 0 ? malloc(10u + (unsigned)i) : calloc(3, 7u + (unsigned)i);
        }
        hs_recorder_mark(recorder, "full");
        for (int i = 0; i < 50; i++) {
            blocks[i] = i % 5 == 0 ? realloc(blocks[i], 2000) : blocks[i];
        }
        for (int i = 0; i < 50; i++) {
            free(blocks[i]);
        }
        drain(recorder, to);
    }
    void *volatile none = malloc((size_t)-1 / 4u);
    free(none);
    hs_recorder_libc(NULL);
    drain(recorder, to);
    return fclose(to);
}
