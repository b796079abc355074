/* A serial line of 115,200 and of 921,600 baud, in the time of the device: it is too slow for what the program
 * does, or has noise, is cut, and the device is reset. Missing events are counted exactly, and the state
 * after a snapshot is the heap's own walk. */
#include "line.h"
#include "listener.h"
#include "port_for_tests.h"

#define FIFO 128u
#define BOOTS 12u

typedef struct serial {
    line_t line;
    uint32_t baud;
    uint32_t pace;    /* ticks between events, besides their own */
    uint32_t sent_at; /* time up to which bytes have left */
    hs_recorder_config_t config;
    listener_t *listener;
    uint64_t missing; /* events, over all boots */
    _Alignas(8) uint8_t memory[1 << 17];
} serial_t;

/* Bytes leave in the time that has passed: one takes ten bits. */
static void leave(serial_t *serial)
{
    const uint64_t ticks = port_clock - serial->sent_at; /* microseconds */
    const uint64_t bytes = ticks * serial->baud / 10u / 1000000u;
    serial->line.room =
        serial->line.room + (size_t)bytes < FIFO ? serial->line.room + (size_t)bytes : FIFO;
    serial->sent_at += (uint32_t)(bytes * 10u * 1000000u / serial->baud);
}

static void hear(serial_t *serial)
{
    listener_hear(serial->listener, serial->line.bytes, serial->line.count);
    serial->line.count = 0;
}

static void boot(serial_t *serial, size_t records)
{
    serial->config.boot++;
    memset(serial->line.device.sizes, 0, sizeof serial->line.device.sizes);
    serial->line.device.issued = 0;
    serial->line.device.recorder = hs_recorder_open(
        serial->memory, hs_recorder_overhead() + records * HS_RECORDER_RECORD_BYTES,
        &serial->config);
    CHECK(serial->line.device.recorder != NULL);
    listener_delete(serial->listener);
    serial->listener = listener_new();
}

static void run(serial_t *serial, check_random_t *random, int steps, bool cuts)
{
    for (int i = 0; i < steps; i++) {
        device_step(&serial->line.device);
        port_clock += serial->pace;
        leave(serial);
        if (cuts && check_below(random, 400) == 0) {
            serial->line.broken = !serial->line.broken;
        }
        if (check_below(random, 3) == 0) {
            (void)hs_recorder_drain(serial->line.device.recorder,
                                    1 + (size_t)check_below(random, 20));
        }
    }
    serial->line.broken = false;
    serial->line.noise = 0;
    hs_recorder_snapshot(serial->line.device.recorder);
    for (int i = 0; i < 30000; i++) { /* the program rests, and the line catches up */
        port_clock += 1000;
        leave(serial);
        (void)hs_recorder_drain(serial->line.device.recorder, 100);
        if (i % 16 == 0) {
            (void)hs_recorder_flush(serial->line.device.recorder);
        }
    }
    hear(serial);
}

static void check(serial_t *serial)
{
    const device_t *device = &serial->line.device;
    const listener_t *listener = serial->listener;
    hs_state_figures_t figures;
    hs_state_figures(listener->state, &figures);
    CHECK(figures.known);
    for (uint32_t i = 0; i < DEVICE_BLOCKS; i++) {
        hs_state_block_t block;
        const bool live = hs_state_find(listener->state, device_address(i), &block);
        CHECK_EQUAL(device->sizes[i] != 0, live);
        CHECK(!live || block.size == device->sizes[i]);
    }
    /* Those that the ring could not take have no numbers; the numbers of the others have holes. */
    const uint64_t missing = listener->health.lost_events - listener->lost_others;
    CHECK_EQUAL(0, listener->health.untold);
    CHECK_EQUAL(device->issued, listener->heard + missing + 2u * figures.pairs);
    serial->missing += missing;
}

static void line_of(check_random_t *random, uint32_t baud, uint32_t pace, size_t records,
                    unsigned noise, bool cuts, hs_recorder_level_t level)
{
    serial_t *serial = calloc(1, sizeof *serial);
    CHECK(serial != NULL);
    serial->line.device.random = random;
    serial->baud = baud;
    serial->pace = pace;
    serial->sent_at = port_clock;
    serial->config = line_config(&serial->line);
    serial->config.level = level;
    serial->listener = listener_new();
    for (unsigned i = 0; i < BOOTS; i++) { /* a reset takes what is in the rings with it */
        boot(serial, records);
        serial->line.noise = noise;
        serial->line.log = 4;
        run(serial, random, 3000, cuts);
        check(serial);
    }
    printf("%u baud: %" PRIu64 " of about %u events are missing, and counted\n", (unsigned)baud,
           serial->missing, 3000u * BOOTS);
    CHECK((serial->missing != 0) == (noise != 0 || cuts || pace == 0));
    listener_delete(serial->listener);
    free(serial->line.bytes);
    free(serial);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    line_of(&random, 921600, 1000, 1024, 0, false, HS_LEVEL_ALL);
    line_of(&random, 921600, 1000, 1024, 3000, false, HS_LEVEL_ALL);
    line_of(&random, 921600, 0, 128, 0, true, HS_LEVEL_ALL);
    line_of(&random, 921600, 0, 128, 3000, true,
            HS_LEVEL_ALL); /* chunks are lost that tell of losses */
    line_of(&random, 115200, 0, 256, 0, false, HS_LEVEL_ALL);
    line_of(&random, 115200, 0, 256, 0, true, HS_LEVEL_ALL);
    line_of(&random, 115200, 9000, 1024, 5000, false, HS_LEVEL_ALL);
    line_of(&random, 115200, 0, 256, 5000, false, HS_LEVEL_ALL);
#if HS_RECORDER_PAIRS
    line_of(&random, 921600, 0, 1024, 3000, false, HS_LEVEL_PAIRS);
    line_of(&random, 115200, 0, 256, 5000, true, HS_LEVEL_PAIRS);
#endif
    return 0;
}
