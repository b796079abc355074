/*
 * A client that counts the accesses to each of its blocks: bulk SERVER. Receives 1 MB in records of
 * 16 KB over the suite that servers of devices choose. No address is used twice, so that each belongs
 * to one block. The compiler puts a call before each access of the library's (accesses.py says how);
 * copying functions, which the compiler leaves alone, are counted as words of 4 bytes between the
 * single bytes at both ends, which is how a chip's C library moves them.
 *
 * Prints a line for each block: size, from where it was asked for, and for handshake and transfer:
 * reads of 1, 2 and 4 bytes, each at a multiple of its width, and the bytes that copying functions had
 * of them; then the same of writes.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "mbedtls/platform.h"

#include "line.h"
#include "peer.h"

#define ARENA (12u << 20)
#define GRANULE 16u
#define BLOCKS_MAX 65536u
#define RECORD 16384u
#define TRANSFER (1u << 20)

enum { BYTES_1, BYTES_2, BYTES_4, COPIED, KINDS };
enum { READ, WRITTEN, WAYS };
enum { HANDSHAKE, PAYLOAD, PHASES };

typedef struct block {
    uint32_t at, size;
    uintptr_t from;
} block_t;

static unsigned char arena[ARENA] __attribute__((aligned(GRANULE)));
static uint64_t counted[PHASES][ARENA / GRANULE][WAYS][KINDS];
static block_t blocks[BLOCKS_MAX];
static uint32_t block_count, next;
static int phase; /* PHASES: nothing is counted */
static unsigned char payload[RECORD] __attribute__((aligned(GRANULE)));

/* ---- accesses ---- */

static uint64_t *counts_of(const void *address, int way)
{
    uintptr_t at = (uintptr_t)address - (uintptr_t)arena;
    return at < ARENA && phase < PHASES ? counted[phase][at / GRANULE][way] : NULL;
}

static void count_one(const void *address, uint32_t width, int way)
{
    uint64_t *counts = counts_of(address, way);
    if (counts != NULL) {
        counts[width == 1 ? BYTES_1 : width == 2 ? BYTES_2 : BYTES_4]++;
    }
}

static void count_in_units(const unsigned char *at, size_t size, uint32_t unit, int way)
{
    for (size_t i = 0; i < size; i += unit) {
        count_one(at + i, unit, way);
    }
}

static void count_copied(const void *start, size_t size, int way)
{
    const unsigned char *at = start;
    while (size > 0) {
        uint32_t width = (uintptr_t)at % 4 == 0 && size >= 4 ? 4 : 1;
        count_one(at, width, way);
        uint64_t *counts = counts_of(at, way);
        if (counts != NULL) {
            counts[COPIED] += width;
        }
        at += width;
        size -= width;
    }
}

/* The compiler calls these functions by its own names. */
#define ACCESS(width, unit)                                                                        \
    void __asan_load##width(const unsigned char *at);                                              \
    void __asan_store##width(const unsigned char *at);                                             \
    void __asan_load##width(const unsigned char *at)                                               \
    {                                                                                              \
        count_in_units(at, width, unit, READ);                                                     \
    }                                                                                              \
    void __asan_store##width(const unsigned char *at)                                              \
    {                                                                                              \
        count_in_units(at, width, unit, WRITTEN);                                                  \
    }

ACCESS(1, 1)
ACCESS(2, 2)
ACCESS(4, 4)
ACCESS(8, 4)
ACCESS(16, 4)

/* An access that the compiler put together of single bytes, as its processor needs no alignment: a
 * chip that does goes on taking them one by one. */
void __asan_loadN(const unsigned char *at, size_t size);
void __asan_storeN(const unsigned char *at, size_t size);

void __asan_loadN(const unsigned char *at, size_t size)
{
    count_in_units(at, size, 1, READ);
}

void __asan_storeN(const unsigned char *at, size_t size)
{
    count_in_units(at, size, 1, WRITTEN);
}

#define WRAPPED(result, name, ...)                                                                 \
    result __real_##name(__VA_ARGS__);                                                             \
    result __wrap_##name(__VA_ARGS__);                                                             \
    result __wrap_##name(__VA_ARGS__)

WRAPPED(void *, memcpy, void *to, const void *from, size_t size)
{
    count_copied(from, size, READ);
    count_copied(to, size, WRITTEN);
    return __real_memcpy(to, from, size);
}

