/*
 * Counts the instructions of an emulation by its per-instruction hook: those of each call that the
 * driver makes, from the first instruction of what it calls to the return, those that copy memory
 * apart. A native callback, because one in Python costs microseconds an instruction.
 */
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define EXPORTED __declspec(dllexport)
#else
#define EXPORTED __attribute__((visibility("default")))
#endif

/* The layout of counter.Counter. */
typedef struct counter {
    uint64_t driver_start, driver_size; /* addresses of the driver's code */
    uint64_t copying_start, copying_size;
    uint64_t instructions; /* all, the driver's too */
    uint64_t calls;        /* finished; those beyond the capacity are only counted */
    uint64_t capacity;
    uint32_t *counts;       /* of each call */
    uint32_t *copying;      /* instructions of each call that copied, not in `counts` */
    uint32_t count, copied; /* of the call that is under way */
} counter_t;

EXPORTED void counter_hook(void *emulation, uint64_t address, uint32_t size, void *context);
EXPORTED uint64_t counter_digest(const uint32_t *results, size_t count);

static void finish(counter_t *counter)
{
    if (counter->calls < counter->capacity) {
        counter->counts[counter->calls] = counter->count;
        counter->copying[counter->calls] = counter->copied;
    }
    counter->calls++;
    counter->count = 0;
    counter->copied = 0;
}

void counter_hook(void *emulation, uint64_t address, uint32_t size, void *context)
{
    counter_t *counter = context;
    (void)emulation, (void)size;
    counter->instructions++;
    if (address - counter->driver_start < counter->driver_size) {
        if (counter->count != 0 || counter->copied != 0) {
            finish(counter);
        }
    } else if (address - counter->copying_start < counter->copying_size) {
        counter->copied++;
    } else {
        counter->count++;
    }
}

/* FNV-1a 64 over what calls returned: without frees, refused frees and skipped events. */
uint64_t counter_digest(const uint32_t *results, size_t count)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++) {
        if (results[i] >= UINT32_C(0xFFFFFFFC) && results[i] != UINT32_MAX) {
            continue;
        }
        for (unsigned shift = 0; shift < 32; shift += 8) {
            digest = (digest ^ (results[i] >> shift & 0xFF)) * UINT64_C(0x100000001b3);
        }
    }
    return digest;
}
