/* The prefix that monitors and log libraries put before a line. Private. */
#ifndef HEAPSCOPE_LOG_PREFIX_H
#define HEAPSCOPE_LOG_PREFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hs_log_prefix {
    size_t length;            /* bytes of it */
    int64_t uptime;           /* ms since the start of the program; -1: unknown */
    int64_t clock;            /* ms since midnight; -1: unknown */
    bool is_arduino;          /* it names file and line, as Arduino's log does */
    size_t host, host_length; /* who sent a line of a system log; a length of 0: unknown */
} hs_log_prefix_t;

/* Reads it from a line that ends with NUL. */
void hs_log_prefix_read(const char *text, size_t length, hs_log_prefix_t *out);

#endif
