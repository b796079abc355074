/* The state that is kept for each connection. Private to this folder. */
#ifndef HEAPSCOPE_COMPAT_MBEDTLS_TLS_STATE_H
#define HEAPSCOPE_COMPAT_MBEDTLS_TLS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MBEDTLS_ALLOW_PRIVATE_ACCESS /* 3.x: before any of its headers */
#include "mbedtls/version.h"
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
#include "ssl_misc.h"
#define HS_TLS_NEW_TICKET MBEDTLS_SSL_NEW_SESSION_TICKET
#else
#include "mbedtls/ssl_internal.h"
#define HS_TLS_NEW_TICKET MBEDTLS_SSL_SERVER_NEW_SESSION_TICKET
#endif

#include "tls_buffers.h"

#if defined(MBEDTLS_SSL_VARIABLE_BUFFER_LENGTH)
#error "MBEDTLS_SSL_VARIABLE_BUFFER_LENGTH resizes the same buffers: switch it off"
#endif
#if defined(MBEDTLS_ZLIB_SUPPORT) || defined(MBEDTLS_SSL_HW_RECORD_ACCEL)
#error "compressed records and hardware records need buffers of full size"
#endif
#if defined(MBEDTLS_SSL_SRV_SUPPORT_SSLV2_CLIENT_HELLO)
#error "the length of an SSLv2 hello is not where that of a record is"
#endif
#if defined(MBEDTLS_SSL_PROTO_TLS1_3)
#error "TLS 1.2 and before; a 1.3 handshake writes and reads in one step"
#endif

/* In a buffer for a stream: the counter, the header, the content. */
enum { HS_TLS_COUNTER = 8, HS_TLS_HEADER = 5, HS_TLS_IDLE_IN = HS_TLS_COUNTER + HS_TLS_HEADER };

/* An idle OUT has room for an alert, so that one never lacks memory: an explicit IV, two bytes, their
 * MAC, and what fills a block. */
enum { HS_TLS_IDLE_OUT = HS_TLS_IDLE_IN + 16 + 2 + MBEDTLS_SSL_MAC_ADD + 16 };

/* The idle IN buffer: the library allocates it, clears it, and frees it. */
typedef struct hs_tls_state {
    unsigned char idle_in[HS_TLS_IDLE_IN]; /* first: the library takes it for the whole */
    unsigned char held; /* bytes of a header that were read and have to wait for memory */
    bool handed_over;
    unsigned char *idle_out;
    size_t in_size, out_size; /* of the buffers for a record; 0: idle */
    mbedtls_ssl_context *ssl;
    /* The arguments that the application gave to mbedtls_ssl_set_bio. */
    void *line;
    mbedtls_ssl_send_t *send;
    mbedtls_ssl_recv_t *receive;
    mbedtls_ssl_recv_timeout_t *receive_timeout;
} hs_tls_state_t;

/* The sizes that the library's ssl_tls.c allocates, clears and frees, and whether it does: tls_idle.h. */
extern const size_t hs_tls_idle_in_size;
extern const size_t hs_tls_idle_out_size;
extern const bool hs_tls_idle_included;

/* NULL: a context before its setup. */
hs_tls_state_t *hs_tls_state(const mbedtls_ssl_context *ssl);

/* Frees whose turn it is, after a step of the handshake. */
void hs_tls_free_used(hs_tls_state_t *state);

/* Before the first step: 0, or which credential was freed and not set again. */
int hs_tls_check_credentials(const mbedtls_ssl_config *config);

/* The linker makes __real_NAME of the library's function, and __wrap_NAME of calls to it. */
#define HS_TLS_WRAP(result, name, ...)                                                             \
    result __real_##name(__VA_ARGS__);                                                             \
    result __wrap_##name(__VA_ARGS__);                                                             \
    result __wrap_##name(__VA_ARGS__)

#endif
