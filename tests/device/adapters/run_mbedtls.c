/*
 * mbedTLS on a private heap: a handshake between a client and a server in one process, 16 KB both
 * ways, and the same at every size of a heap: it works, or each side fails cleanly and gives all
 * back.
 */
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/ecp.h>
#include <mbedtls/entropy.h>
#include <mbedtls/pk.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>

#include "adapters/mbedtls.h"
#include "heap_under_test.h"

enum { LINE = 40000, RECORD = 16000 };

typedef struct line {
    unsigned char bytes[LINE];
    size_t from, to;
} line_t;

typedef struct side {
    mbedtls_ssl_context ssl;
    mbedtls_ssl_config config;
    mbedtls_x509_crt certificate;
    mbedtls_pk_context key;
    line_t *in, *out;
} side_t;

static mbedtls_entropy_context entropy;
static mbedtls_ctr_drbg_context random_numbers;
static line_t lines[2];
static side_t client, server;

static int line_send(void *context, const unsigned char *bytes, size_t size)
{
    line_t *line = ((side_t *)context)->out;
    if (line->from == line->to) {
        line->from = line->to = 0;
    }
    size_t room = LINE - line->to;
    size = size < room ? size : room;
    memcpy(line->bytes + line->to, bytes, size);
    line->to += size;
    return size != 0 ? (int)size : MBEDTLS_ERR_SSL_WANT_WRITE;
}

static int line_receive(void *context, unsigned char *bytes, size_t size)
{
    line_t *line = ((side_t *)context)->in;
    size_t there = line->to - line->from;
    size = size < there ? size : there;
    memcpy(bytes, line->bytes + line->from, size);
    line->from += size;
    return size != 0 ? (int)size : MBEDTLS_ERR_SSL_WANT_READ;
}

static void side_init(side_t *side, line_t *in, line_t *out)
{
    mbedtls_ssl_init(&side->ssl);
    mbedtls_ssl_config_init(&side->config);
    mbedtls_x509_crt_init(&side->certificate);
    mbedtls_pk_init(&side->key);
    side->in = in;
    side->out = out;
    in->from = in->to = 0;
}

static void side_free(side_t *side)
{
    mbedtls_ssl_free(&side->ssl);
    mbedtls_ssl_config_free(&side->config);
    mbedtls_x509_crt_free(&side->certificate);
    mbedtls_pk_free(&side->key);
}

/* A key and a certificate that the server signed itself, in DER at the end of `der`; its length, or
 * an error. */
static int make_certificate(mbedtls_pk_context *key, unsigned char *der, size_t size)
{
    mbedtls_x509write_cert maker;
    mbedtls_mpi serial;
    mbedtls_x509write_crt_init(&maker);
    mbedtls_mpi_init(&serial);
    mbedtls_x509write_crt_set_subject_key(&maker, key);
    mbedtls_x509write_crt_set_issuer_key(&maker, key);
    mbedtls_x509write_crt_set_md_alg(&maker, MBEDTLS_MD_SHA256);
    int error = mbedtls_pk_setup(key, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY));
    if (error == 0) {
        error = mbedtls_ecp_gen_key(MBEDTLS_ECP_DP_SECP256R1, mbedtls_pk_ec(*key),
                                    mbedtls_ctr_drbg_random, &random_numbers);
    }
    if (error == 0) {
        error = mbedtls_mpi_lset(&serial, 1);
    }
    if (error == 0) {
        error = mbedtls_x509write_crt_set_serial(&maker, &serial);
    }
    if (error == 0) {
        error = mbedtls_x509write_crt_set_validity(&maker, "20000101000000", "20991231235959");
    }
    if (error == 0) {
        error = mbedtls_x509write_crt_set_subject_name(&maker, "CN=localhost");
    }
    if (error == 0) {
        error = mbedtls_x509write_crt_set_issuer_name(&maker, "CN=localhost");
    }
    if (error == 0) {
        error =
            mbedtls_x509write_crt_der(&maker, der, size, mbedtls_ctr_drbg_random, &random_numbers);
    }
    mbedtls_x509write_crt_free(&maker);
    mbedtls_mpi_free(&serial);
    return error;
}

