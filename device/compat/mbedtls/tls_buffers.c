#include "tls_state.h"

#include <string.h>

#include "mbedtls/platform_util.h"

#if defined(MBEDTLS_PLATFORM_C)
#include "mbedtls/platform.h"
#else
#include <stdlib.h>
#define mbedtls_calloc calloc
#define mbedtls_free free
#endif

/* The sizes of a record, as the rest of the library knows them. */
enum {
    IN_MAX = MBEDTLS_SSL_HEADER_LEN + MBEDTLS_SSL_IN_PAYLOAD_LEN,
    OUT_MAX = MBEDTLS_SSL_HEADER_LEN + MBEDTLS_SSL_OUT_PAYLOAD_LEN,
};

const size_t hs_tls_idle_in_size = sizeof(hs_tls_state_t);
const size_t hs_tls_idle_out_size = HS_TLS_IDLE_OUT;

static int receive(void *context, unsigned char *into, size_t size, uint32_t timeout);

hs_tls_state_t *hs_tls_state(const mbedtls_ssl_context *ssl)
{
    return ssl->f_recv_timeout == receive ? ssl->p_bio : NULL;
}

/* ---- buffers ---- */

static void release(unsigned char *buffer, size_t size)
{
    mbedtls_platform_zeroize(buffer, size);
    mbedtls_free(buffer);
}

static void point_in(hs_tls_state_t *state, unsigned char *buffer)
{
    state->ssl->in_buf = buffer;
    state->ssl->in_hdr = buffer + HS_TLS_COUNTER;
    mbedtls_ssl_update_in_pointers(state->ssl);
}

static void point_out(hs_tls_state_t *state, unsigned char *buffer)
{
    state->ssl->out_buf = buffer;
    state->ssl->out_hdr = buffer + HS_TLS_COUNTER;
    mbedtls_ssl_update_out_pointers(state->ssl, state->ssl->transform_out);
}

/* A buffer for `size` bytes in all, of which counter and header are there already. */
static int begin_in(hs_tls_state_t *state, size_t size)
{
    if (state->in_size != 0 || size <= HS_TLS_IDLE_IN || size > IN_MAX) {
        return 0; /* it fits, or the library refuses the header */
    }
    unsigned char *buffer = mbedtls_calloc(1, size);
    if (buffer == NULL) {
        return MBEDTLS_ERR_SSL_ALLOC_FAILED;
    }
    memcpy(buffer, state->idle_in, HS_TLS_IDLE_IN);
    state->in_size = size;
    point_in(state, buffer);
    return 0;
}

/* The content has been used up. */
static void end_in(hs_tls_state_t *state)
{
    if (state->in_size != 0) {
        unsigned char *buffer = state->ssl->in_buf;
        memcpy(state->idle_in, buffer, HS_TLS_COUNTER);
        point_in(state, state->idle_in);
        release(buffer, state->in_size);
        state->in_size = 0;
    }
}

static int begin_out(hs_tls_state_t *state, size_t size)
{
    if (state->out_size != 0) {
        return 0; /* part of it is still to be sent */
    }
    unsigned char *buffer = mbedtls_calloc(1, size);
    if (buffer == NULL) {
        return MBEDTLS_ERR_SSL_ALLOC_FAILED;
    }
    state->out_size = size;
    point_out(state, buffer); /* the counter that is sent is not the buffer's: cur_out_ctr */
    return 0;
}

static void end_out(hs_tls_state_t *state)
{
    if (state->out_size != 0) {
        unsigned char *buffer = state->ssl->out_buf;
        point_out(state, state->idle_out);
        release(buffer, state->out_size);
        state->out_size = 0;
    }
}

/* After a call of the library's that returned `status`: what is not in use any more goes. */
static void settle(hs_tls_state_t *state, int status)
{
    mbedtls_ssl_context *ssl = state->ssl;
    bool halfway =
        status == MBEDTLS_ERR_SSL_CRYPTO_IN_PROGRESS || status == MBEDTLS_ERR_SSL_ASYNC_IN_PROGRESS;
    if (halfway) {
        return;
    }
    if (ssl->out_left == 0) {
        end_out(state);
    }
    bool more = ssl->in_hslen != 0 && ssl->in_hslen < ssl->in_msglen;
    if (ssl->in_left == 0 && ssl->in_offt == NULL && !ssl->keep_current_message && !more) {
        ssl->in_hslen = 0; /* consumed, as the library's next read would find */
        ssl->in_msglen = 0;
        end_in(state);
    }
}

/* ---- the line ---- */

static int send(void *context, const unsigned char *from, size_t size)
{
    hs_tls_state_t *state = context;
    return state->send != NULL ? state->send(state->line, from, size)
                               : MBEDTLS_ERR_SSL_BAD_INPUT_DATA;
}

static int receive_from_line(const hs_tls_state_t *state, unsigned char *into, size_t size,
                             uint32_t timeout)
{
    if (state->receive_timeout != NULL) {
        return state->receive_timeout(state->line, into, size, timeout);
    }
    return state->receive != NULL ? state->receive(state->line, into, size)
                                  : MBEDTLS_ERR_SSL_BAD_INPUT_DATA;
}

