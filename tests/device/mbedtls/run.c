/*
 * Scenes of a program on dynamic buffers, each against OpenSSL at the other end: run SCENE PORT
 * [SUITE [COUNT...]]. A scene ends with nothing live.
 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mbedtls/certs.h"

#include "endpoint.h"

static const char *port;
static int suite = MBEDTLS_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256;
static unsigned counts[3];

/* The memory of a connection between records: far below one buffer. */
enum { IDLE_MOST = 4000 };

static void check_nothing_lives(void)
{
    CHECK(memory.live == 0, "%zu bytes are still live", memory.live);
}

static void opened(side_t *side, bool handed_over)
{
    int error = side_open(side, MBEDTLS_SSL_IS_CLIENT, suite);
    CHECK(error == 0, "-0x%04x", (unsigned)-error);
    error = side_credentials(side);
    CHECK(error == 0, "-0x%04x", (unsigned)-error);
    error = side_begin(side, line_connect(port));
    CHECK(error == 0, "-0x%04x", (unsigned)-error);
    CHECK(!handed_over || hs_tls_hand_over(&side->ssl) == 0, "hand over");
}

static void shaken(side_t *side)
{
    int error = side_handshake(side);
    CHECK(error == 0, "-0x%04x", (unsigned)-error);
    CHECK(mbedtls_ssl_get_verify_result(&side->ssl) == 0, "the server's certificate");
    CHECK(mbedtls_ssl_get_peer_cert(&side->ssl) == NULL, "it is kept");
}

static void exchanged(side_t *side, unsigned sent, unsigned wanted)
{
    int error = side_exchange(side, sent, wanted);
    CHECK(error == 0, "%u %u: -0x%04x", sent, wanted, (unsigned)-error);
}

static const unsigned sizes[] = {0, 1, 2, 13, 14, 64, 1400, 8000, 16383, 16384, 16385, 100000};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* Each size both ways; after each exchange no more is held than before it. */
static void exchange(void)
{
    for (unsigned i = 0; i < counts[0]; i++) {
        side_t side;
        opened(&side, true);
        shaken(&side);
        size_t idle = memory.live;
        CHECK(idle < IDLE_MOST, "idle: %zu", idle);
        for (unsigned k = 0; k < SIZES; k++) {
            memory.peak = 0;
            exchanged(&side, sizes[k], sizes[(k * 5 + i) % SIZES]);
            CHECK(memory.live == idle, "%zu, then %zu", idle, memory.live);
            CHECK(memory.peak < idle + 16384 + 100, "one buffer at a time: %zu", memory.peak);
        }
        CHECK(mbedtls_ssl_close_notify(&side.ssl) == 0, "close");
        side_close(&side);
        check_nothing_lives();
    }
}

/* The other end needs many calls for everything, with the buffers kept across them. */
static void chopped(void)
{
    side_t side;
    opened(&side, true);
    side.line.chopped = true;
    shaken(&side);
    size_t idle = memory.live;
    for (unsigned k = 0; k < SIZES; k++) {
        exchanged(&side, sizes[k], sizes[(k * 7 + 3) % SIZES]);
        CHECK(memory.live == idle, "%zu, then %zu", idle, memory.live);
    }
    side_close(&side);
}

/* Bytes of one record are read in parts, while others are written. */
static void parts(void)
{
    side_t side;
    opened(&side, false);
    shaken(&side);
    size_t idle = memory.live;
    const unsigned char request[8] = {0, 0, 0, 0, 0x10, 0x27}; /* 10 000 bytes */
    unsigned char byte;
    CHECK(side_write(&side, request, 8) == 0, "request");
    CHECK(side_read(&side, &byte, 1) == 0, "the first byte");
    CHECK(mbedtls_ssl_get_bytes_avail(&side.ssl) == 9999, "the rest");
    CHECK(memory.live > idle + 9999, "the rest's buffer");
    for (unsigned i = 1; i < 10000; i++) {
        if (i % 1000 == 0) {
            const unsigned char nothing[8] = {0};
            CHECK(side_write(&side, nothing, 8) == 0, "while reading");
        }
        CHECK(side_read(&side, &byte, 1) == 0, "byte %u", i);
        CHECK(byte == (unsigned char)(i * 7 + i / 256), "byte %u", i);
    }
    CHECK(memory.live == idle, "%zu, then %zu", idle, memory.live);
    side_close(&side);
}

