#include "endpoint.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mbedtls/certs.h"
#include "mbedtls/platform.h"

/* ---- memory ---- */

memory_t memory;

typedef struct header {
    size_t size, filler;
} header_t;

/* Is it asked for where 2.28 looks at no result, and reads from NULL (mbedtls_mpi_exp_mod)? */
static bool is_spared(void)
{
    void *frames[16];
    int depth = backtrace(frames, 16);
    for (int i = 0; i < depth; i++) {
        Dl_info match;
        if (dladdr(frames[i], &match) != 0 && match.dli_sname != NULL &&
            strcmp(match.dli_sname, "mbedtls_mpi_get_mont_r2_unsafe") == 0) {
            return true;
        }
    }
    return false;
}

static bool refused(size_t size)
{
    static unsigned large;
    memory.requests++;
    bool now = memory.requests == memory.fail_at;
    if (now && is_spared()) {
        memory.spared++;
        return false;
    }
    if (memory.fail_from != 0 && size >= memory.fail_from) {
        now = now || large++ % 2 == 0;
    }
    memory.failed += now ? 1 : 0;
    return now;
}

static void *take(size_t count, size_t size)
{
    header_t *block = refused(count * size) ? NULL : calloc(1, sizeof *block + count * size);
    if (block == NULL) {
        return NULL;
    }
    block->size = count * size;
    memory.live += block->size;
    memory.peak = memory.live > memory.peak ? memory.live : memory.peak;
    return block + 1;
}

static void give(void *bytes)
{
    if (bytes != NULL) {
        header_t *block = (header_t *)bytes - 1;
        memory.live -= block->size;
        free(block);
    }
}

void memory_use(void)
{
    CHECK(mbedtls_platform_set_calloc_free(take, give) == 0, "the hooks");
}

/* ---- the line ---- */

int line_connect(const char *port)
{
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(fd >= 0, "a socket");
    CHECK(connect(fd, (struct sockaddr *)&there, sizeof there) == 0, "port %s", port);
    return fd;
}

static size_t chop(line_t *line, size_t size)
{
    size_t some = 1 + line->turn * 37 % 700;
    return line->chopped && size > some ? some : size;
}

static int line_send(void *context, const unsigned char *bytes, size_t size)
{
    line_t *line = context;
    if (line->chopped && line->turn++ % 2 == 0) {
        return MBEDTLS_ERR_SSL_WANT_WRITE;
    }
    static unsigned char changed[1 << 15];
    if (line->flip_sent && size <= sizeof changed) {
        memcpy(changed, bytes, size);
        changed[size - 1] ^= 1;
        bytes = changed;
    }
    ssize_t sent = send(line->fd, bytes, chop(line, size), MSG_NOSIGNAL);
    return sent < 0 ? MBEDTLS_ERR_SSL_CONN_EOF : (int)sent;
}

static int line_receive(void *context, unsigned char *bytes, size_t size)
{
    line_t *line = context;
    if (line->chopped && line->turn++ % 2 == 0) {
        return MBEDTLS_ERR_SSL_WANT_READ;
    }
    ssize_t got = recv(line->fd, bytes, chop(line, size), 0);
    if (got > 0 && line->flip_at >= line->received && line->flip_at < line->received + got) {
        bytes[line->flip_at - line->received] ^= 1;
    }
    line->received += got > 0 ? got : 0;
    return got < 0 ? 0 : (int)got;
}

/* ---- sides ---- */

static int fill(void *state, unsigned char *out, size_t size)
{
    check_random_t *random = state;
    for (size_t i = 0; i < size; i++) {
        out[i] = (unsigned char)check_next(random);
    }
    return 0;
}

static check_random_t numbers;

int side_open(side_t *side, int endpoint, int suite)
{
    *side = (side_t){.suites = {suite}, .line = {.fd = -1, .flip_at = -1}};
    numbers.state = 20240607; /* so that connections ask for the same blocks */
    mbedtls_ssl_init(&side->ssl);
    mbedtls_ssl_config_init(&side->config);
    mbedtls_x509_crt_init(&side->authority);
    mbedtls_x509_crt_init(&side->certificate);
    mbedtls_pk_init(&side->key);
    int error = mbedtls_ssl_config_defaults(&side->config, endpoint, MBEDTLS_SSL_TRANSPORT_STREAM,
                                            MBEDTLS_SSL_PRESET_DEFAULT);
    mbedtls_ssl_conf_rng(&side->config, fill, &numbers);
    mbedtls_ssl_conf_authmode(&side->config, MBEDTLS_SSL_VERIFY_REQUIRED);
    mbedtls_ssl_conf_ciphersuites(&side->config, side->suites);
    return error;
}

