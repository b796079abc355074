/*
 * mbedTLS on a private heap: its calloc and free, which carry no context, so that the heap is one
 * for the program. Either at run time (MBEDTLS_PLATFORM_MEMORY, without the macros below)
 *
 *     hs_mbedtls_use(tls_heap);
 *     mbedtls_platform_set_calloc_free(hs_mbedtls_calloc, hs_mbedtls_free);
 *
 * or in the configuration file of mbedTLS
 *
 *     #define MBEDTLS_PLATFORM_MEMORY
 *     #define MBEDTLS_PLATFORM_CALLOC_MACRO hs_mbedtls_calloc
 *     #define MBEDTLS_PLATFORM_FREE_MACRO hs_mbedtls_free
 *
 * Needs no header of mbedTLS's. 2.x and 3.x.
 */
#ifndef HEAPSCOPE_ADAPTERS_MBEDTLS_H
#define HEAPSCOPE_ADAPTERS_MBEDTLS_H

#include "heapscope/private.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Before the first call of mbedTLS, and not while it holds a block. NULL: every calloc fails. */
void hs_mbedtls_use(hs_private_t *heap);

/* NULL comes out as an error of the call that needed it, e.g. MBEDTLS_ERR_SSL_ALLOC_FAILED. */
void *hs_mbedtls_calloc(size_t count, size_t size);
void hs_mbedtls_free(void *block);

#ifdef __cplusplus
}
#endif

#endif
