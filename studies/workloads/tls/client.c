#include "client.h"

#include <stdio.h>
#include <string.h>

#include "line.h"
#ifdef HS_TLS_DYNAMIC
#include "tls_buffers.h"
#endif

#define RECORD_MAX 16384

/* Payloads of the requests and of their answers, in order. 8000 and 16384 are what a server that
 * knows of no limit puts into one record. */
static const hs_request_t exchanges[] = {
    {64, 64}, {200, 1400}, {1400, 200}, {1400, 8000}, {8000, 64}, {64, 16384}, {16384, 16384},
};

/* Not the recorder's: a device has its data elsewhere. */
static unsigned char payload[RECORD_MAX];

typedef struct connection {
    const hs_client_plan_t *plan;
    hs_line_t line;
    mbedtls_ssl_context ssl;
} connection_t;

static void mark(const hs_client_plan_t *plan, const char *what, unsigned number)
{
    char name[64];
    snprintf(name, sizeof name, "%s %u", what, number);
    hs_rec_mark(plan->rec, name);
}

static int send_bytes(void *context, const unsigned char *bytes, size_t count)
{
    connection_t *connection = context;
    return hs_line_send(&connection->line.fd, bytes, count);
}

static int receive_bytes(void *context, unsigned char *bytes, size_t count)
{
    connection_t *connection = context;
    if (connection->plan->waiting != NULL) {
        connection->plan->waiting(connection->plan->context);
    }
    return hs_line_receive(&connection->line.fd, bytes, count);
}

static int shake_hands(connection_t *connection, const hs_peer_t *peer)
{
    int error = mbedtls_ssl_setup(&connection->ssl, &peer->config);
    if (error == 0) {
        error = mbedtls_ssl_set_hostname(&connection->ssl, "localhost");
    }
    mbedtls_ssl_set_bio(&connection->ssl, connection, send_bytes, receive_bytes, NULL);
#ifdef HS_TLS_DYNAMIC
    if (error == 0) {
        error = hs_tls_hand_over(&connection->ssl);
    }
#endif
    return error == 0 ? mbedtls_ssl_handshake(&connection->ssl) : error;
}

static int exchange(mbedtls_ssl_context *ssl, hs_request_t request)
{
    int error = hs_peer_write(ssl, &request, sizeof request);
    if (error == 0) {
        error = hs_peer_write(ssl, payload, request.sent);
    }
    return error == 0 ? hs_peer_read(ssl, payload, request.wanted) : error;
}

/* All exchanges; or up to the record that is refused, which gets a mark. */
static int exchange_all(connection_t *connection)
{
    for (size_t i = 0; i < sizeof exchanges / sizeof exchanges[0]; i++) {
        int error = exchange(&connection->ssl, exchanges[i]);
        if (error != 0) {
            char name[64];
            snprintf(name, sizeof name, "answer of %u refused: -0x%04X",
                     (unsigned)exchanges[i].wanted, (unsigned)-error);
            hs_rec_mark(connection->plan->rec, name);
            return error;
        }
    }
    return 0;
}

static int connect_once(const hs_client_plan_t *plan, const hs_peer_t *peer, unsigned number,
                        hs_client_use_t *out)
{
    connection_t connection = {.plan = plan};
    const char *keys = plan->keys == HS_KEYS_EC ? "ec" : "rsa";
    mbedtls_ssl_init(&connection.ssl);
    if (hs_line_open(&connection.line, plan->server, keys, number) != 0) {
        return MBEDTLS_ERR_SSL_INTERNAL_ERROR;
    }
    mark(plan, "connect", number);
    hs_rec_peak_restart(plan->rec);
    int error = shake_hands(&connection, peer);
    int refused = 0;
    if (error == 0) {
        mark(plan, "connected", number);
        hs_rec_use_t use = hs_rec_use(plan->rec);
        out->peak = use.peak;
        out->after = use.live;
        refused = exchange_all(&connection);
        mbedtls_ssl_close_notify(&connection.ssl); /* of no use to a server that is cut off */
    }
    mbedtls_ssl_free(&connection.ssl);
    if (error == 0) {
        mark(plan, "closed", number);
    }
    int served = hs_line_close(&connection.line);
    if (error == 0 && refused == 0 && served != 0) {
        error = MBEDTLS_ERR_SSL_INTERNAL_ERROR;
    }
    out->refused = refused != 0 ? refused : out->refused;
    return error;
}

int hs_client_run(const hs_client_plan_t *plan, hs_client_use_t *out)
{
    *out = (hs_client_use_t){0};
    memset(payload, 'x', sizeof payload);
    hs_peer_t peer;
    int error = hs_peer_open(&peer, true, plan->keys, 0xC11E47u);
#if MBEDTLS_SSL_IN_CONTENT_LEN == 4096 /* a server must know of a small buffer (RFC 6066) */
    if (error == 0) {
        error = mbedtls_ssl_conf_max_frag_len(&peer.config, MBEDTLS_SSL_MAX_FRAG_LEN_4096);
    }
#endif
    hs_rec_mark(plan->rec, "configured");
    for (unsigned i = 1; error == 0 && i <= plan->connections; i++) {
#ifdef HS_TLS_DYNAMIC /* each connection frees them */
        if (i > 1) {
            error = hs_peer_set_credentials(&peer, true, plan->keys);
        }
#endif
        if (error == 0) {
            error = connect_once(plan, &peer, i, out);
        }
    }
    hs_peer_close(&peer);
    return error;
}
