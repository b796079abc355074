/*
 * lwIP: two interfaces of one stack with a line between them that delays, loses and reorders. Connections
 * and datagrams go from one to the other; both ends take their memory from the same heap.
 */
#include <string.h>

#include "calls.h"
#include "lwip/init.h"
#include "lwip/ip.h"
#include "lwip/netif.h"
#include "lwip/pbuf.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/tcp.h"
#include "lwip/timeouts.h"
#include "lwip/udp.h"
#include "work.h"

#define PORT 5001
#define MTU 1500
#define LINE 64 /* packets under way */
#define CONNECTIONS 6
#define DATAGRAMS 12
#define STREAM_MAX 60000u
#define ROUND_MS 60000u
#define QUIET_STEPS 400 /* until ended connections and parts of datagrams are forgotten */
#define QUIET_MS 50

typedef struct packet {
    struct pbuf *bytes;
    struct netif *to;
    uint32_t due;
} packet_t;

/* One connection, seen from the end that sends. */
typedef struct stream {
    struct tcp_pcb *pcb;
    uint32_t unsent, unacknowledged;
    bool over;
} stream_t;

static struct netif netifs[2];
static packet_t line[LINE];
static stream_t streams[CONNECTIONS];
static struct tcp_pcb *listener;
static struct udp_pcb *ears;
static uint32_t now, lwip_random;
static uint64_t random_state;
static uint64_t heard; /* bytes */
static bool started;

unsigned hs_random(void)
{
    lwip_random = lwip_random * 1103515245u + 12345u;
    return lwip_random >> 8;
}

u32_t sys_now(void)
{
    return now;
}

/* ---- the line --------------------------------------------------------------------------------- */

static err_t on_output(struct netif *netif, struct pbuf *packet, const ip4_addr_t *address)
{
    (void)address;
    if (work_random(&random_state) % 50 == 0) {
        return ERR_OK; /* lost */
    }
    for (int i = 0; i < LINE; i++) {
        if (line[i].bytes == NULL) {
            line[i].bytes = pbuf_clone(PBUF_RAW, PBUF_RAM, packet);
            line[i].to = netif == &netifs[0] ? &netifs[1] : &netifs[0];
            line[i].due = now + 2 + work_random(&random_state) % 12;
            return line[i].bytes != NULL ? ERR_OK : ERR_MEM;
        }
    }
    return ERR_MEM;
}

static void deliver(void)
{
    for (int i = 0; i < LINE; i++) {
        struct pbuf *const bytes = line[i].bytes;
        if (bytes != NULL && line[i].due <= now) {
            line[i].bytes = NULL;
            if (line[i].to->input(bytes, line[i].to) != ERR_OK) {
                pbuf_free(bytes);
            }
        }
    }
}

static err_t on_netif(struct netif *netif)
{
    netif->name[0] = 'l';
    netif->name[1] = 'n';
    netif->mtu = MTU;
    netif->output = on_output;
    return ERR_OK;
}

/* ---- connections ------------------------------------------------------------------------------ */

static void forget(struct tcp_pcb *pcb)
{
    tcp_arg(pcb, NULL);
    tcp_recv(pcb, NULL);
    tcp_sent(pcb, NULL);
    tcp_poll(pcb, NULL, 0);
    tcp_err(pcb, NULL);
}

static void pump(stream_t *stream)
{
    static const uint8_t content[UINT16_MAX];
    const uint32_t room = tcp_sndbuf(stream->pcb);
    const uint32_t size = stream->unsent < room ? stream->unsent : room;
    if (size > 0 && tcp_write(stream->pcb, content, (u16_t)size, TCP_WRITE_FLAG_COPY) == ERR_OK) {
        stream->unsent -= size;
    }
    tcp_output(stream->pcb);
}

static err_t on_sent(void *argument, struct tcp_pcb *pcb, u16_t length)
{
    stream_t *const stream = argument;
    stream->unacknowledged -= length;
    if (stream->unacknowledged != 0) {
        pump(stream);
        return ERR_OK;
    }
    stream->over = true;
    stream->pcb = NULL;
    forget(pcb);
    if (tcp_close(pcb) != ERR_OK) {
        tcp_abort(pcb);
        return ERR_ABRT;
    }
    return ERR_OK;
}

static err_t on_poll(void *argument, struct tcp_pcb *pcb)
{
    (void)pcb;
    pump(argument);
    return ERR_OK;
}

static err_t on_connected(void *argument, struct tcp_pcb *pcb, err_t error)
{
    (void)pcb;
    (void)error;
    pump(argument);
    return ERR_OK;
}

static void on_broken(void *argument, err_t error)
{
    (void)error;
    stream_t *const stream = argument;
    stream->over = true;
    stream->pcb = NULL;
}

static err_t on_heard(void *argument, struct tcp_pcb *pcb, struct pbuf *packet, err_t error)
{
    (void)argument;
    (void)error;
    if (packet != NULL) {
        heard += packet->tot_len;
        tcp_recved(pcb, packet->tot_len);
        pbuf_free(packet);
        return ERR_OK;
    }
    forget(pcb);
    if (tcp_close(pcb) != ERR_OK) {
        tcp_abort(pcb);
        return ERR_ABRT;
    }
    return ERR_OK;
}

