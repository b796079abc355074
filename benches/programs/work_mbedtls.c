/* mbedTLS: client and server of mutually authenticated TLS 1.2 in one program, with two pipes between. */
#include <string.h>

#include "calls.h"
#include "mbedtls/error.h"
#include "mbedtls/platform.h"
#include "mbedtls/ssl_cache.h"
#include "peer.h"
#include "work.h"

#define PIPE 40000u
#define STEPS 200 /* of a handshake; more than any takes */
#define EXCHANGES 12
#define PAYLOAD 16384u
#define ROUNDS 32u /* with the same credentials */
#define RSA_ONE_IN 16u

typedef struct pipe {
    unsigned char bytes[PIPE];
    size_t first, count;
} hs_pipe_t;

typedef struct end {
    hs_pipe_t *out, *in;
    mbedtls_ssl_context ssl;
} end_t;

static hs_pipe_t pipes[2];
static hs_peer_t server, client;
static mbedtls_ssl_cache_context cache;
static mbedtls_ssl_session session;
static bool is_open, has_session;
static hs_keys_t keys;
static unsigned char payload[PAYLOAD], got[PAYLOAD];

static int send_bytes(void *context, const unsigned char *bytes, size_t count)
{
    hs_pipe_t *const out = ((end_t *)context)->out;
    const size_t room = PIPE - out->count;
    count = count < room ? count : room;
    for (size_t i = 0; i < count; i++) {
        out->bytes[(out->first + out->count + i) % PIPE] = bytes[i];
    }
    out->count += count;
    return count != 0 ? (int)count : MBEDTLS_ERR_SSL_WANT_WRITE;
}

static int receive_bytes(void *context, unsigned char *bytes, size_t count)
{
    hs_pipe_t *const in = ((end_t *)context)->in;
    count = count < in->count ? count : in->count;
    for (size_t i = 0; i < count; i++) {
        bytes[i] = in->bytes[(in->first + i) % PIPE];
    }
    in->first = (in->first + count) % PIPE;
    in->count -= count;
    return count != 0 ? (int)count : MBEDTLS_ERR_SSL_WANT_READ;
}

static const char *told(int error)
{
    static char text[32];
    const unsigned code = (unsigned)-error;
    memcpy(text, "mbedTLS -0x", 11);
    for (int i = 0; i < 4; i++) {
        text[11 + i] = "0123456789ABCDEF"[code >> (12 - 4 * i) & 15];
    }
    return text;
}

/* ---- credentials ------------------------------------------------------------------------------ */

static void close_peers(void)
{
    if (is_open) {
        mbedtls_ssl_session_free(&session);
        mbedtls_ssl_cache_free(&cache);
        hs_peer_close(&client);
        hs_peer_close(&server);
        is_open = has_session = false;
    }
}

static int open_peers(uint64_t seed)
{
    close_peers();
    is_open = true;
    mbedtls_ssl_session_init(&session);
    mbedtls_ssl_cache_init(&cache);
    mbedtls_ssl_cache_set_max_entries(&cache, 4);
    const int error = hs_peer_open(&client, true, keys, seed);
    const int other = hs_peer_open(&server, false, keys, ~seed);
    mbedtls_ssl_conf_session_cache(&server.config, &cache, mbedtls_ssl_cache_get,
                                   mbedtls_ssl_cache_set);
    return error != 0 ? error : other;
}

/* ---- connections ------------------------------------------------------------------------------ */

static bool waits(int error)
{
    return error == MBEDTLS_ERR_SSL_WANT_READ || error == MBEDTLS_ERR_SSL_WANT_WRITE;
}

static int shake_hands(end_t *one, end_t *other)
{
    for (int step = 0; step < STEPS; step++) {
        const int first = mbedtls_ssl_handshake(&one->ssl);
        const int second = first == 0 || waits(first) ? mbedtls_ssl_handshake(&other->ssl) : first;
        if (first == 0 && second == 0) {
            return 0;
        }
        if ((first != 0 && !waits(first)) || (second != 0 && !waits(second))) {
            return first != 0 && !waits(first) ? first : second;
        }
    }
    return MBEDTLS_ERR_SSL_TIMEOUT;
}

/* `size` bytes from one side to the other. */
static int carry(end_t *from, end_t *to, size_t size)
{
    int error = hs_peer_write(&from->ssl, payload, size);
    if (error == 0) {
        error = hs_peer_read(&to->ssl, got, size);
    }
    if (error == 0 && memcmp(payload, got, size) != 0) {
        error = MBEDTLS_ERR_SSL_BAD_INPUT_DATA;
    }
    return error;
}

static int set_up(end_t *end, const hs_peer_t *peer, hs_pipe_t *out, hs_pipe_t *in)
{
    end->out = out;
    end->in = in;
    out->count = out->first = 0;
    mbedtls_ssl_set_bio(&end->ssl, end, send_bytes, receive_bytes, NULL);
    return mbedtls_ssl_setup(&end->ssl, &peer->config);
}

static int connect(end_t *here, end_t *there, uint64_t *random)
{
    int error = set_up(here, &client, &pipes[0], &pipes[1]);
    if (error == 0) {
        error = set_up(there, &server, &pipes[1], &pipes[0]);
    }
    if (error == 0) {
        error = mbedtls_ssl_set_hostname(&here->ssl, "localhost");
    }
    if (error == 0 && has_session && work_random(random) % 2 == 0) {
        error = mbedtls_ssl_set_session(&here->ssl, &session);
    }
    if (error == 0) {
        error = shake_hands(here, there);
    }
    for (int i = 0; error == 0 && i < EXCHANGES; i++) {
        const size_t size = 1 + work_random(random) % (1u << (4 + work_random(random) % 11));
        payload[size / 2] = (unsigned char)size;
        error = work_random(random) % 2 == 0 ? carry(here, there, size) : carry(there, here, size);
        work_note(&size, sizeof size);
    }
    if (error == 0) {
        mbedtls_ssl_session_free(&session);
        mbedtls_ssl_session_init(&session);
        error = mbedtls_ssl_get_session(&here->ssl, &session);
        has_session = error == 0;
        (void)mbedtls_ssl_close_notify(&here->ssl);
        (void)mbedtls_ssl_close_notify(&there->ssl);
    }
    return error;
}

const char *work_start(const char *script)
{
    (void)script;
    mbedtls_platform_set_calloc_free(calls_calloc, calls_free);
    return NULL;
}

const char *work_round(uint32_t round)
{
    uint64_t random = round;
    int error = 0;
    if (!is_open || round % ROUNDS == 0) {
        keys = round / ROUNDS % RSA_ONE_IN == 0 ? HS_KEYS_RSA : HS_KEYS_EC;
        error = open_peers(round);
    }
    end_t here, there;
    mbedtls_ssl_init(&here.ssl);
    mbedtls_ssl_init(&there.ssl);
    if (error == 0) {
        error = connect(&here, &there, &random);
    }
    mbedtls_ssl_free(&here.ssl);
    mbedtls_ssl_free(&there.ssl);
    if (error != 0) {
        close_peers();
    }
    return error == 0 ? NULL : told(error);
}

void work_end(void)
{
    close_peers();
}
