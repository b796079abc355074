/* Facts of lines that mean something only behind the line that announces them. Private. */
#ifndef HEAPSCOPE_LOG_CONTEXT_H
#define HEAPSCOPE_LOG_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows/log.h"

typedef struct hs_log_context {
    uint8_t
        requested;   /* 1 + memory: the line above asked a prompt how much is free; 0: it did not */
    size_t heap_end; /* of NuttX's ps: the column behind HEAP; 0: no table is open */
    size_t command;  /* and where COMMAND begins */
    bool ovms_tasks; /* OVMS' table of tasks is open */
    bool nuttx_free; /* the line above is the head of NuttX's free, to 11.0 */
} hs_log_context_t;

/* Reads a line without its prefix, but with the blanks before it. True: the fact is what it tells. */
bool hs_log_context_read(hs_log_context_t *context, const char *text, size_t length,
                         hs_lab_log_fact_t *fact);

#endif