static void again(side_t *side)
{
    side_hang_up(side);
    int error = side_again(side, line_connect(port));
    CHECK(error == 0, "-0x%04x", (unsigned)-error);
}

/* counts[0] times on one context; credentials are set again, in two steps, or were never freed. */
static void reconnect(void)
{
    side_t side;
    opened(&side, true);
    shaken(&side);
    size_t idle = memory.live;
    for (unsigned i = 0; i < counts[0]; i++) {
        exchanged(&side, 100, 16384);
        again(&side);
        int error = side_handshake(&side);
        CHECK(error == MBEDTLS_ERR_SSL_CA_CHAIN_REQUIRED, "-0x%04x", (unsigned)-error);
        CHECK(side_authority(&side) == 0, "parse");
        error = side_handshake(&side);
        CHECK(error == MBEDTLS_ERR_SSL_PRIVATE_KEY_REQUIRED, "-0x%04x", (unsigned)-error);
        CHECK(side_own(&side) == 0, "parse");
        bool hands_over = i % 2 == 0;
        CHECK(!hands_over || hs_tls_hand_over(&side.ssl) == 0, "hand over");
        shaken(&side);
        CHECK(hands_over ? memory.live == idle : memory.live > idle + 3000, "%zu", memory.live);
        if (!hands_over) { /* they are still set */
            exchanged(&side, 1, 1);
            again(&side);
            CHECK(hs_tls_hand_over(&side.ssl) == 0, "hand over");
            shaken(&side);
        }
        CHECK(hs_tls_hand_over(&side.ssl) == MBEDTLS_ERR_SSL_BAD_INPUT_DATA, "too late");
    }
    side_close(&side);
}

/* The server closes; then a new context on the configuration that lost its credentials. */
static void closed(void)
{
    side_t side;
    opened(&side, true);
    shaken(&side);
    unsigned char request[8] = {0x5E, 0x10, 0x0C}; /* CLOSE of server.py */
    CHECK(side_write(&side, request, sizeof request) == 0, "request");
    int error = side_read(&side, request, 1);
    CHECK(error == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY, "-0x%04x", (unsigned)-error);
    mbedtls_ssl_free(&side.ssl);
    mbedtls_ssl_init(&side.ssl);
    side_hang_up(&side);
    CHECK(side_begin(&side, line_connect(port)) == 0, "setup");
    error = side_handshake(&side);
    CHECK(error == MBEDTLS_ERR_SSL_CA_CHAIN_REQUIRED, "-0x%04x", (unsigned)-error);
    side_close(&side);
}

/* A byte of a record is not what was sent: the other end learns it. */
static void tampered(void)
{
    side_t side;
    opened(&side, true);
    shaken(&side);
    side.line.flip_at = side.line.received + 100;
    int error = side_exchange(&side, 10, 1000);
    CHECK(error == MBEDTLS_ERR_SSL_INVALID_MAC, "-0x%04x", (unsigned)-error);
    side_close(&side);
}

/* A byte of what is sent is changed: the other end's alert comes. */
static void alerted(void)
{
    side_t side;
    opened(&side, true);
    shaken(&side);
    side.line.flip_sent = true;
    int error = side_exchange(&side, 0, 1);
    CHECK(error == MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE, "-0x%04x", (unsigned)-error);
    side_close(&side);
}

/* The other end wants a certificate, there is none: its alert, unless its hanging up comes first. */
static void refused(void)
{
    side_t side;
    CHECK(side_open(&side, MBEDTLS_SSL_IS_CLIENT, suite) == 0, "configuration");
    CHECK(side_authority(&side) == 0, "authority");
    CHECK(side_begin(&side, line_connect(port)) == 0, "setup");
    int error = side_handshake(&side);
    CHECK(error == MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE || error == MBEDTLS_ERR_SSL_CONN_EOF,
          "-0x%04x", (unsigned)-error);
    side_close(&side);
}

