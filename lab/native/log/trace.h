/* The code addresses that a heap trace prints, and the names that a monitor has for them. Private. */
#ifndef HEAPSCOPE_LOG_TRACE_H
#define HEAPSCOPE_LOG_TRACE_H

#include <stddef.h>

#include "rows/log.h"

/*
 * Reads the callers behind a record of a heap trace, or behind "freed by", from `*at` on, which is then
 * behind them; a fact of another kind has none. Callers that have no room in the fact go into at most
 * `capacity` facts behind it; returns how many.
 */
size_t hs_log_callers_read(const char *text, size_t *at, hs_lab_log_fact_t *fact, size_t capacity);

/*
 * Reads the name that a monitor put to a code address, in the form of idf_monitor or of PlatformIO:
 *
 *     0x400d276d: leak_some_memory at /path/blink.c:27
 *     #1  0x400d3e1d in app_main at src/main.cpp:64 (discriminator 2)
 *
 * Returns how many facts it became, at most `capacity`; 0: the line has no such name.
 */
size_t hs_log_frame_read(const char *text, hs_lab_log_fact_t *facts, size_t capacity);

/* The code addresses of a line "Backtrace: 0x4009567b:0x3ffaf8c0 ...", into at most `capacity` facts;
 * returns how many. */
size_t hs_log_backtrace_read(const char *text, hs_lab_log_fact_t *facts, size_t capacity);

#endif
