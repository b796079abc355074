#include "line.h"

static void put(line_t *line, uint8_t byte)
{
    if (line->count == line->size) {
        line->size = line->size * 2 + 4096;
        line->bytes = realloc(line->bytes, line->size);
        CHECK(line->bytes != NULL);
    }
    line->bytes[line->count++] = byte;
}

size_t line_write(void *context, const uint8_t *bytes, size_t count)
{
    line_t *line = context;
    check_random_t *random = line->device.random;
    if (line->broken) {
        return HS_SINK_BROKEN;
    }
    const bool whole = count >= 4 && bytes[0] == 0x48 && bytes[1] == 0x53 && bytes[2] == 0xC7;
    if (line->log != 0 && (whole || line->rude) && check_below(random, line->log) == 0) {
        for (const char *at = "I (312) wifi: connected HS\r\n"; *at != '\0'; at++) {
            put(line, (uint8_t)*at);
        }
    }
    size_t taken = count < line->room ? count : line->room;
    taken = taken > 1 && check_below(random, 3) == 0 ? taken / 2 : taken;
    for (size_t i = 0; i < taken; i++) {
        const bool wrong = line->noise != 0 && check_below(random, line->noise) == 0;
        const uint8_t flip = (uint8_t)(1u << check_below(random, 8));
        put(line, (uint8_t)(wrong ? bytes[i] ^ flip : bytes[i]));
    }
    line->room -= taken;
    return taken;
}

static size_t walk(void *context, uintptr_t after, hs_recorder_block_t *out, size_t capacity)
{
    return device_walk(context, after, out, capacity);
}

static bool region(void *context, unsigned index, hs_recorder_region_t *out)
{
    (void)context;
    *out = (hs_recorder_region_t){.name = index == 0 ? "DRAM" : "PSRAM",
                                  .start = DEVICE_BASE,
                                  .size = DEVICE_BLOCKS * DEVICE_STEP,
                                  .caps = 0x1804,
                                  .free = 100,
                                  .minimum = HS_RECORDER_UNKNOWN,
                                  .largest = 50};
    return index < 2;
}

static const char *task_name(void *context, uintptr_t task)
{
    (void)context;
    return task % 0x400 == 0 ? "net" : NULL;
}

hs_recorder_config_t line_config(line_t *line)
{
    return (hs_recorder_config_t){.write = line_write,
                                  .walk = walk,
                                  .region = region,
                                  .task_name = task_name,
                                  .context = line,
                                  .chip = "esp32",
                                  .sdk = "esp-idf v5.5",
                                  .program = "test 1.0",
                                  .boot = 255,
                                  .reset = "power on",
                                  .clock_hz = 1000000,
                                  .address_shift = 2};
}
