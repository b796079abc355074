/* Figures of a heap in the words of a program. Private. */
#ifndef HEAPSCOPE_LOG_FIGURES_H
#define HEAPSCOPE_LOG_FIGURES_H

#include <stddef.h>

#include "rows/log.h"
#include "scope.h"

/* The figures of a line with HS_ROOT_FREE, a fact for each kind of memory; returns how many, at most
 * `capacity`. */
size_t hs_log_figures_read(hs_log_scope_t *scope, const char *text, size_t length,
                           hs_lab_log_fact_t *facts, size_t capacity);

#endif
