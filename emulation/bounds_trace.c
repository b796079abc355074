/*
 * Notes each instruction that an emulation executes outside the driver, by its address; and a 0 for
 * each call that the driver made.
 */
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define EXPORTED __declspec(dllexport)
#else
#define EXPORTED __attribute__((visibility("default")))
#endif

/* The layout of bounds_trace.Fields. */
typedef struct trace {
    uint64_t driver_start, driver_size;
    uint64_t capacity;
    uint64_t count; /* those beyond the capacity are only counted */
    uint32_t *addresses;
    uint32_t outside; /* of the driver */
} trace_t;

EXPORTED void trace_hook(void *emulation, uint64_t address, uint32_t size, void *context);

static void note(trace_t *trace, uint32_t address)
{
    if (trace->count < trace->capacity) {
        trace->addresses[trace->count] = address;
    }
    trace->count++;
}

void trace_hook(void *emulation, uint64_t address, uint32_t size, void *context)
{
    trace_t *const trace = context;
    (void)emulation, (void)size;
    if (address - trace->driver_start < trace->driver_size) {
        if (trace->outside) {
            note(trace, 0);
        }
        trace->outside = 0;
    } else {
        note(trace, (uint32_t)address);
        trace->outside = 1;
    }
}
