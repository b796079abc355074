/* The parts of words by which a line promises something, found in one pass. Private. */
#ifndef HEAPSCOPE_LOG_ROOTS_H
#define HEAPSCOPE_LOG_ROOTS_H

#include <stdint.h>

#define HS_ROOT_FREE 1u  /* "free", "left", "avail", "remain", "largest", "lfb", "heap" */
#define HS_ROOT_ALLOC 2u /* "alloc", "mem" */
#define HS_ROOT_TLS 4u   /* "tls", "ssl", "x509", "handshake" */
#define HS_ROOT_ERROR 8u /* "err", "fail", "return", "res=", "code" */

/* HS_ROOT_* of all that is in a text that ends with NUL, in letters of either case. */
uint32_t hs_log_roots(const char *text);

#endif