/* Either end asks to renegotiate where the configuration allows it: openssl s_server. */
static void renegotiate(void)
{
    side_t side;
    opened(&side, false);
    mbedtls_ssl_conf_renegotiation(&side.config, MBEDTLS_SSL_RENEGOTIATION_ENABLED);
    shaken(&side);
    size_t idle = memory.live;
    int error = mbedtls_ssl_renegotiate(&side.ssl);
    CHECK(error == MBEDTLS_ERR_SSL_FEATURE_UNAVAILABLE, "-0x%04x", (unsigned)-error);
    CHECK(side_write(&side, (const unsigned char *)"still here\n", 11) == 0, "the connection");
    unsigned char line[6] = {0};
    CHECK(side_read(&side, line, 6) == 0, "a line of the server's");
    CHECK(memcmp(line, "hello\n", 6) == 0, "%.6s", (const char *)line);
    CHECK(side_write(&side, (const unsigned char *)"thanks\n", 7) == 0, "its turn");
    error = side_read(&side, line, 1); /* it asks to renegotiate, and gives up */
    CHECK(error == MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE || error == MBEDTLS_ERR_SSL_CONN_EOF ||
              error == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY,
          "-0x%04x", (unsigned)-error);
    CHECK(memory.live == idle, "%zu, then %zu", idle, memory.live);
    side_close(&side);
}

/* A connection from nothing; 0 or the first error. */
static int connection(void)
{
    side_t side;
    int error = side_open(&side, MBEDTLS_SSL_IS_CLIENT, suite);
    error = error == 0 ? side_credentials(&side) : error;
    int fd = line_connect(port);
    error = error == 0 ? side_begin(&side, fd) : error;
    side.line.fd = fd;
    error = error == 0 ? hs_tls_hand_over(&side.ssl) : error;
    error = error == 0 ? side_handshake(&side) : error;
    error = error == 0 ? side_exchange(&side, 1000, 16384) : error;
    side_close(&side);
    return error;
}

/* From counts[0] on each counts[1]-th request for memory fails, one in each connection, which then
 * ends with an error; or is as it should be, where the library can do without: it asks for a copy of
 * an RSA key's modulus to tell its length, and knows the length without it. */
static void failing(void)
{
    memory.requests = 0;
    CHECK(connection() == 0, "nothing fails");
    const size_t all = memory.requests;
    unsigned built = 0;
    unsigned spared = 0;
    unsigned without = 0;
    for (size_t at = counts[0]; at <= all; at += counts[1]) {
        memory.requests = memory.failed = memory.spared = 0;
        memory.fail_at = at;
        int error = connection();
        CHECK(memory.failed == 1 || error == 0, "request %zu: -0x%04x", at, (unsigned)-error);
        check_nothing_lives();
        without += memory.failed == 1 && error == 0 ? 1u : 0u;
        built += memory.failed == 1 ? 1u : 0u;
        spared += memory.spared == 1 ? 1u : 0u;
    }
    memory.fail_at = 0;
    CHECK(connection() == 0, "memory is there again");
    printf("requests %zu failed %u spared %u without %u\n", all, built, spared, without);
}

/* Every second buffer of a record cannot be had at first: the call is made again, nothing is lost. */
static void scarce(void)
{
    side_t side;
    opened(&side, true);
    shaken(&side);
    memory.fail_from = 1;
    memory.failed = 0;
    for (unsigned k = 0; k < SIZES; k++) {
        exchanged(&side, sizes[k], sizes[(k * 5) % SIZES]);
    }
    CHECK(memory.failed > 2 * SIZES, "%zu", memory.failed);
    memory.fail_from = 0;
    side_close(&side);
}

