/* The lines that an import leaves out: how many, why, and the first of them. Private. */
#ifndef HEAPSCOPE_NATIVE_LEFT_OUT_H
#define HEAPSCOPE_NATIVE_LEFT_OUT_H

#include "import.h"
#include "queue/queue.h"

typedef struct hs_left_out {
    uint64_t by_reason[HS_IMPORT_REASONS];
    uint64_t most; /* lines that are kept to be shown */
    uint64_t kept;
    hs_queue_t rows; /* hs_import_line_t, not yet taken */
} hs_left_out_t;

/* HS_ERR_MEMORY. O(1). */
hs_status_t hs_left_out_add(hs_left_out_t *left, uint64_t line, hs_import_reason_t reason,
                            const uint8_t *text, size_t length);

#endif
