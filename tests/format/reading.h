/* A decoder's reading of a trace, as the text that stands beside each golden trace. */
#ifndef HEAPSCOPE_TESTS_FORMAT_READING_H
#define HEAPSCOPE_TESTS_FORMAT_READING_H

#include "stream.h"

typedef struct reading {
    char *at; /* with a zero behind it */
    size_t count;
    size_t size;
} reading_t;

/* Reads a trace with the decoder, from which come the text and `events`. */
void reading_of(const stream_bytes_t *bytes, reading_t *text, stream_events_t *events);

#endif
