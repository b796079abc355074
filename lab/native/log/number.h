/* Numbers as they stand in a line, with their units. Private. */
#ifndef HEAPSCOPE_LOG_NUMBER_H
#define HEAPSCOPE_LOG_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hs_log_number {
    int64_t value; /* bytes, if it is a size */
    uint32_t unit;
    bool has_unit, is_percent;
    bool is_word; /* a part of a name, a date or a version */
    size_t end;
} hs_log_number_t;

/* The number at `at`, which is a digit. */
hs_log_number_t hs_log_number_read(const char *text, size_t at);
/* The unit that a word of a label names, "KB" or "MiB"; or else `otherwise`. */
uint32_t hs_log_unit_of(const char *word, size_t length, uint32_t otherwise);
/* Is the number at `at` the line of a file ("heap.c:448"), or the argument of a call ("free(448)")? */
bool hs_log_number_is_place(const char *text, size_t at);
/* The first number in the bytes at..end, with the unit that is in them or behind them; false: none. */
bool hs_log_value_read(const char *text, size_t at, size_t end, int64_t *value, uint32_t *unit);

#endif
