/* Lines that look like lines of memory. Private. */
#ifndef HEAPSCOPE_LOG_LOOKS_H
#define HEAPSCOPE_LOG_LOOKS_H

#include <stdbool.h>

/* Does the text speak of a heap, and give a number or a fault? It ends with NUL. */
bool hs_log_looks_like_memory(const char *text);

#endif
