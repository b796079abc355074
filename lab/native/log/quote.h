/* A line as it may be shown to people. Private. */
#ifndef HEAPSCOPE_LOG_QUOTE_H
#define HEAPSCOPE_LOG_QUOTE_H

#include <stddef.h>

/* Copies text, cut to fit and ended by NUL; what is behind a word such as "password" is starred out. */
void hs_log_quote(char *out, size_t size, const char *text, size_t length);

#endif