int side_authority(side_t *side)
{
    const unsigned char *text = (const unsigned char *)mbedtls_test_ca_crt_rsa_sha256;
    int error = mbedtls_x509_crt_parse(&side->authority, text, strlen((const char *)text) + 1);
    mbedtls_ssl_conf_ca_chain(&side->config, &side->authority, NULL);
    return error;
}

int side_own(side_t *side)
{
    bool client = side->config.endpoint == MBEDTLS_SSL_IS_CLIENT;
    const char *certificate = client ? mbedtls_test_cli_crt_rsa : mbedtls_test_srv_crt_rsa_sha256;
    const char *key = client ? mbedtls_test_cli_key_rsa : mbedtls_test_srv_key_rsa;
    int error = mbedtls_x509_crt_parse(&side->certificate, (const unsigned char *)certificate,
                                       strlen(certificate) + 1);
    if (error == 0) {
        error =
            mbedtls_pk_parse_key(&side->key, (const unsigned char *)key, strlen(key) + 1, NULL, 0);
    }
    return error == 0 ? mbedtls_ssl_conf_own_cert(&side->config, &side->certificate, &side->key)
                      : error;
}

int side_credentials(side_t *side)
{
    int error = side_authority(side);
    return error == 0 ? side_own(side) : error;
}

void side_close(side_t *side)
{
    mbedtls_ssl_free(&side->ssl);
    mbedtls_ssl_config_free(&side->config);
    mbedtls_pk_free(&side->key);
    mbedtls_x509_crt_free(&side->certificate);
    mbedtls_x509_crt_free(&side->authority);
    side_hang_up(side);
}

static void on_line(side_t *side, int fd)
{
    side->line.fd = fd;
    side->line.received = 0;
    mbedtls_ssl_set_bio(&side->ssl, &side->line, line_send, line_receive, NULL);
}

int side_begin(side_t *side, int fd)
{
    on_line(side, fd);
    int error = mbedtls_ssl_setup(&side->ssl, &side->config);
    if (error == 0 && side->config.endpoint == MBEDTLS_SSL_IS_CLIENT) {
        error = mbedtls_ssl_set_hostname(&side->ssl, "localhost");
    }
    return error;
}

int side_again(side_t *side, int fd)
{
    on_line(side, fd);
    return mbedtls_ssl_session_reset(&side->ssl);
}

void side_hang_up(side_t *side)
{
    if (side->line.fd >= 0) {
        close(side->line.fd);
        side->line.fd = -1;
    }
}

/* Worth another call: it would have blocked, or memory may be there by now. */
static bool again(int status)
{
    return status == MBEDTLS_ERR_SSL_WANT_READ || status == MBEDTLS_ERR_SSL_WANT_WRITE ||
           (status == MBEDTLS_ERR_SSL_ALLOC_FAILED && memory.fail_from != 0);
}

int side_handshake(side_t *side)
{
    int status;
    do { /* until the line has moved on */
        status = mbedtls_ssl_handshake(&side->ssl);
    } while (again(status));
    return status;
}

int side_write(side_t *side, const unsigned char *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        int status = mbedtls_ssl_write(&side->ssl, bytes + done, size - done);
        if (status < 0 && !again(status)) {
            return status;
        }
        done += status > 0 ? (size_t)status : 0;
    }
    return 0;
}

int side_read(side_t *side, unsigned char *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        int status = mbedtls_ssl_read(&side->ssl, bytes + done, size - done);
        if (status == 0 || (status < 0 && !again(status))) {
            return status == 0 ? MBEDTLS_ERR_SSL_CONN_EOF : status;
        }
        done += status > 0 ? (size_t)status : 0;
    }
    return 0;
}

static unsigned char pattern(size_t i)
{
    return (unsigned char)(i * 7 + i / 256);
}

int side_exchange(side_t *side, unsigned sent, unsigned wanted)
{
    static unsigned char bytes[1 << 17];
    CHECK(sent <= sizeof bytes && wanted <= sizeof bytes, "%u %u", sent, wanted);
    unsigned char request[8];
    for (unsigned i = 0; i < 8; i++) {
        request[i] = (unsigned char)((i < 4 ? sent : wanted) >> i % 4 * 8);
    }
    for (size_t i = 0; i < sent; i++) {
        bytes[i] = pattern(i);
    }
    int error = side_write(side, request, sizeof request);
    if (error == 0) {
        error = side_write(side, bytes, sent);
    }
    if (error == 0) {
        error = side_read(side, bytes, wanted);
    }
    for (size_t i = 0; error == 0 && i < wanted; i++) {
        CHECK(bytes[i] == pattern(i), "byte %zu of %u", i, wanted);
    }
    return error;
}
