/*
 * A sink into a console that log text goes through, too: each chunk is put whole while the console is
 * locked, so that text stands between chunks, where it harms nothing. `put` waits for the line, and so does
 * the drain's task: 400 bytes take 35 ms at 115,200 baud.
 */
#ifndef HEAPSCOPE_SINK_CONSOLE_H
#define HEAPSCOPE_SINK_CONSOLE_H

#include "heapscope/recorder.h"

typedef struct hs_recorder_console {
    void (*lock)(void *context); /* the lock that the log takes for each line */
    void (*unlock)(void *context);
    void (*put)(void *context, uint8_t byte); /* to the line as it is, no line ends changed */
    void *context;
} hs_recorder_console_t;

/* hs_recorder_write_t. */
static inline size_t hs_recorder_console_write(void *context, const uint8_t *bytes, size_t count)
{
    const hs_recorder_console_t *console = (const hs_recorder_console_t *)context;
    console->lock(console->context);
    for (size_t i = 0; i < count; i++) {
        console->put(console->context, bytes[i]);
    }
    console->unlock(console->context);
    return count;
}

#endif
