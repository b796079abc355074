/*
 * The recorder, as the crate calls it. There is one recorder in a program, as there is one global
 * allocator. The crate declares these functions anew, in src/recorder.rs, and calls each of them but
 * the drain's within a critical section.
 */
#include "heapscope/recorder.h"
#include "rust_record.h"
#include "sink_rtt.h"

typedef struct hs_rust_facts {
    const char *chip;
    const char *sdk;
    const char *program;
    uint32_t boot;
    uint32_t clock_hz;
    uint8_t address_shift;
} hs_rust_facts_t;

static hs_recorder_t *recorder;
static hs_recorder_config_t config;
static bool missed; /* requests came before the recorder was opened */

/* A task's handle is the address of its name. */
static const char *task_name(void *context, uintptr_t task)
{
    (void)context;
    return (const char *)task;
}

/* False: the memory is too small or not aligned, or there is a recorder already. */
bool hs_rust_open(void *memory, size_t size, hs_recorder_write_t write, void *context,
                  const hs_rust_facts_t *facts)
{
    if (recorder != NULL) {
        return false;
    }
    config = (hs_recorder_config_t){
        .write = write,
        .task_name = task_name,
        .context = context,
        .chip = facts->chip,
        .sdk = facts->sdk,
        .program = facts->program,
        .boot = facts->boot,
        .clock_hz = facts->clock_hz,
        .address_shift = facts->address_shift,
        .late = missed,
    };
    recorder = hs_recorder_open(memory, size, &config);
    return recorder != NULL;
}

size_t hs_rust_overhead(void)
{
    return hs_recorder_overhead();
}

/* `align_log2` 0: aligned like any block of the allocator. */
void hs_rust_allocated(const void *block, size_t size, unsigned align_log2, bool cleared,
                       hs_callers_t callers)
{
    hs_rust_record_block(block, size, align_log2, cleared);
    if (recorder == NULL) {
        missed = true;
    } else if (align_log2 != 0) {
        hs_recorder_aligned(recorder, block, size, align_log2, 0, callers);
    } else {
        const hs_event_kind_t kind = cleared ? HS_EVENT_CALLOC : HS_EVENT_MALLOC;
        hs_recorder_allocated(recorder, kind, block, size, 0, callers);
    }
}

/* Before a realloc, and after it; `after` NULL: it failed. */
void hs_rust_resize(const void *block)
{
    hs_rust_record_resize(block);
}

void hs_rust_reallocated(const void *before, const void *after, size_t size, hs_callers_t callers)
{
    hs_rust_record_resized(after, size);
    if (recorder == NULL) {
        missed = true;
    } else {
        hs_recorder_reallocated(recorder, before, after, size, 0, callers);
    }
}

void hs_rust_freed(const void *block)
{
    hs_rust_record_freed(block);
    if (recorder != NULL) {
        hs_recorder_freed(recorder, block);
    }
}

void hs_rust_mark(const char *name)
{
    if (recorder != NULL) {
        hs_recorder_mark(recorder, name);
    }
}

/* By one caller at a time. */
size_t hs_rust_drain(size_t events)
{
    return recorder == NULL ? 0 : hs_recorder_drain(recorder, events);
}

bool hs_rust_flush(void)
{
    return recorder != NULL && hs_recorder_flush(recorder) == HS_OK;
}

void hs_rust_figures(hs_recorder_figures_t *out)
{
    if (recorder != NULL) {
        hs_recorder_figures(recorder, out);
    }
}

/* ---- RTT ---- */

size_t hs_rust_rtt_size(void)
{
    return sizeof(hs_recorder_rtt_t);
}

void hs_rust_rtt_open(hs_recorder_rtt_t *rtt, uint8_t *bytes, uint32_t size)
{
    hs_recorder_rtt_open(rtt, bytes, size);
}

size_t hs_rust_rtt_write(hs_recorder_rtt_t *rtt, const uint8_t *bytes, size_t count)
{
    return hs_recorder_rtt_write(rtt, bytes, count);
}
