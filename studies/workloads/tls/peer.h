/* Client and server share this: their credentials, and the end of the line. */
#ifndef HEAPSCOPE_WORKLOADS_TLS_PEER_H
#define HEAPSCOPE_WORKLOADS_TLS_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "mbedtls/pk.h"
#include "mbedtls/ssl.h"
#include "mbedtls/x509_crt.h"

typedef enum hs_keys { HS_KEYS_RSA, HS_KEYS_EC } hs_keys_t;

/* One side of mutually authenticated TLS 1.2. */
typedef struct hs_peer {
    mbedtls_x509_crt authority, certificate;
    mbedtls_pk_context key;
    mbedtls_ssl_config config;
    uint64_t random; /* state of the generator */
} hs_peer_t;

/* Parses the library's own test credentials, RSA-2048 or EC P-256, and makes a configuration of
 * them. Returns 0 or mbedTLS's error. `peer` is not moved while it is in use. */
int hs_peer_open(hs_peer_t *peer, bool is_client, hs_keys_t keys, uint64_t seed);
void hs_peer_close(hs_peer_t *peer);

/* Parses the credentials again after they were freed, and sets them in the configuration. */
int hs_peer_set_credentials(hs_peer_t *peer, bool is_client, hs_keys_t keys);

/* A request: `sent` bytes follow it, and `wanted` bytes shall come back. */
typedef struct hs_request {
    uint32_t sent, wanted;
} hs_request_t;

/* All of the bytes, in as many records as it takes. Returns 0 or mbedTLS's error. */
int hs_peer_write(mbedtls_ssl_context *ssl, const void *bytes, size_t count);
int hs_peer_read(mbedtls_ssl_context *ssl, void *bytes, size_t count);

#endif
