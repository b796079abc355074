#include "peer.h"

#include <string.h>

#include "mbedtls/version.h"
#if MBEDTLS_VERSION_NUMBER < 0x03000000
#include "mbedtls/certs.h"
#else
#include "test/certs.h"
#endif

#include "random.h"

/* The library's test credentials: PEM text, lengths with the terminating zero. */
typedef struct text {
    const char *pem;
    size_t length;
} text_t;

typedef struct credentials {
    text_t authority, certificate, key;
} credentials_t;

#define TEXT(name) ((text_t){mbedtls_test_##name, mbedtls_test_##name##_len})

static credentials_t credentials_of(bool is_client, hs_keys_t keys)
{
    bool rsa = keys == HS_KEYS_RSA;
    credentials_t built = {.authority = rsa ? TEXT(ca_crt_rsa) : TEXT(ca_crt_ec)};
    if (is_client) {
        built.certificate = rsa ? TEXT(cli_crt_rsa) : TEXT(cli_crt_ec);
        built.key = rsa ? TEXT(cli_key_rsa) : TEXT(cli_key_ec);
    } else {
        built.certificate = rsa ? TEXT(srv_crt_rsa) : TEXT(srv_crt_ec);
        built.key = rsa ? TEXT(srv_key_rsa) : TEXT(srv_key_ec);
    }
    return built;
}

/* The server's certificate is in the name of localhost; the year is 2025. */
long hs_fixed_time(long *out)
{
    long now = 1735689600;
    if (out != NULL) {
        *out = now;
    }
    return now;
}

static int parse_certificate(mbedtls_x509_crt *into, text_t text)
{
    return mbedtls_x509_crt_parse(into, (const unsigned char *)text.pem, text.length);
}

static int parse_key(hs_peer_t *peer, text_t text)
{
    const unsigned char *pem = (const unsigned char *)text.pem;
#if MBEDTLS_VERSION_NUMBER < 0x03000000
    return mbedtls_pk_parse_key(&peer->key, pem, text.length, NULL, 0);
#else
    return mbedtls_pk_parse_key(&peer->key, pem, text.length, NULL, 0, hs_random_fill,
                                &peer->random);
#endif
}

static int configure(hs_peer_t *peer, bool is_client)
{
    mbedtls_ssl_config *config = &peer->config;
    int error = mbedtls_ssl_config_defaults(
        config, is_client ? MBEDTLS_SSL_IS_CLIENT : MBEDTLS_SSL_IS_SERVER,
        MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);
    if (error != 0) {
        return error;
    }
    mbedtls_ssl_conf_rng(config, hs_random_fill, &peer->random);
    mbedtls_ssl_conf_authmode(config, MBEDTLS_SSL_VERIFY_REQUIRED);
    return 0;
}

static int parse(hs_peer_t *peer, credentials_t own)
{
    int error = parse_certificate(&peer->authority, own.authority);
    if (error == 0) {
        error = parse_certificate(&peer->certificate, own.certificate);
    }
    return error == 0 ? parse_key(peer, own.key) : error;
}

static int set(hs_peer_t *peer)
{
    mbedtls_ssl_conf_ca_chain(&peer->config, &peer->authority, NULL);
    return mbedtls_ssl_conf_own_cert(&peer->config, &peer->certificate, &peer->key);
}

int hs_peer_set_credentials(hs_peer_t *peer, bool is_client, hs_keys_t keys)
{
    int error = parse(peer, credentials_of(is_client, keys));
    return error == 0 ? set(peer) : error;
}

int hs_peer_open(hs_peer_t *peer, bool is_client, hs_keys_t keys, uint64_t seed)
{
    mbedtls_x509_crt_init(&peer->authority);
    mbedtls_x509_crt_init(&peer->certificate);
    mbedtls_pk_init(&peer->key);
    mbedtls_ssl_config_init(&peer->config);
    peer->random = seed;
    int error = parse(peer, credentials_of(is_client, keys));
    if (error == 0) {
        error = configure(peer, is_client);
    }
    return error == 0 ? set(peer) : error;
}

void hs_peer_close(hs_peer_t *peer)
{
    mbedtls_ssl_config_free(&peer->config);
    mbedtls_pk_free(&peer->key);
    mbedtls_x509_crt_free(&peer->certificate);
    mbedtls_x509_crt_free(&peer->authority);
}

int hs_peer_write(mbedtls_ssl_context *ssl, const void *bytes, size_t count)
{
    const unsigned char *next = bytes;
    while (count > 0) {
        int written = mbedtls_ssl_write(ssl, next, count);
        if (written < 0) {
            return written;
        }
        next += written;
        count -= (size_t)written;
    }
    return 0;
}

int hs_peer_read(mbedtls_ssl_context *ssl, void *bytes, size_t count)
{
    unsigned char *next = bytes;
    while (count > 0) {
        int got = mbedtls_ssl_read(ssl, next, count);
        if (got <= 0) {
            return got < 0 ? got : MBEDTLS_ERR_SSL_CONN_EOF;
        }
        next += got;
        count -= (size_t)got;
    }
    return 0;
}
