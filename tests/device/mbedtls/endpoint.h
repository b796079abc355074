/* One side of a connection on dynamic buffers, whose line and memory can be made to fail. */
#ifndef HEAPSCOPE_TESTS_MBEDTLS_ENDPOINT_H
#define HEAPSCOPE_TESTS_MBEDTLS_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>

#include "mbedtls/ssl.h"

#include "models/check.h"
#include "tls_buffers.h"

/* ---- memory: what mbedTLS asks for ---- */

typedef struct memory {
    size_t live, peak; /* bytes */
    size_t requests;   /* since the start, those that failed too */
    size_t fail_at;    /* the request of this number fails; 0: none */
    size_t fail_from;  /* each second request of so many bytes or more fails; 0: none */
    size_t failed;     /* so far */
    size_t spared;     /* the library would not have survived it */
} memory_t;

extern memory_t memory;
void memory_use(void);

/* ---- the line ---- */

typedef struct line {
    int fd;
    bool chopped;   /* a few bytes at a time, and every second time none */
    bool flip_sent; /* the last byte of what is sent is changed */
    long flip_at;   /* the byte received at this place is changed; -1: none */
    long received;
    unsigned turn;
} line_t;

int line_connect(const char *port);

/* ---- sides ---- */

typedef struct side {
    mbedtls_ssl_context ssl;
    mbedtls_ssl_config config;
    mbedtls_x509_crt authority, certificate;
    mbedtls_pk_context key;
    line_t line;
    int suites[2];
} side_t;

/* A configuration without credentials; 0 or an error. side_close is due in any case. */
int side_open(side_t *side, int endpoint, int suite);
int side_authority(side_t *side);
int side_own(side_t *side);
int side_credentials(side_t *side); /* both */
void side_close(side_t *side);

/* A context on a line that is open, by setup; or on a new line, by reset. */
int side_begin(side_t *side, int fd);
int side_again(side_t *side, int fd);
void side_hang_up(side_t *side);

int side_handshake(side_t *side); /* goes on where it would block */
int side_write(side_t *side, const unsigned char *bytes, size_t size);
int side_read(side_t *side, unsigned char *bytes, size_t size);

/* Asks the other side for `wanted` bytes after `sent` of them, and compares. */
int side_exchange(side_t *side, unsigned sent, unsigned wanted);

#endif