WRAPPED(void *, memmove, void *to, const void *from, size_t size)
{
    count_copied(from, size, READ);
    count_copied(to, size, WRITTEN);
    return __real_memmove(to, from, size);
}

WRAPPED(void *, memset, void *to, int byte, size_t size)
{
    count_copied(to, size, WRITTEN);
    return __real_memset(to, byte, size);
}

/* ---- blocks ---- */

static void *bump_calloc(size_t count, size_t size)
{
    size_t bytes = count * size;
    if (bytes == 0 || bytes > ARENA - next || block_count == BLOCKS_MAX) {
        return NULL;
    }
    uintptr_t from = (uintptr_t)__builtin_return_address(0);
    blocks[block_count++] = (block_t){.at = next, .size = (uint32_t)bytes, .from = from};
    void *block = arena + next; /* zero from the start; counted as calloc's writing */
    next += ((uint32_t)bytes + GRANULE - 1) / GRANULE * GRANULE;
    count_copied(block, bytes, WRITTEN);
    return block;
}

static void bump_free(void *block)
{
    (void)block;
}

static void print_block(const block_t *block)
{
    uint64_t sums[PHASES][WAYS][KINDS] = {0};
    uint32_t end = (block->at + block->size + GRANULE - 1) / GRANULE;
    for (int i = 0; i < PHASES * WAYS * KINDS; i++) {
        int of = i / (WAYS * KINDS), way = i / KINDS % WAYS, kind = i % KINDS;
        for (uint32_t at = block->at / GRANULE; at < end; at++) {
            sums[of][way][kind] += counted[of][at][way][kind];
        }
    }
    printf("%" PRIu32 " %" PRIxPTR, block->size, block->from);
    for (int i = 0; i < PHASES * WAYS * KINDS; i++) {
        printf(" %" PRIu64, sums[i / (WAYS * KINDS)][i / KINDS % WAYS][i % KINDS]);
    }
    printf("\n");
}

/* ---- the client ---- */

static int receive_all(mbedtls_ssl_context *ssl)
{
    for (uint32_t done = 0; done < TRANSFER; done += RECORD) {
        hs_request_t request = {.sent = 0, .wanted = RECORD};
        int error = hs_peer_write(ssl, &request, sizeof request);
        if (error == 0) {
            error = hs_peer_read(ssl, payload, RECORD);
        }
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

static int run(const char *server)
{
    static const int suites[] = {MBEDTLS_TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, 0};
    hs_peer_t peer;
    hs_line_t line;
    mbedtls_ssl_context ssl;
    mbedtls_ssl_init(&ssl);
    int error = hs_peer_open(&peer, true, HS_KEYS_RSA, 0xC11E47u);
    if (error != 0 || hs_line_open(&line, server, "rsa", 1) != 0) {
        return MBEDTLS_ERR_SSL_INTERNAL_ERROR;
    }
    mbedtls_ssl_conf_ciphersuites(&peer.config, suites);
    error = mbedtls_ssl_setup(&ssl, &peer.config);
    mbedtls_ssl_set_bio(&ssl, &line.fd, hs_line_send, hs_line_receive, NULL);
    if (error == 0) {
        error = mbedtls_ssl_set_hostname(&ssl, "localhost");
    }
    if (error == 0) {
        error = mbedtls_ssl_handshake(&ssl);
    }
    if (error == 0) {
        phase = PAYLOAD;
        error = receive_all(&ssl);
        phase = PHASES;
        mbedtls_ssl_close_notify(&ssl);
    }
    mbedtls_ssl_free(&ssl);
    hs_peer_close(&peer);
    int served = hs_line_close(&line);
    return error == 0 && served != 0 ? MBEDTLS_ERR_SSL_INTERNAL_ERROR : error;
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: %s SERVER\n", arguments[0]);
        return 2;
    }
    mbedtls_platform_set_calloc_free(bump_calloc, bump_free);
    int error = run(arguments[1]);
    if (error != 0) {
        fprintf(stderr, "the transfer failed: -0x%04X\n", (unsigned)-error);
        return 1;
    }
    for (uint32_t i = 0; i < block_count; i++) {
        print_block(&blocks[i]);
    }
    return 0;
}
