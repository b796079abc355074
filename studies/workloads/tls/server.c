/* The server of one connection, on standard input: server rsa|ec NUMBER. Sends back what is asked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "line.h"
#include "peer.h"

#define RECORD_MAX 16384

static unsigned char payload[RECORD_MAX];

/* Answers requests until the client closes; then 0. */
static int serve(mbedtls_ssl_context *ssl)
{
    for (;;) { /* ends with the client's close */
        hs_request_t request;
        int error = hs_peer_read(ssl, &request, sizeof request);
        if (error == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY) {
            return 0;
        }
        if (error == 0 && (request.sent > RECORD_MAX || request.wanted > RECORD_MAX)) {
            error = MBEDTLS_ERR_SSL_BAD_INPUT_DATA;
        }
        if (error == 0) {
            error = hs_peer_read(ssl, payload, request.sent);
        }
        if (error == 0) {
            error = hs_peer_write(ssl, payload, request.wanted);
        }
        if (error != 0) {
            return error;
        }
    }
}

static int connection(hs_peer_t *peer)
{
    int fd = STDIN_FILENO;
    mbedtls_ssl_context ssl;
    mbedtls_ssl_init(&ssl);
    int error = mbedtls_ssl_setup(&ssl, &peer->config);
    mbedtls_ssl_set_bio(&ssl, &fd, hs_line_send, hs_line_receive, NULL);
    if (error == 0) {
        error = mbedtls_ssl_handshake(&ssl);
    }
    if (error == 0) {
        error = serve(&ssl);
    }
    mbedtls_ssl_free(&ssl);
    return error;
}

int main(int count, char **arguments)
{
    if (count != 3) {
        return 2;
    }
    hs_keys_t keys = strcmp(arguments[1], "ec") == 0 ? HS_KEYS_EC : HS_KEYS_RSA;
    uint64_t seed = 0x5E4E4u + strtoul(arguments[2], NULL, 10);
    hs_peer_t peer;
    int error = hs_peer_open(&peer, false, keys, seed);
    if (error == 0) {
        error = connection(&peer);
    }
    hs_peer_close(&peer);
    return error == 0 ? 0 : 1;
}