/* The same on the side of a server, of counts[0] connections. */
static void serves(void)
{
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(listen(listener, 4) == 0, "listen");
    struct sockaddr_storage here;
    socklen_t length = sizeof here;
    CHECK(getsockname(listener, (struct sockaddr *)&here, &length) == 0, "its port");
    const unsigned char *number = (const unsigned char *)&here + 2;
    printf("port %u\n", number[0] << 8 | number[1]);
    CHECK(fflush(stdout) == 0, "told");
    side_t side;
    CHECK(side_open(&side, MBEDTLS_SSL_IS_SERVER, suite) == 0, "configuration");
    CHECK(side_credentials(&side) == 0, "credentials");
    for (unsigned i = 0; i < counts[0]; i++) {
        int fd = accept(listener, NULL, NULL);
        int error = i == 0 ? side_begin(&side, fd) : side_again(&side, fd);
        CHECK(error == 0, "-0x%04x", (unsigned)-error);
        CHECK(hs_tls_hand_over(&side.ssl) == MBEDTLS_ERR_SSL_BAD_INPUT_DATA, "a server needs them");
        shaken(&side);
        size_t idle = memory.live;
        static unsigned char bytes[20000];
        for (unsigned size = 1; size <= 20000; size = size * 3 + 1) {
            CHECK(side_read(&side, bytes, size) == 0, "%u", size);
            CHECK(side_write(&side, bytes, size) == 0, "%u", size);
        }
        CHECK(side_read(&side, bytes, 1) == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY, "close");
        CHECK(memory.live == idle, "%zu, then %zu", idle, memory.live);
        CHECK(mbedtls_ssl_close_notify(&side.ssl) == 0, "close");
        side_hang_up(&side);
    }
    side_close(&side);
    close(listener);
}

/* For a packet a datagram's size would be needed: told at once. */
static void datagrams(void)
{
    side_t side;
    CHECK(side_open(&side, MBEDTLS_SSL_IS_CLIENT, suite) == 0, "configuration");
    mbedtls_ssl_conf_transport(&side.config, MBEDTLS_SSL_TRANSPORT_DATAGRAM);
    int error = mbedtls_ssl_setup(&side.ssl, &side.config);
    CHECK(error == MBEDTLS_ERR_SSL_FEATURE_UNAVAILABLE, "-0x%04x", (unsigned)-error);
    CHECK(hs_tls_hand_over(&side.ssl) == MBEDTLS_ERR_SSL_BAD_INPUT_DATA, "not set up");
    side_close(&side);
}

/* The credentials, for the other end. */
static void credentials(void)
{
    printf("%s%s%s%s%s", mbedtls_test_ca_crt_rsa_sha256, mbedtls_test_srv_crt_rsa_sha256,
           mbedtls_test_srv_key_rsa, mbedtls_test_cli_crt_rsa, mbedtls_test_cli_key_rsa);
}

static const struct {
    const char *name;
    void (*play)(void);
} scenes[] = {
    {"exchange", exchange},       {"chopped", chopped},         {"parts", parts},
    {"closed", closed},           {"reconnect", reconnect},     {"tampered", tampered},
    {"refused", refused},         {"renegotiate", renegotiate}, {"failing", failing},
    {"scarce", scarce},           {"serves", serves},           {"datagrams", datagrams},
    {"credentials", credentials}, {"alerted", alerted},
};

int main(int argc, char **argv)
{
    CHECK(argc >= 3 && argc <= 7, "usage: %s SCENE PORT [SUITE [COUNT...]]", argv[0]);
    memory_use();
    port = argv[2];
    suite = argc > 3 ? mbedtls_ssl_get_ciphersuite_id(argv[3]) : suite;
    CHECK(suite != 0, "suite %s", argv[3]);
    for (int i = 4; i < argc; i++) {
        counts[i - 4] = (unsigned)strtoul(argv[i], NULL, 10);
    }
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        if (strcmp(argv[1], scenes[i].name) == 0) {
            scenes[i].play();
            check_nothing_lives();
            return 0;
        }
    }
    CHECK(false, "no scene %s", argv[1]);
}
