#include "tls_state.h"

#if defined(MBEDTLS_PLATFORM_C)
#include "mbedtls/platform.h"
#else
#include <stdlib.h>
#define mbedtls_free free
#endif

/* In a configuration: what was set here has been freed. */
static const mbedtls_x509_crt freed;

static bool is_freed(const mbedtls_x509_crt *certificate)
{
    return certificate == &freed;
}

/* The library's structures point to what they do not change as if they did. */
static mbedtls_x509_crt *freed_mark(void)
{
    return (mbedtls_x509_crt *)(uintptr_t)&freed;
}

int hs_tls_hand_over(mbedtls_ssl_context *ssl)
{
    hs_tls_state_t *state = ssl != NULL ? hs_tls_state(ssl) : NULL;
    if (state == NULL || ssl->conf->endpoint != MBEDTLS_SSL_IS_CLIENT ||
        (int)ssl->state > MBEDTLS_SSL_CLIENT_HELLO) {
        return MBEDTLS_ERR_SSL_BAD_INPUT_DATA;
    }
    state->handed_over = true;
    return 0;
}

int hs_tls_check_credentials(const mbedtls_ssl_config *config)
{
    if (is_freed(config->ca_chain)) {
        return MBEDTLS_ERR_SSL_CA_CHAIN_REQUIRED;
    }
    bool gone = config->key_cert != NULL && is_freed(config->key_cert->cert);
    return gone ? MBEDTLS_ERR_SSL_PRIVATE_KEY_REQUIRED : 0;
}

/* Takes the mark out of the way. */
HS_TLS_WRAP(int, mbedtls_ssl_conf_own_cert, mbedtls_ssl_config *config, mbedtls_x509_crt *own,
            mbedtls_pk_context *key)
{
    if (config->key_cert != NULL && is_freed(config->key_cert->cert)) {
        mbedtls_free(config->key_cert);
        config->key_cert = NULL;
    }
    return __real_mbedtls_ssl_conf_own_cert(config, own, key);
}

static void free_peer_certificate(mbedtls_ssl_session *session)
{
#if defined(MBEDTLS_SSL_KEEP_PEER_CERTIFICATE)
    if (session != NULL && session->peer_cert != NULL) {
        mbedtls_x509_crt_free(session->peer_cert);
        mbedtls_free(session->peer_cert);
        session->peer_cert = NULL;
    }
#else
    (void)session; /* the library keeps none */
#endif
}

static void free_authorities(mbedtls_ssl_config *config)
{
    if (config->ca_chain != NULL && !is_freed(config->ca_chain)) {
        mbedtls_x509_crt_free(config->ca_chain);
        config->ca_chain = freed_mark();
    }
}

/* Frees the contents and keeps the list: the library still looks whether there are certificates. */
static void empty_certificates(const mbedtls_ssl_config *config)
{
    for (const mbedtls_ssl_key_cert *one = config->key_cert; one != NULL; one = one->next) {
        if (!is_freed(one->cert)) {
            mbedtls_x509_crt_free(one->cert);
        }
    }
}

/* All but one entry of the list, which is the mark. */
static void free_keys(mbedtls_ssl_config *config)
{
    mbedtls_ssl_key_cert *first = config->key_cert;
    if (first == NULL || is_freed(first->cert)) {
        return;
    }
    for (mbedtls_ssl_key_cert *one = first; one != NULL;) {
        mbedtls_ssl_key_cert *next = one->next;
        mbedtls_pk_free(one->key);
        if (one != first) {
            mbedtls_free(one);
        }
        one = next;
    }
    *first = (mbedtls_ssl_key_cert){.cert = freed_mark()};
}

/* Is it the peer's certificate that what the client sends is encrypted with? */
static bool encrypts_with_certificate(const mbedtls_ssl_handshake_params *handshake)
{
    if (handshake == NULL || handshake->ciphersuite_info == NULL) {
        return false;
    }
    int exchange = handshake->ciphersuite_info->key_exchange;
    return exchange == MBEDTLS_KEY_EXCHANGE_RSA || exchange == MBEDTLS_KEY_EXCHANGE_RSA_PSK;
}

static int last_use_of_peer(const mbedtls_ssl_context *ssl)
{
    if (ssl->conf->endpoint == MBEDTLS_SSL_IS_SERVER) {
        return MBEDTLS_SSL_CERTIFICATE_VERIFY;
    }
    return encrypts_with_certificate(ssl->handshake) ? MBEDTLS_SSL_CLIENT_KEY_EXCHANGE
                                                     : MBEDTLS_SSL_SERVER_KEY_EXCHANGE;
}

void hs_tls_free_used(hs_tls_state_t *state)
{
    mbedtls_ssl_context *ssl = state->ssl;
    const int reached = (int)ssl->state;
    if (reached > last_use_of_peer(ssl)) {
        free_peer_certificate(ssl->session_negotiate);
        free_peer_certificate(ssl->session);
    }
    if (!state->handed_over) {
        return;
    }
    /* The application gave up what its configuration points to. */
    mbedtls_ssl_config *config = (mbedtls_ssl_config *)(uintptr_t)ssl->conf;
    if (reached > MBEDTLS_SSL_SERVER_CERTIFICATE) {
        free_authorities(config);
    }
    if (reached > MBEDTLS_SSL_CLIENT_CERTIFICATE) {
        empty_certificates(config);
    }
    if (reached > MBEDTLS_SSL_CERTIFICATE_VERIFY) {
        free_keys(config);
        state->handed_over = false;
    }
}
