/* The words by which systems name the figures of a pool. Private. */
#ifndef HEAPSCOPE_LOG_POOL_KEYS_H
#define HEAPSCOPE_LOG_POOL_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "rows/log.h"

/* Columns that are no figure, beside HS_LOG_HAS_*. */
#define HS_POOL_NAME (UINT32_C(1) << 30)
#define HS_POOL_SKIP (UINT32_C(1) << 29)
#define HS_POOL_IRAM (UINT32_C(1) << 28) /* with a figure: of instruction RAM */
#define HS_POOL_DRAM (UINT32_C(1) << 27)
#define HS_POOL_STACK (UINT32_C(1) << 26) /* with a figure: of the row's stack */

/* The field that a whole label means, as one of HS_LOG_HAS_* or the above; 0: none. Small letters and
 * capitals are one, and so are blank, "_" and "-". */
uint32_t hs_log_pool_key(const char *text, size_t length);
/* The same of the last words of a label; `at`: where they begin. */
uint32_t hs_log_pool_key_last(const char *text, size_t length, size_t *at);

#endif
