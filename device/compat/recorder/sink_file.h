/*
 * A sink into a file of C's library: on a host, a card, or a file system of the chip.
 *
 *   config.write = hs_recorder_file_write; config.context = fopen("/sd/trace.hst", "ab");
 *
 * A card that is pulled out is a line that is cut.
 */
#ifndef HEAPSCOPE_SINK_FILE_H
#define HEAPSCOPE_SINK_FILE_H

#include <stdio.h>

#include "heapscope/recorder.h"

/* hs_recorder_write_t, with a FILE as its context. */
static inline size_t hs_recorder_file_write(void *context, const uint8_t *bytes, size_t count)
{
    FILE *const file = (FILE *)context;
    const size_t taken = fwrite(bytes, 1, count, file);
    if (taken == count && fflush(file) == 0) {
        return count;
    }
    clearerr(file);
    return HS_SINK_BROKEN;
}

#endif