static err_t on_accepted(void *argument, struct tcp_pcb *pcb, err_t error)
{
    (void)argument;
    if (pcb == NULL || error != ERR_OK) {
        return ERR_VAL;
    }
    tcp_recv(pcb, on_heard);
    return ERR_OK;
}

static ip_addr_t address_of(int end)
{
    ip_addr_t address;
    IP_ADDR4(&address, 10, 0, (uint8_t)end, 1);
    return address;
}

static void open_stream(stream_t *stream, uint32_t size)
{
    *stream = (stream_t){.unsent = size, .unacknowledged = size};
    stream->pcb = tcp_new();
    const ip_addr_t from = address_of(0), to = address_of(1);
    if (stream->pcb == NULL || tcp_bind(stream->pcb, &from, 0) != ERR_OK) {
        stream->over = true;
    } else {
        tcp_arg(stream->pcb, stream);
        tcp_err(stream->pcb, on_broken);
        tcp_sent(stream->pcb, on_sent);
        tcp_poll(stream->pcb, on_poll, 2);
        stream->over = tcp_connect(stream->pcb, &to, PORT, on_connected) != ERR_OK;
    }
    if (stream->over && stream->pcb != NULL) {
        forget(stream->pcb);
        tcp_abort(stream->pcb);
        stream->pcb = NULL;
    }
}

static void on_datagram(void *argument, struct udp_pcb *pcb, struct pbuf *packet,
                        const ip_addr_t *address, u16_t port)
{
    (void)argument;
    (void)pcb;
    (void)address;
    (void)port;
    heard += packet->tot_len;
    pbuf_free(packet);
}

/* From one end to the other; larger than a packet: in fragments. */
static void say(size_t size)
{
    struct pbuf *const packet = pbuf_alloc(PBUF_TRANSPORT, (u16_t)size, PBUF_RAM);
    struct udp_pcb *const mouth = udp_new();
    const ip_addr_t to = address_of(1);
    if (packet != NULL && mouth != NULL) {
        memset(packet->payload, 's', packet->len);
        (void)udp_sendto(mouth, packet, &to, PORT);
    }
    if (packet != NULL) {
        pbuf_free(packet);
    }
    if (mouth != NULL) {
        udp_remove(mouth);
    }
}

/* ---- rounds ----------------------------------------------------------------------------------- */

static void pass(uint32_t ms)
{
    now += ms;
    deliver();
    sys_check_timeouts();
}

const char *work_start(const char *script)
{
    (void)script;
    lwip_init();
    ip4_addr_t mask;
    IP4_ADDR(&mask, 255, 255, 255, 0);
    for (int end = 0; end < 2; end++) {
        const ip_addr_t own = address_of(end);
        netif_add(&netifs[end], ip_2_ip4(&own), &mask, ip_2_ip4(&own), NULL, on_netif, ip_input);
        netif_set_link_up(&netifs[end]);
        netif_set_up(&netifs[end]);
    }
    struct tcp_pcb *const pcb = tcp_new();
    ears = udp_new();
    if (pcb == NULL || ears == NULL || tcp_bind(pcb, IP4_ADDR_ANY, PORT) != ERR_OK ||
        udp_bind(ears, IP4_ADDR_ANY, PORT) != ERR_OK) {
        return "no memory to begin with";
    }
    udp_recv(ears, on_datagram, NULL);
    listener = tcp_listen(pcb);
    if (listener == NULL) {
        return "no listener";
    }
    tcp_accept(listener, on_accepted);
    started = true;
    return NULL;
}

const char *work_round(uint32_t round)
{
    random_state = round;
    const uint32_t begun = now;
    const uint32_t count = 1 + work_random(&random_state) % CONNECTIONS;
    for (uint32_t i = 0; i < count; i++) {
        open_stream(&streams[i], 1 + work_random(&random_state) % STREAM_MAX);
    }
    uint32_t left = DATAGRAMS;
    for (bool over = false; !over && now - begun < ROUND_MS;) {
        pass(1);
        if (left != 0 && work_random(&random_state) % 8 == 0) {
            left--;
            say(1 + work_random(&random_state) % (1u << (3 + work_random(&random_state) % 10)));
        }
        over = left == 0;
        for (uint32_t i = 0; i < count; i++) {
            over = over && streams[i].over;
        }
    }
    bool broke_off = false;
    for (uint32_t i = 0; i < count; i++) {
        if (streams[i].pcb != NULL) {
            struct tcp_pcb *const pcb = streams[i].pcb;
            streams[i].pcb = NULL;
            forget(pcb);
            tcp_abort(pcb);
            broke_off = true;
        }
    }
    work_note(&heard, sizeof heard);
    work_note(&now, sizeof now);
    return broke_off ? "a connection did not end" : NULL;
}

/* lwIP's own timers stay. */
void work_end(void)
{
    if (!started) {
        return;
    }
    for (int step = 0; step < QUIET_STEPS; step++) {
        pass(QUIET_MS);
    }
    while (tcp_active_pcbs != NULL) {
        forget(tcp_active_pcbs);
        tcp_abort(tcp_active_pcbs);
    }
    for (int step = 0; step < QUIET_STEPS; step++) {
        pass(QUIET_MS);
    }
    (void)tcp_close(listener);
    udp_remove(ears);
    for (int i = 0; i < LINE; i++) {
        if (line[i].bytes != NULL) {
            pbuf_free(line[i].bytes);
            line[i].bytes = NULL;
        }
    }
}
