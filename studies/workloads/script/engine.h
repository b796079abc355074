/*
 * A device's script engine: a Duktape heap on the recorder, one script, its timers on a clock of its
 * own that stands still while the script runs. The script finds three functions: mark(name),
 * wait(milliseconds), and collect(), which runs the garbage collector.
 */
#ifndef HEAPSCOPE_WORKLOADS_SCRIPT_ENGINE_H
#define HEAPSCOPE_WORKLOADS_SCRIPT_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include "recorder.h"

typedef struct hs_engine_plan {
    const char *script; /* path */
    hs_rec_t *rec;
    bool verbose; /* print bytes and requests at each mark */
    /* After each request to the heap, and when the script waits: where a device may run its other
     * tasks. NULL: not called. */
    void (*used)(void *context);
    void (*waiting)(void *context);
    void *context;
} hs_engine_plan_t;

/* Writes the engine's name and version, cut at `size`. */
void hs_engine_name(char *out, size_t size);

/* Runs the script to its end and closes the heap. Returns 0, or 1 after printing why to stderr. One
 * engine at a time. */
int hs_engine_run(const hs_engine_plan_t *plan);

#endif
