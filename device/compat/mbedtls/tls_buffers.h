/*
 * Dynamic buffers for mbedTLS, for TLS over any line on any platform: a connection has its IN and OUT
 * buffers only while a record is read or written, between them only the counters and the header of a
 * record. docs/guide/tls-buffers.md tells how to build with it; programs need no change.
 *
 * A call that finds no memory for a buffer returns MBEDTLS_ERR_SSL_ALLOC_FAILED; nothing is lost, and
 * the same call may be made again. The certificate of the peer is freed once it has been used.
 * Renegotiation is refused. DTLS is refused by mbedtls_ssl_setup (MBEDTLS_ERR_SSL_FEATURE_UNAVAILABLE).
 * Only one task at a time may use a context, as with mbedTLS itself; a context is not moved after its
 * setup.
 */
#ifndef HEAPSCOPE_COMPAT_MBEDTLS_TLS_BUFFERS_H
#define HEAPSCOPE_COMPAT_MBEDTLS_TLS_BUFFERS_H

#include "mbedtls/ssl.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Hands the credentials of the configuration of `ssl` over to its next handshake: the chain of
 * authorities, the own certificates and the own keys are each freed when it needs them no more. Their
 * structures remain the application's, empty, to be parsed into again. After mbedtls_ssl_setup, a
 * client only; the configuration serves no other connection meanwhile.
 *
 * Before the next handshake the application sets them again (mbedtls_ssl_conf_ca_chain,
 * mbedtls_ssl_conf_own_cert) and hands them over again. A handshake that starts without returns
 * MBEDTLS_ERR_SSL_CA_CHAIN_REQUIRED or MBEDTLS_ERR_SSL_PRIVATE_KEY_REQUIRED before it sends anything,
 * and goes on once they are there. This holds after a handshake that failed halfway, too.
 *
 * Returns 0, or MBEDTLS_ERR_SSL_BAD_INPUT_DATA: not set up, a server, or a handshake has begun.
 */
int hs_tls_hand_over(mbedtls_ssl_context *ssl);

#ifdef __cplusplus
}
#endif

#endif
