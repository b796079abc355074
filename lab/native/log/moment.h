/* The time that a line tells in its own words: a date, an uptime by its key, a time stamp behind a value.
 * Private. */
#ifndef HEAPSCOPE_LOG_MOMENT_H
#define HEAPSCOPE_LOG_MOMENT_H

#include <stddef.h>
#include <stdint.h>

/* ms of a clock of the line: since 1970 where it has a date, otherwise since a start; -1: none. `text`
 * ends with NUL. */
int64_t hs_log_moment_read(const char *text, size_t length);

/* Does a column of this name have times? The ms that a bare number of it counts; 0: it has none. */
int64_t hs_log_moment_unit(const char *name, size_t length);

/* The time at `text`, a date or a number that counts `unit` ms where no unit is behind it; -1: none. */
int64_t hs_log_moment_cell(const char *text, int64_t unit);

#endif
