/* A firmware that records, for the recorder's size: its hooks, a drain and one sink. RECORDS 0: the same
 * without a recorder. Either has the functions on bytes that a compiler wants of a library. */
#include <string.h>

#include "heapscope/recorder.h"

void entry(void);

static _Alignas(8) unsigned char memory[8192];
static volatile unsigned char line;

static void use_bytes(void)
{
    memset(memory, line, line);
    memmove(memory, memory + line, line);
    memcpy(memory, memory + line, line);
}

#if RECORDS
static size_t put(void *context, const uint8_t *bytes, size_t count)
{
    (void)context;
    for (size_t i = 0; i < count; i++) {
        line = bytes[i];
    }
    return count;
}

static size_t walk(void *context, uintptr_t after, hs_recorder_block_t *out, size_t capacity)
{
    (void)context;
    (void)after;
    (void)out;
    return capacity - capacity;
}

static const hs_recorder_config_t config = {
    .write = put, .walk = walk, .boot = 1, .clock_hz = 1000000, .address_shift = 2};
static hs_recorder_t *recorder;

void entry(void)
{
    use_bytes();
    recorder = hs_recorder_open(memory, sizeof memory, &config);
    hs_recorder_allocated(recorder, HS_EVENT_MALLOC, memory, 3, 0, HS_RECORDER_CALLER);
    hs_recorder_reallocated(recorder, memory, memory, 3, 0, HS_RECORDER_CALLER);
    hs_recorder_freed(recorder, memory);
    (void)hs_recorder_drain(recorder, 10);
    (void)hs_recorder_flush(recorder);
}
#else
void entry(void)
{
    use_bytes();
}
#endif
