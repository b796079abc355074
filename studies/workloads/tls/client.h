/*
 * A device's TLS client: connects, asks and answers in records of growing size, closes, and connects
 * again. Its memory is what mbedTLS asks of the calloc that was set (mbedtls_platform_set_calloc_free).
 */
#ifndef HEAPSCOPE_WORKLOADS_TLS_CLIENT_H
#define HEAPSCOPE_WORKLOADS_TLS_CLIENT_H

#include "peer.h"
#include "recorder.h"

typedef struct hs_client_plan {
    const char *server; /* path of the server program */
    hs_keys_t keys;
    unsigned connections;
    hs_rec_t *rec; /* where marks go */
    /* Called before each wait for the server's bytes, when a device runs its other tasks. */
    void (*waiting)(void *context);
    void *context;
} hs_client_plan_t;

/* Bytes that mbedTLS held: at most in the last connection's handshake, and right after it. */
typedef struct hs_client_use {
    uint64_t peak, after;
    int refused; /* mbedTLS's error at a record of the exchange, in any connection; 0: none */
} hs_client_use_t;

/* Returns 0 or mbedTLS's error. A record that the library refuses ends its connection with a mark
 * that says so, and the run goes on without an error. */
int hs_client_run(const hs_client_plan_t *plan, hs_client_use_t *out);

#endif
