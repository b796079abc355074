/* A line between a recorder and a listener: bytes in a buffer, slow, noisy or cut. */
#ifndef HS_TESTS_RECORDER_LINE_H
#define HS_TESTS_RECORDER_LINE_H

#include "device.h"

typedef struct line {
    device_t device; /* first: the context of the recorder's functions is both */
    uint8_t *bytes;
    size_t count;
    size_t size;
    size_t room; /* bytes that may still be taken now */
    bool broken;
    unsigned noise; /* one byte in so many is wrong; 0: none */
    unsigned log;   /* one chunk in so many comes after a line of log text; 0: none */
    bool rude;      /* such lines come within chunks, too */
} line_t;

/* The sink for a recorder's configuration. */
size_t line_write(void *line, const uint8_t *bytes, size_t count);

/* A configuration with this line as its context. */
hs_recorder_config_t line_config(line_t *line);

#endif
