#include "stack.h"

#include "knobs.h"
#include "lwip/init.h"
#include "lwip/ip.h"
#include "lwip/netif.h"
#include "lwip/pbuf.h"
#include "lwip/tcp.h"
#include "lwip/timeouts.h"
#include "lwip/udp.h"

#define PORT 5001 /* and those after it, one for each phase */
#define MICROSECOND UINT64_C(1000)
#define MILLISECOND UINT64_C(1000000)
#define WAITING 256 /* packets; a window is of fewer */

unsigned short hs_window, hs_send_buffer, hs_segment, hs_out_of_order;

static struct {
    bool device;
    bool (*output)(struct pbuf *packet);
    struct netif netif;
    struct udp_pcb *datagrams;
    uint64_t now;
    unsigned random;
    /* of the phase */
    hs_phase_t phase;
    uint32_t unsent, unacknowledged;
    hs_stack_state_t state;
} stack;

/* Packets that have come and are not read yet, the oldest first. */
static struct {
    struct tcp_pcb *pcb;
    bool ended; /* nothing comes after it */
    uint32_t first, count;
    struct {
        struct pbuf *packet;
        uint64_t time; /* when it is read */
    } waiting[WAITING];
} unread;

static const uint8_t content[HS_DATAGRAM_OUT];

unsigned hs_random(void)
{
    stack.random = stack.random * 1103515245u + 12345u;
    return stack.random >> 8;
}

u32_t sys_now(void)
{
    return (u32_t)(stack.now / MILLISECOND);
}

/* ---- transfers --------------------------------------------------------------------------------- */

static void finish(struct tcp_pcb *pcb)
{
    tcp_recv(pcb, NULL);
    tcp_sent(pcb, NULL);
    tcp_poll(pcb, NULL, 0);
    tcp_err(pcb, NULL);
    if (tcp_close(pcb) != ERR_OK) {
        tcp_abort(pcb);
        stack.state.failed = true;
    }
    stack.state.closed = true;
}

/* Writes as much as the send buffer takes, as a blocking write does. */
static void pump(struct tcp_pcb *pcb)
{
    static const uint8_t zeros[UINT16_MAX];
    uint32_t room = tcp_sndbuf(pcb);
    uint32_t now = stack.unsent < room ? stack.unsent : room;
    if (now > 0 && tcp_write(pcb, zeros, (u16_t)now, TCP_WRITE_FLAG_COPY) == ERR_OK) {
        stack.unsent -= now;
    }
    tcp_output(pcb);
}

static err_t on_sent(void *argument, struct tcp_pcb *pcb, u16_t length)
{
    (void)argument;
    stack.unacknowledged -= length;
    if (stack.unacknowledged == 0) {
        finish(pcb);
    } else {
        pump(pcb);
    }
    return ERR_OK;
}

static err_t on_poll(void *argument, struct tcp_pcb *pcb)
{
    (void)argument;
    if (stack.unacknowledged > 0) {
        pump(pcb);
    }
    return ERR_OK;
}

/* The application reads what is due. */
static void read_due(void)
{
    while (unread.count > 0 && unread.waiting[unread.first].time <= stack.now) {
        struct pbuf *packet = unread.waiting[unread.first].packet;
        unread.first = (unread.first + 1) % WAITING;
        unread.count--;
        stack.state.received += packet->tot_len;
        tcp_recved(unread.pcb, packet->tot_len);
        pbuf_free(packet);
    }
    if (unread.ended && unread.count == 0) {
        unread.ended = false;
        finish(unread.pcb);
    }
}

static err_t on_received(void *argument, struct tcp_pcb *pcb, struct pbuf *packet, err_t error)
{
    (void)argument;
    (void)error;
    unread.pcb = pcb;
    if (packet == NULL) {
        unread.ended = true;
    } else if (unread.count == WAITING) {
        return ERR_MEM; /* lwIP keeps it and asks again */
    } else {
        uint32_t place = (unread.first + unread.count++) % WAITING;
        unread.waiting[place].packet = packet;
        unread.waiting[place].time =
            stack.now + (stack.device ? hs_knobs.read_us : 0) * MICROSECOND;
    }
    read_due();
    return ERR_OK;
}

static void on_error(void *argument, err_t error)
{
    (void)argument;
    (void)error;
    stack.state.closed = stack.state.failed = true;
}

static bool sends(void)
{
    return stack.device == (stack.phase == HS_TCP_TX || stack.phase == HS_UDP_TX);
}