static size_t record_size(const unsigned char *header)
{
    return (size_t)HS_TLS_IDLE_IN + ((size_t)header[3] << 8 | header[4]);
}

/*
 * The library first asks for a header, then for the content, and looks up after each answer where its
 * buffer is. So this is where a record begins: once the header is complete its length is known, and
 * whatever was read before has been used up.
 */
static int receive(void *context, unsigned char *into, size_t size, uint32_t timeout)
{
    hs_tls_state_t *state = context;
    const size_t before = state->ssl->in_left;
    if (before >= HS_TLS_HEADER) {
        return receive_from_line(state, into, size, timeout);
    }
    if (state->held == 0) {
        if (before == 0) {
            end_in(state);
        }
        int got = receive_from_line(state, state->ssl->in_hdr + before, size, timeout);
        if (got <= 0 || (size_t)got > HS_TLS_HEADER - before) {
            return got; /* the library knows what to make of it */
        }
        state->held = (unsigned char)got;
    }
    if (before + state->held == HS_TLS_HEADER) {
        int error = begin_in(state, record_size(state->ssl->in_hdr));
        if (error != 0) {
            return error;
        }
    }
    int got = state->held;
    state->held = 0;
    return got;
}

/* ---- contexts ---- */

HS_TLS_WRAP(void, mbedtls_ssl_set_bio, mbedtls_ssl_context *ssl, void *line,
            mbedtls_ssl_send_t *to_line, mbedtls_ssl_recv_t *from_line,
            mbedtls_ssl_recv_timeout_t *from_line_timeout)
{
    hs_tls_state_t *state = hs_tls_state(ssl);
    if (state == NULL) {
        __real_mbedtls_ssl_set_bio(ssl, line, to_line, from_line, from_line_timeout);
        return;
    }
    state->line = line;
    state->send = to_line;
    state->receive = from_line;
    state->receive_timeout = from_line_timeout;
}

HS_TLS_WRAP(int, mbedtls_ssl_setup, mbedtls_ssl_context *ssl, const mbedtls_ssl_config *config)
{
    if (config->transport != MBEDTLS_SSL_TRANSPORT_STREAM || !hs_tls_idle_included) {
        return MBEDTLS_ERR_SSL_FEATURE_UNAVAILABLE;
    }
    int error = __real_mbedtls_ssl_setup(ssl, config);
    if (error != 0) {
        return error;
    }
    hs_tls_state_t *state = (hs_tls_state_t *)(void *)ssl->in_buf;
    state->ssl = ssl;
    state->idle_out = ssl->out_buf;
    state->line = ssl->p_bio;
    state->send = ssl->f_send;
    state->receive = ssl->f_recv;
    state->receive_timeout = ssl->f_recv_timeout;
    __real_mbedtls_ssl_set_bio(ssl, state, send, NULL, receive);
    return 0;
}

HS_TLS_WRAP(int, mbedtls_ssl_session_reset, mbedtls_ssl_context *ssl)
{
    hs_tls_state_t *state = hs_tls_state(ssl);
    if (state == NULL) {
        return __real_mbedtls_ssl_session_reset(ssl);
    }
    end_in(state);
    end_out(state);
    hs_tls_state_t kept = *state; /* the library clears its buffers */
    int error = __real_mbedtls_ssl_session_reset(ssl);
    memset(kept.idle_in, 0, sizeof kept.idle_in);
    kept.held = 0;
    kept.handed_over = false;
    *state = kept;
    return error;
}

HS_TLS_WRAP(void, mbedtls_ssl_free, mbedtls_ssl_context *ssl)
{
    hs_tls_state_t *state = ssl != NULL ? hs_tls_state(ssl) : NULL;
    if (state != NULL) {
        end_in(state);
        end_out(state);
    }
    __real_mbedtls_ssl_free(ssl);
}

/* ---- records ---- */

HS_TLS_WRAP(int, mbedtls_ssl_read, mbedtls_ssl_context *ssl, unsigned char *into, size_t size)
{
    int got = __real_mbedtls_ssl_read(ssl, into, size);
    hs_tls_state_t *state = ssl != NULL ? hs_tls_state(ssl) : NULL;
    if (state != NULL) {
        settle(state, got);
    }
    return got;
}

static int begin_write(hs_tls_state_t *state, size_t size)
{
    int most = mbedtls_ssl_get_max_out_record_payload(state->ssl);
    int around = mbedtls_ssl_get_record_expansion(state->ssl);
    if (most < 0 || around < 0) {
        return most < 0 ? most : around;
    }
    size_t content = size < (size_t)most ? size : (size_t)most;
    return begin_out(state, HS_TLS_COUNTER + (size_t)around + content);
}

