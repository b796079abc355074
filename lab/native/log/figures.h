/* Free, largest and minimum in the words of a program. Private. */
#ifndef HEAPSCOPE_LOG_FIGURES_H
#define HEAPSCOPE_LOG_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows/log.h"

/* The figures of a line with HS_ROOT_FREE, a fact for each kind of memory; returns how many, at most `capacity`. */
size_t hs_log_figures_read(const char *text, size_t length, hs_lab_log_fact_t *facts,
                           size_t capacity);

/* The field that words before a number mean, as one of HS_LOG_TOLD_*, and of which memory; 0: none. */
uint32_t hs_log_label_field(const char *label, size_t length, uint8_t *memory);
/* Where a fact keeps free, largest, min, total, used or peak. */
int64_t *hs_log_field(hs_lab_log_fact_t *fact, uint32_t field);
/* The first number in the bytes at..end, with the unit that is in them or behind them; false: none. */
bool hs_log_value_read(const char *text, size_t at, size_t end, int64_t *value, uint32_t *unit);

#endif
