/*
 * Put before the library's ssl_tls.c by the compiler (-include tls_idle.h), and before no other file:
 * the buffers that it allocates, clears and frees are the idle ones. All other files go on to take
 * the sizes of the configuration for the limits of a record.
 *
 * The sizes are variables of tls_buffers.c, which in turn needs the one that is defined here: a program
 * with one of them alone, or without the linker's --wrap, does not link.
 */
#ifndef HEAPSCOPE_COMPAT_MBEDTLS_TLS_IDLE_H
#define HEAPSCOPE_COMPAT_MBEDTLS_TLS_IDLE_H

#include "tls_state.h"

const bool hs_tls_idle_included = true;

#undef MBEDTLS_SSL_IN_BUFFER_LEN
#define MBEDTLS_SSL_IN_BUFFER_LEN hs_tls_idle_in_size
#undef MBEDTLS_SSL_OUT_BUFFER_LEN
#define MBEDTLS_SSL_OUT_BUFFER_LEN hs_tls_idle_out_size

#endif