static err_t on_open(void *argument, struct tcp_pcb *pcb, err_t error)
{
    (void)argument;
    (void)error;
    tcp_recv(pcb, on_received);
    tcp_err(pcb, on_error);
    tcp_nagle_disable(pcb);
    if (sends()) {
        tcp_sent(pcb, on_sent);
        tcp_poll(pcb, on_poll, 1);
        pump(pcb);
    }
    return ERR_OK;
}

static void on_datagram(void *argument, struct udp_pcb *pcb, struct pbuf *packet,
                        const ip_addr_t *address, u16_t port)
{
    (void)argument;
    (void)pcb;
    (void)address;
    (void)port;
    stack.state.received += packet->tot_len;
    pbuf_free(packet);
}

/* ---- the stack --------------------------------------------------------------------------------- */

static err_t on_output(struct netif *netif, struct pbuf *packet, const ip4_addr_t *address)
{
    (void)netif;
    (void)address;
    return stack.output(packet) ? ERR_OK : ERR_MEM;
}

static err_t on_output_ip6(struct netif *netif, struct pbuf *packet, const ip6_addr_t *address)
{
    (void)netif;
    (void)packet;
    (void)address;
    return ERR_OK; /* nobody listens there */
}

static err_t on_netif(struct netif *netif)
{
    netif->name[0] = 'w';
    netif->name[1] = 'l';
    netif->mtu = HS_PACKET_MAX;
    netif->output = on_output;
    netif->output_ip6 = on_output_ip6;
    return ERR_OK;
}

static ip_addr_t address_of(bool device)
{
    ip_addr_t address;
    IP_ADDR4(&address, 10, 0, 0, device ? 2 : 1);
    return address;
}

void hs_stack_start(bool device, bool (*output)(struct pbuf *packet))
{
    stack.device = device;
    stack.output = output;
    stack.random = device ? 1 : 2;
    lwip_init();
    ip_addr_t own = address_of(device), other = address_of(!device), mask;
    IP_ADDR4(&mask, 255, 255, 255, 0);
    netif_add(&stack.netif, ip_2_ip4(&own), ip_2_ip4(&mask), ip_2_ip4(&other), NULL, on_netif,
              ip_input);
    netif_set_default(&stack.netif);
    netif_set_link_up(&stack.netif);
    netif_set_up(&stack.netif);
    if (!device) {
        for (int phase = HS_TCP_RX; phase <= HS_TCP_TX; phase++) {
            struct tcp_pcb *pcb = tcp_new();
            tcp_bind(pcb, IP4_ADDR_ANY, (u16_t)(PORT + phase));
            tcp_accept(tcp_listen(pcb), on_open);
        }
    }
}

void hs_stack_begin(hs_phase_t phase, uint32_t bytes)
{
    stack.phase = phase;
    stack.unsent = stack.unacknowledged = bytes;
    stack.state = (hs_stack_state_t){0};
    if (stack.datagrams != NULL) {
        udp_remove(stack.datagrams);
        stack.datagrams = NULL;
    }
    ip_addr_t other = address_of(!stack.device);
    if (phase >= HS_UDP_RX) {
        stack.datagrams = udp_new();
        udp_bind(stack.datagrams, IP4_ADDR_ANY, PORT);
        udp_connect(stack.datagrams, &other, PORT);
        udp_recv(stack.datagrams, on_datagram, NULL);
    } else if (stack.device) {
        struct tcp_pcb *pcb = tcp_new();
        tcp_err(pcb, on_error);
        tcp_connect(pcb, &other, (u16_t)(PORT + phase), on_open);
    }
}

void hs_stack_set_now(uint64_t now)
{
    stack.now = now;
}

void hs_stack_timers(void)
{
    read_due();
    sys_check_timeouts();
}

void hs_stack_input(struct pbuf *packet)
{
    if (stack.netif.input(packet, &stack.netif) != ERR_OK) {
        pbuf_free(packet);
    }
}

bool hs_stack_datagram(uint32_t bytes)
{
    struct pbuf *packet = pbuf_alloc(PBUF_TRANSPORT, (u16_t)bytes, PBUF_RAM);
    if (packet == NULL) {
        return false;
    }
    pbuf_take(packet, content, (u16_t)bytes);
    bool sent = udp_send(stack.datagrams, packet) == ERR_OK;
    pbuf_free(packet);
    return sent;
}

hs_stack_state_t hs_stack_state(void)
{
    uint32_t sleep = sys_timeouts_sleeptime();
    stack.state.timer = sleep == SYS_TIMEOUTS_SLEEPTIME_INFINITE
                            ? HS_NEVER
                            : (stack.now / MILLISECOND + sleep) * MILLISECOND;
    if (unread.count > 0 && unread.waiting[unread.first].time < stack.state.timer) {
        stack.state.timer = unread.waiting[unread.first].time;
    }
    return stack.state;
}
