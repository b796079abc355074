/* The lines of a device's log out of bytes in any pieces, without the colours of a terminal. */
#ifndef HEAPSCOPE_NATIVE_CONSOLE_H
#define HEAPSCOPE_NATIVE_CONSOLE_H

#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"
#include "queue/queue.h"

#define HS_CONSOLE_LINE_MAX 4096u /* bytes; a longer line comes in pieces */

typedef struct hs_console {
    hs_queue_t lines; /* that wait to be taken, each ended by a newline */
    size_t returns;   /* carriage returns at the end of the open line */
    size_t length;    /* bytes of the open line without them */
    uint8_t open[HS_CONSOLE_LINE_MAX];
} hs_console_t;

/* Any number of carriage returns and a newline end a line; a carriage return before anything else ends
 * one, too. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_console_push(hs_console_t *console, const uint8_t *bytes, size_t count);
/* It was quiet for a while: a line without an end is over. */
hs_status_t hs_console_quiet(hs_console_t *console);
void hs_console_free(hs_console_t *console);

#endif
