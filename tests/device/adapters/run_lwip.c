/*
 * lwIP on a private heap: Debian's library, whose calls of mem_malloc() and the others come to
 * lwip_mem.c here, sends to itself by TCP through pbufs, segments and control blocks that are all on
 * that heap. The stack's task and this one allocate at once, under the heap's lock.
 */
#include <lwip/api.h>
#include <lwip/mem.h>
#include <lwip/netif.h>
#include <lwip/pbuf.h>
#include <lwip/tcpip.h>
#include <pthread.h>

#include "adapters/lwip.h"
#include "heap_under_test.h"

enum { PORT = 4000, PIECE = 1000, PIECES = 400 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t holders[2]; /* tasks that have held it */
static unsigned holder_count;

static void lock(void *context)
{
    (void)context;
    pthread_mutex_lock(&mutex);
    for (unsigned i = 0; i < holder_count; i++) {
        if (pthread_equal(holders[i], pthread_self())) {
            return;
        }
    }
    if (holder_count < 2) {
        holders[holder_count++] = pthread_self();
    }
}

static void unlock(void *context)
{
    (void)context;
    pthread_mutex_unlock(&mutex);
}

static err_t swallow(struct netif *netif, struct pbuf *packet, const ip4_addr_t *to)
{
    (void)netif;
    (void)packet;
    (void)to;
    return ERR_OK;
}

static err_t start(struct netif *netif)
{
    netif->name[0] = 'h';
    netif->name[1] = 's';
    netif->mtu = 1500;
    netif->output = swallow; /* what is for its own address comes back before */
    return ERR_OK;
}

static struct netif netif;
static ip_addr_t address;

static void up(void *done)
{
    ip4_addr_t own, mask, gateway;
    IP4_ADDR(&own, 10, 0, 0, 1);
    IP4_ADDR(&mask, 255, 255, 255, 0);
    IP4_ADDR(&gateway, 10, 0, 0, 2);
    CHECK(netif_add(&netif, &own, &mask, &gateway, NULL, start, tcpip_input) != NULL, "no netif");
    netif_set_default(&netif);
    netif_set_up(&netif);
    netif_set_link_up(&netif);
    ip_addr_copy_from_ip4(address, own);
    sys_sem_signal(done);
}

static uint8_t byte_at(size_t at)
{
    return (uint8_t)(at * 13 + at / 251);
}

static void *send_all(void *argument)
{
    struct netconn *to = argument;
    static uint8_t bytes[PIECE];
    for (size_t at = 0; at < (size_t)PIECE * PIECES; at += PIECE) {
        for (size_t i = 0; i < PIECE; i++) {
            bytes[i] = byte_at(at + i);
        }
        CHECK(netconn_write(to, bytes, PIECE, NETCONN_COPY) == ERR_OK, "write at %zu", at);
    }
    CHECK(netconn_shutdown(to, 0, 1) == ERR_OK, "shutdown");
    return NULL;
}

/* 400 KB from one end of a connection to the other. */
static void transfer(struct netconn *listening)
{
    struct netconn *to = netconn_new(NETCONN_TCP);
    struct netconn *from = NULL;
    CHECK(to != NULL && netconn_connect(to, &address, PORT) == ERR_OK, "connect");
    CHECK(netconn_accept(listening, &from) == ERR_OK, "accept");
    pthread_t sender;
    CHECK(pthread_create(&sender, NULL, send_all, to) == 0, "no thread");
    struct netbuf *received;
    size_t at = 0;
    while (netconn_recv(from, &received) == ERR_OK) {
        do {
            void *data;
            u16_t length;
            CHECK(netbuf_data(received, &data, &length) == ERR_OK, "data");
            for (u16_t i = 0; i < length; i++, at++) {
                CHECK(((uint8_t *)data)[i] == byte_at(at), "byte %zu", at);
            }
        } while (netbuf_next(received) >= 0);
        netbuf_delete(received);
    }
    pthread_join(sender, NULL);
    CHECK(at == (size_t)PIECE * PIECES, "%zu bytes arrived", at);
    netconn_delete(to);
    netconn_delete(from);
}

/* A frame of full length that turns out short gives the rest back, as lwIP expects where it stands. */
static void check_trim(const heap_under_test_t *test)
{
    const size_t before = heap_figures(test).used;
    struct pbuf *frame = pbuf_alloc(PBUF_RAW, 1514, PBUF_RAM);
    CHECK(frame != NULL, "no frame");
    const size_t whole = heap_figures(test).used;
    uint8_t *payload = frame->payload;
    for (size_t i = 0; i < 60; i++) {
        payload[i] = byte_at(i);
    }
    pbuf_realloc(frame, 60);
    const size_t cut = heap_figures(test).used;
    CHECK(whole - before >= 1514, "%zu for a frame", whole - before);
    CHECK(cut - before < 60 + 80, "%zu of %zu are left", cut - before, whole - before);
    CHECK(frame->payload == payload && payload[59] == byte_at(59), "the frame moved");
    pbuf_free(frame);
    CHECK(heap_figures(test).used == before, "the frame is left");
}

static void check_full(heap_under_test_t *test)
{
    struct pbuf *frames[200];
    unsigned count = 0;
    const size_t before = heap_figures(test).used;
    while (count < 200 && (frames[count] = pbuf_alloc(PBUF_RAW, 1514, PBUF_RAM)) != NULL) {
        count++;
    }
    CHECK(count > 20 && count < 200 && test->reported == 1, "%u frames", count);
    CHECK(test->failure.size >= 1514, "%zu bytes failed", test->failure.size);
    while (count > 0) {
        pbuf_free(frames[--count]);
    }
    CHECK(heap_figures(test).used == before, "frames are left");
    CHECK(mem_calloc((mem_size_t)-1 / 2 + 2, 2) == NULL, "2 bytes by overflow");
    const uint8_t *cleared = mem_calloc(10, 100);
    for (size_t i = 0; i < 1000; i++) {
        CHECK(cleared[i] == 0, "byte %zu", i);
    }
    mem_free((void *)(uintptr_t)cleared);
    CHECK(mem_trim(frames, 1) == NULL, "no block is cut");
}

int main(void)
{
    heap_under_test_t test;
    heap_open_locked(&test, "lwip", 300000, lock, unlock);
    hs_lwip_use(test.heap);
    tcpip_init(NULL, NULL);
    sys_sem_t done;
    CHECK(sys_sem_new(&done, 0) == ERR_OK, "no semaphore");
    CHECK(tcpip_callback(up, &done) == ERR_OK, "no callback");
    sys_arch_sem_wait(&done, 0);
    struct netconn *listening = netconn_new(NETCONN_TCP);
    CHECK(listening != NULL && netconn_bind(listening, NULL, PORT) == ERR_OK, "bind");
    CHECK(netconn_listen(listening) == ERR_OK, "listen");
    const size_t idle = heap_figures(&test).used;
    CHECK(idle > 0, "the stack is not on this heap");
    for (int i = 0; i < 4; i++) {
        transfer(listening);
    }
    hs_private_info_t info = heap_figures(&test);
    CHECK(info.failures == 0 && info.peak > idle + 20000, "peak %zu", info.peak);
    CHECK(holder_count == 2, "only one task allocated");
    LOCK_TCPIP_CORE(); /* the stack's timers wait */
    check_trim(&test);
    check_full(&test);
    UNLOCK_TCPIP_CORE();
    heap_print(&test);
    return 0; /* the stack has no end of its own */
}
