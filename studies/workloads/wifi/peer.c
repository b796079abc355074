#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap.h"
#include "knobs.h"
#include "lwip/pbuf.h"
#include "site/lwipopts.h"

#define PACKETS_MAX 512 /* of one answer */

typedef enum order_kind { BEGIN, INPUT, TIMERS, DATAGRAM } order_kind_t;

typedef struct order {
    uint64_t now;
    uint32_t kind, phase, bytes, length;
} order_t;

typedef struct answer {
    hs_stack_state_t state;
    uint32_t peak, packets;
} answer_t;

typedef struct packet {
    uint32_t length;
    uint8_t bytes[HS_PACKET_MAX];
} packet_t;

static int line = -1;
static pid_t process;
static hs_peer_packet_t *deliver;
static answer_t answer;
static packet_t packets[PACKETS_MAX];

static void give_up(const char *what)
{
    fprintf(stderr, "the other side: %s\n", what);
    exit(1);
}

static bool transfer(ssize_t (*call)(int, void *, size_t), void *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        ssize_t now = call(line, (char *)bytes + done, count - done);
        if (now <= 0) {
            return false;
        }
        done += (size_t)now;
    }
    return true;
}

static ssize_t put(int file, void *bytes, size_t count)
{
    return write(file, bytes, count);
}

/* ---- there ------------------------------------------------------------------------------------- */

static bool keep(struct pbuf *packet)
{
    if (answer.packets == PACKETS_MAX) {
        return false;
    }
    packet_t *kept = &packets[answer.packets++];
    kept->length = packet->tot_len;
    pbuf_copy_partial(packet, kept->bytes, packet->tot_len, 0);
    return true;
}

static void take_in(const uint8_t *bytes, uint32_t length)
{
    struct pbuf *packet = pbuf_alloc(PBUF_RAW, (u16_t)length, PBUF_RAM);
    if (packet != NULL) {
        pbuf_take(packet, bytes, (u16_t)length);
        hs_stack_input(packet);
    }
}

static void obey(const order_t *order, const uint8_t *bytes)
{
    hs_stack_set_now(order->now);
    switch ((order_kind_t)order->kind) {
    case BEGIN:
        hs_heap_peak_restart();
        hs_stack_begin((hs_phase_t)order->phase, order->bytes);
        break;
    case INPUT:
        take_in(bytes, order->length);
        break;
    case TIMERS:
        hs_stack_timers();
        break;
    case DATAGRAM:
        hs_stack_datagram(HS_DATAGRAM);
        break;
    }
}

static void serve(void)
{
    hs_window = (unsigned short)hs_knobs.peer_window;
    hs_send_buffer = (unsigned short)hs_knobs.peer_send_buffer;
    hs_segment = (unsigned short)hs_knobs.segment;
    hs_out_of_order = UINT16_MAX;
    if (!hs_heap_open("/dev/null", "")) {
        give_up("no memory");
    }
    hs_stack_start(false, keep);
    order_t order;
    static uint8_t bytes[HS_PACKET_MAX];
    while (transfer(read, &order, sizeof order) && transfer(read, bytes, order.length)) {
        answer.packets = 0;
        obey(&order, bytes);
        answer.state = hs_stack_state();
        answer.peak = (uint32_t)hs_heap_peak();
        if (!transfer(put, &answer, sizeof answer)) {
            break;
        }
        for (uint32_t i = 0; i < answer.packets; i++) {
            transfer(put, &packets[i].length, sizeof packets[i].length);
            transfer(put, packets[i].bytes, packets[i].length);
        }
    }
    _exit(0);
}

/* ---- here -------------------------------------------------------------------------------------- */

bool hs_peer_start(hs_peer_packet_t *packet)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
        return false;
    }
    deliver = packet;
    process = fork();
    line = pair[process != 0];
    close(pair[process == 0]);
    if (process == 0) {
        serve();
    }
    return process > 0;
}

void hs_peer_stop(void)
{
    close(line);
    waitpid(process, NULL, 0);
}

/* Gives the other side an order. Its packets are kept until all of its answer is there: handing one
 * on may lead to the next order. */
static void tell(order_t order, const uint8_t *bytes)
{
    if (!transfer(put, &order, sizeof order) || !transfer(put, (void *)bytes, order.length) ||
        !transfer(read, &answer, sizeof answer)) {
        give_up("it ended");
    }
    for (uint32_t i = 0; i < answer.packets; i++) {
        if (!transfer(read, &packets[i].length, sizeof packets[i].length) ||
            !transfer(read, packets[i].bytes, packets[i].length)) {
            give_up("it ended");
        }
    }
    for (uint32_t i = 0; i < answer.packets; i++) {
        deliver(packets[i].bytes, packets[i].length);
    }
}

void hs_peer_begin(uint64_t now, hs_phase_t phase, uint32_t bytes)
{
    tell((order_t){.now = now, .kind = BEGIN, .phase = phase, .bytes = bytes}, NULL);
}

void hs_peer_input(uint64_t now, const uint8_t *bytes, uint32_t length)
{
    tell((order_t){.now = now, .kind = INPUT, .length = length}, bytes);
}

void hs_peer_timers(uint64_t now)
{
    tell((order_t){.now = now, .kind = TIMERS}, NULL);
}

void hs_peer_datagram(uint64_t now)
{
    tell((order_t){.now = now, .kind = DATAGRAM}, NULL);
}

hs_stack_state_t hs_peer_state(void)
{
    return answer.state;
}

size_t hs_peer_peak(void)
{
    return answer.peak;
}
