/* A number in a line that tells a request or a code, as it stands there. Private. */
#ifndef HEAPSCOPE_LOG_QUANTITY_H
#define HEAPSCOPE_LOG_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hs_log_quantity {
    int64_t value; /* of at most 15 digits */
    size_t end;
    bool is_hex, in_bytes;
    bool is_giant; /* of GiB */
} hs_log_quantity_t;

/* The number at `at`, which is a digit; 0x makes it hexadecimal. */
hs_log_quantity_t hs_log_quantity_read(const char *text, size_t at);

#endif