HS_TLS_WRAP(int, mbedtls_ssl_write, mbedtls_ssl_context *ssl, const unsigned char *from,
            size_t size)
{
    hs_tls_state_t *state = ssl != NULL ? hs_tls_state(ssl) : NULL;
    if (state == NULL) {
        return __real_mbedtls_ssl_write(ssl, from, size);
    }
    int done = 0;
    if (ssl->state != MBEDTLS_SSL_HANDSHAKE_OVER) { /* as the library's own does first */
        done = mbedtls_ssl_handshake(ssl);
    }
    if (done == 0 && ssl->out_left != 0 && state->out_size == 0) {
        done = mbedtls_ssl_flush_output(ssl); /* an alert, in the idle buffer */
    }
    if (done == 0) {
        done = begin_write(state, size);
    }
    if (done == 0) {
        done = __real_mbedtls_ssl_write(ssl, from, size);
    }
    settle(state, done);
    return done;
}

/* ---- handshake ---- */

static bool is_written(const mbedtls_ssl_context *ssl)
{
    const bool client = ssl->conf->endpoint == MBEDTLS_SSL_IS_CLIENT;
    switch ((int)ssl->state) {
    case MBEDTLS_SSL_CLIENT_HELLO:
    case MBEDTLS_SSL_CLIENT_CERTIFICATE:
    case MBEDTLS_SSL_CLIENT_KEY_EXCHANGE:
    case MBEDTLS_SSL_CERTIFICATE_VERIFY:
    case MBEDTLS_SSL_CLIENT_CHANGE_CIPHER_SPEC:
    case MBEDTLS_SSL_CLIENT_FINISHED:
        return client;
    case MBEDTLS_SSL_SERVER_HELLO:
    case MBEDTLS_SSL_SERVER_CERTIFICATE:
    case MBEDTLS_SSL_SERVER_KEY_EXCHANGE:
    case MBEDTLS_SSL_CERTIFICATE_REQUEST:
    case MBEDTLS_SSL_SERVER_HELLO_DONE:
    case MBEDTLS_SSL_SERVER_CHANGE_CIPHER_SPEC:
    case HS_TLS_NEW_TICKET:
    case MBEDTLS_SSL_SERVER_FINISHED:
        return !client;
    default:
        return false;
    }
}

static int before_step(hs_tls_state_t *state)
{
    mbedtls_ssl_context *ssl = state->ssl;
    int error = 0;
    if (ssl->out_left != 0) {
        error = mbedtls_ssl_flush_output(ssl);
    } else if ((int)ssl->state <= MBEDTLS_SSL_CLIENT_HELLO) {
        error = hs_tls_check_credentials(ssl->conf);
    }
    if (error == 0 && is_written(ssl)) {
        error = begin_out(state, OUT_MAX);
    } else if (error == 0) {
        end_out(state);
    }
    return error;
}

static int step(mbedtls_ssl_context *ssl, int (*library)(mbedtls_ssl_context *))
{
    hs_tls_state_t *state = hs_tls_state(ssl);
    if (state == NULL) {
        return library(ssl);
    }
    int status = before_step(state);
    if (status == 0) {
        status = library(ssl);
        settle(state, status);
        hs_tls_free_used(state);
    }
    return status;
}

#if defined(MBEDTLS_SSL_CLI_C)
HS_TLS_WRAP(int, mbedtls_ssl_handshake_client_step, mbedtls_ssl_context *ssl)
{
    return step(ssl, __real_mbedtls_ssl_handshake_client_step);
}
#endif

#if defined(MBEDTLS_SSL_CLI_C) && MBEDTLS_VERSION_NUMBER >= 0x03000000 /* there not one of those */
HS_TLS_WRAP(int, mbedtls_ssl_write_client_hello, mbedtls_ssl_context *ssl)
{
    return step(ssl, __real_mbedtls_ssl_write_client_hello);
}
#endif

#if defined(MBEDTLS_SSL_SRV_C)
HS_TLS_WRAP(int, mbedtls_ssl_handshake_server_step, mbedtls_ssl_context *ssl)
{
    return step(ssl, __real_mbedtls_ssl_handshake_server_step);
}
#endif

/* ---- renegotiation: what it would need has been freed ---- */

#if defined(MBEDTLS_SSL_RENEGOTIATION)
HS_TLS_WRAP(int, mbedtls_ssl_renegotiate, mbedtls_ssl_context *ssl)
{
    bool ours = ssl != NULL && hs_tls_state(ssl) != NULL;
    return ours ? MBEDTLS_ERR_SSL_FEATURE_UNAVAILABLE : __real_mbedtls_ssl_renegotiate(ssl);
}

/* The peer asks for it, and the configuration allows it. */
HS_TLS_WRAP(int, mbedtls_ssl_start_renegotiation, mbedtls_ssl_context *ssl)
{
    if (hs_tls_state(ssl) == NULL) {
        return __real_mbedtls_ssl_start_renegotiation(ssl);
    }
    return mbedtls_ssl_send_alert_message(ssl, MBEDTLS_SSL_ALERT_LEVEL_WARNING,
                                          MBEDTLS_SSL_ALERT_MSG_NO_RENEGOTIATION);
}
#endif
