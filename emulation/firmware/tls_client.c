/* A task that fetches documents from an HTTPS server, in several sessions, and hands them on. */
#include "tls_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "json_worker.h"
#include "lwip/api.h"
#include "mbedtls/ssl.h"
#include "memory.h"
#include "sampler.h"
#include "test/certs.h"

#define DOCUMENTS 3u /* a session */

/* mbedTLS's view of a connection: what was received and not read yet. */
typedef struct line {
    struct netconn *connection;
    struct pbuf *received;
    u16_t read;
} line_t;

static int send_bytes(void *context, const unsigned char *bytes, size_t count)
{
    line_t *const line = context;
    size_t written = 0;
    const err_t error =
        netconn_write_partly(line->connection, bytes, count, NETCONN_COPY, &written);
    return error == ERR_OK ? (int)written : -1;
}

static int receive_bytes(void *context, unsigned char *bytes, size_t count)
{
    line_t *const line = context;
    if (line->received == NULL) {
        line->read = 0;
        const err_t error = netconn_recv_tcp_pbuf(line->connection, &line->received);
        if (error != ERR_OK) {
            return error == ERR_CLSD ? 0 : -1;
        }
    }
    const u16_t most = count < UINT16_MAX ? (u16_t)count : UINT16_MAX;
    const u16_t got = pbuf_copy_partial(line->received, bytes, most, line->read);
    line->read = (u16_t)(line->read + got);
    if (line->read == line->received->tot_len) {
        pbuf_free(line->received);
        line->received = NULL;
    }
    return got;
}

static int random_bytes(void *context, unsigned char *bytes, size_t count)
{
    (void)context;
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (unsigned char)(network_random() >> 11);
    }
    return 0;
}

static _Noreturn void give_up(const char *what, int error)
{
    printf("%s: %d\n", what, error);
    abort();
}

static bool connect_line(line_t *line)
{
    ip_addr_t server;
    IP_ADDR4(&server, 10, 0, 2, 2); /* the host's loopback, as QEMU's user network shows it */
    *line = (line_t){.connection = netconn_new(NETCONN_TCP)};
    return line->connection != NULL &&
           netconn_connect(line->connection, &server, (u16_t)board_given.port) == ERR_OK;
}

static void close_line(line_t *line)
{
    if (line->received != NULL) {
        pbuf_free(line->received);
    }
    netconn_close(line->connection);
    netconn_delete(line->connection);
}

static void write_all(mbedtls_ssl_context *ssl, const char *text)
{
    const size_t size = strlen(text);
    for (size_t done = 0; done < size;) {
        const int wrote = mbedtls_ssl_write(ssl, (const unsigned char *)text + done, size - done);
        if (wrote <= 0) {
            give_up("TLS write", wrote);
        }
        done += (size_t)wrote;
    }
}

static size_t read_some(mbedtls_ssl_context *ssl, char *into, size_t count)
{
    const int got = mbedtls_ssl_read(ssl, (unsigned char *)into, count);
    if (got <= 0) {
        give_up("TLS read", got);
    }
    return (size_t)got;
}

/* The body of the answer to a GET, as a block; its end is marked by a zero. */
static char *fetch(mbedtls_ssl_context *ssl, uint32_t number)
{
    static const char length_name[] = "Content-Length: ";
    char head[512];
    snprintf(head, sizeof head, "GET /documents/%u HTTP/1.1\r\nHost: localhost\r\n\r\n",
             (unsigned)number);
    write_all(ssl, head);
    size_t had = 0;
    const char *end;
    do {
        had += read_some(ssl, head + had, sizeof head - 1 - had);
        head[had] = 0;
        end = strstr(head, "\r\n\r\n");
    } while (end == NULL && had < sizeof head - 1);
    const char *const length_text = strstr(head, length_name);
    if (end == NULL || length_text == NULL) {
        give_up("answer without its length", (int)had);
    }
    const size_t size = strtoul(length_text + strlen(length_name), NULL, 10);
    char *const body = malloc(size + 1);
    if (body == NULL) {
        give_up("no room for a document", (int)size);
    }
    size_t done = (size_t)(head + had - (end + 4));
    done = done < size ? done : size;
    memcpy(body, end + 4, done);
    while (done < size) {
        done += read_some(ssl, body + done, size - done);
    }
    body[size] = 0;
    return body;
}

static void one_session(const mbedtls_ssl_config *config, uint32_t session)
{
    line_t line;
    mbedtls_ssl_context ssl;
    if (!connect_line(&line)) {
        give_up("no connection", (int)board_given.port);
    }
    mbedtls_ssl_init(&ssl);
    int error = mbedtls_ssl_setup(&ssl, config);
    error = error == 0 ? mbedtls_ssl_set_hostname(&ssl, "localhost") : error;
    mbedtls_ssl_set_bio(&ssl, &line, send_bytes, receive_bytes, NULL);
    error = error == 0 ? mbedtls_ssl_handshake(&ssl) : error;
    if (error != 0) {
        give_up("TLS handshake", error);
    }
    memory_mark("session open");
    sampler_keep_history();
    for (uint32_t i = 0; i < DOCUMENTS; i++) {
        json_worker_take(fetch(&ssl, session * DOCUMENTS + i));
    }
    mbedtls_ssl_close_notify(&ssl);
    mbedtls_ssl_free(&ssl);
    close_line(&line);
    memory_mark("session closed");
}

void tls_client_run(void)
{
    mbedtls_x509_crt authority;
    mbedtls_ssl_config config;
    mbedtls_x509_crt_init(&authority);
    mbedtls_ssl_config_init(&config);
    int error = mbedtls_x509_crt_parse(&authority, (const unsigned char *)mbedtls_test_ca_crt_rsa,
                                       mbedtls_test_ca_crt_rsa_len);
    if (error == 0) {
        error =
            mbedtls_ssl_config_defaults(&config, MBEDTLS_SSL_IS_CLIENT,
                                        MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);
    }
    if (error != 0) {
        give_up("TLS configuration", error);
    }
    mbedtls_ssl_conf_rng(&config, random_bytes, NULL);
    mbedtls_ssl_conf_authmode(&config, MBEDTLS_SSL_VERIFY_REQUIRED);
    mbedtls_ssl_conf_ca_chain(&config, &authority, NULL);
#if FIRMWARE_TLS_IN == 4096 /* the server must know that longer records do not fit */
    mbedtls_ssl_conf_max_frag_len(&config, MBEDTLS_SSL_MAX_FRAG_LEN_4096);
#endif
    for (uint32_t session = 0; session < board_given.sessions; session++) {
        one_session(&config, session);
    }
    mbedtls_ssl_config_free(&config);
    mbedtls_x509_crt_free(&authority);
}