/* The server makes the certificate, the client trusts in it: opened in this order. */
static int side_open(side_t *side, int endpoint)
{
    static unsigned char der[1000];
    static int length;
    const bool serves = endpoint == MBEDTLS_SSL_IS_SERVER;
    if (serves) {
        length = make_certificate(&side->key, der, sizeof der);
    }
    int error = length < 0 ? length
                           : mbedtls_x509_crt_parse(&side->certificate, der + sizeof der - length,
                                                    (size_t)length);
    if (error == 0) {
        error = mbedtls_ssl_config_defaults(&side->config, endpoint, MBEDTLS_SSL_TRANSPORT_STREAM,
                                            MBEDTLS_SSL_PRESET_DEFAULT);
    }
    if (error == 0 && serves) {
        error = mbedtls_ssl_conf_own_cert(&side->config, &side->certificate, &side->key);
    }
    if (error != 0) {
        return error;
    }
    mbedtls_ssl_conf_max_version(&side->config, MBEDTLS_SSL_MAJOR_VERSION_3,
                                 MBEDTLS_SSL_MINOR_VERSION_3);
    mbedtls_ssl_conf_rng(&side->config, mbedtls_ctr_drbg_random, &random_numbers);
    if (!serves) {
        mbedtls_ssl_conf_ca_chain(&side->config, &side->certificate, NULL);
        mbedtls_ssl_conf_authmode(&side->config, MBEDTLS_SSL_VERIFY_REQUIRED);
    }
    error = mbedtls_ssl_setup(&side->ssl, &side->config);
    if (error == 0 && !serves) {
        error = mbedtls_ssl_set_hostname(&side->ssl, "localhost");
    }
    mbedtls_ssl_set_bio(&side->ssl, side, line_send, line_receive, NULL);
    return error;
}

static bool waits(int status)
{
    return status == MBEDTLS_ERR_SSL_WANT_READ || status == MBEDTLS_ERR_SSL_WANT_WRITE;
}

static int handshake(void)
{
    int one = MBEDTLS_ERR_SSL_WANT_READ;
    int other = MBEDTLS_ERR_SSL_WANT_READ;
    for (int turn = 0; turn < 100 && (waits(one) || waits(other)); turn++) {
        one = waits(one) ? mbedtls_ssl_handshake(&client.ssl) : one;
        if (one != 0 && !waits(one)) {
            return one;
        }
        other = waits(other) ? mbedtls_ssl_handshake(&server.ssl) : other;
        if (other != 0 && !waits(other)) {
            return other;
        }
    }
    CHECK(one == 0 && other == 0, "the handshake does not end");
    CHECK(mbedtls_ssl_get_verify_result(&client.ssl) == 0, "the server's certificate");
    return 0;
}

static int transfer(side_t *from, side_t *to)
{
    static unsigned char sent[RECORD];
    static unsigned char received[RECORD];
    for (size_t i = 0; i < RECORD; i++) {
        sent[i] = (unsigned char)(i * 7 + (size_t)(from == &client));
    }
    int count = mbedtls_ssl_write(&from->ssl, sent, RECORD);
    if (count != RECORD) {
        return count;
    }
    for (size_t at = 0; at < RECORD; at += (size_t)count) {
        count = mbedtls_ssl_read(&to->ssl, received + at, RECORD - at);
        if (count <= 0) {
            return count;
        }
    }
    CHECK(memcmp(sent, received, RECORD) == 0, "other bytes arrived");
    return 0;
}

/* One connection from nothing to nothing; 0, or the first error of either side. */
static int connect_once(void)
{
    mbedtls_entropy_init(&entropy);
    mbedtls_ctr_drbg_init(&random_numbers);
    side_init(&client, &lines[0], &lines[1]);
    side_init(&server, &lines[1], &lines[0]);
    int error = mbedtls_ctr_drbg_seed(&random_numbers, mbedtls_entropy_func, &entropy, NULL, 0);
    error = error != 0 ? error : side_open(&server, MBEDTLS_SSL_IS_SERVER);
    error = error != 0 ? error : side_open(&client, MBEDTLS_SSL_IS_CLIENT);
    error = error != 0 ? error : handshake();
    error = error != 0 ? error : transfer(&client, &server);
    error = error != 0 ? error : transfer(&server, &client);
    side_free(&client);
    side_free(&server);
    mbedtls_ctr_drbg_free(&random_numbers);
    mbedtls_entropy_free(&entropy);
    return error;
}

int main(void)
{
    heap_under_test_t test;
    heap_open(&test, "tls", 200000);
    hs_mbedtls_use(test.heap);
    for (int i = 0; i < 3; i++) {
        int error = connect_once();
        CHECK(error == 0, "-0x%04x", (unsigned)-error);
    }
    hs_private_info_t info = heap_figures(&test);
    /* Two sides with two record buffers of 16 KB each. */
    CHECK(info.peak > 4 * 16384 && info.failures == 0, "peak %zu", info.peak);
    heap_print(&test);
    heap_close(&test);

    unsigned refused = 0;
    unsigned served = 0;
    for (size_t size = 4000; size < info.peak + 12000; size += 3100) {
        heap_open(&test, "small", size);
        hs_mbedtls_use(test.heap);
        int error = connect_once();
        CHECK((error != 0) == (test.reported > 0), "-0x%04x after %u failures", (unsigned)-error,
              (unsigned)test.reported);
        refused += error != 0 ? 1u : 0u;
        served += error == 0 ? 1u : 0u;
        heap_close(&test);
    }
    CHECK(refused > 10 && served > 0, "%u refused, %u served", refused, served);
    hs_mbedtls_use(NULL);
    CHECK(connect_once() != 0, "a connection without a heap");
    return 0;
}
