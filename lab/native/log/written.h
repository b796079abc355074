/* Who wrote a line: a program, a person, or a person who writes programs. Private. */
#ifndef HEAPSCOPE_LOG_WRITTEN_H
#define HEAPSCOPE_LOG_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>

typedef enum hs_log_writer {
    HS_LOG_BY_PROGRAM,
    HS_LOG_BY_PERSON, /* a sentence, which tells of a heap and prints no state of it */
    HS_LOG_IN_SOURCE  /* source code, whose numbers and texts are no output */
} hs_log_writer_t;

/* The writer of a line that has no time and no level before it. */
hs_log_writer_t hs_log_written(const char *text, size_t length);

/* Is it the line of a program that runs on no microcontroller? */
bool hs_log_by_computer(const char *text);

#endif
