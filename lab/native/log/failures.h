/* Memory that was not given, and codes that mean it, in the words of a program. Private. */
#ifndef HEAPSCOPE_LOG_FAILURES_H
#define HEAPSCOPE_LOG_FAILURES_H

#include <stdbool.h>
#include <stddef.h>

#include "rows/log.h"

/* In a line with HS_ROOT_ALLOC: "Failed to allocate 2216 bytes", "malloc(100) failed", "out of memory": a FAILED; or an ASKED.
 * `figures`: what else the line tells; none of their numbers is the request. */
bool hs_log_failure_read(const char *text, size_t length, const hs_lab_log_fact_t *figures,
                         size_t figure_count, hs_lab_log_fact_t *fact);
/* The tag before a colon becomes the fact's name: who speaks. */
void hs_log_tag_keep(hs_lab_log_fact_t *fact, const char *text, size_t length);
/* In a line with HS_ROOT_ERROR: a code of mbedTLS in a line that speaks of TLS, or ESP-IDF's code of a lack of memory. */
bool hs_log_code_read(const char *text, size_t length, uint32_t roots, hs_lab_log_fact_t *fact);

#endif
