/*
 * A device's lwIP and another one on a simulated link, in virtual time: wifi OUT.hst [NAME=NUMBER...]
 * records the device's heap and prints a line of JSON for each phase, and one of the sizes of lwIP's
 * structures. NAMEs: knobs.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "heap.h"
#include "knobs.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/timeouts.h"
#include "peer.h"
#include "radio.h"
#include "site/lwipopts.h"
#include "stack.h"

#define WIRE 4096 /* packets */
#define MICROSECOND UINT64_C(1000)
#define SECOND UINT64_C(1000000000)
#define TICK UINT64_C(1000000) /* of the sender's FreeRTOS */
#define TICKS_MAX 64
#define PATIENCE (600 * SECOND)

static const char *const phase_names[HS_PHASES] = {"tcp_rx", "tcp_tx", "udp_rx", "udp_tx"};

typedef struct packet {
    uint64_t time;
    uint32_t length;
    uint8_t bytes[HS_PACKET_MAX];
} packet_t;

/* One direction behind the access point. */
typedef struct wire {
    packet_t packets[WIRE];
    uint32_t first, count;
} wire_t;

static wire_t down, up;
static hs_order_t from_device; /* at the access point */
static uint64_t now;
static uint32_t lost, overflowed;    /* on the way, for want of room in the access point */
static uint64_t retry_at = HS_NEVER; /* when a sender that found no room tries again */

static void travel(wire_t *wire, const uint8_t *bytes, uint32_t length)
{
    if (hs_knobs.lost > 0 && hs_radio_chance(10000) < hs_knobs.lost) {
        lost++;
    } else if (wire->count == WIRE) {
        fputs("too many packets on their way\n", stderr);
        exit(1);
    } else {
        packet_t *packet = &wire->packets[(wire->first + wire->count++) % WIRE];
        packet->time = now + hs_knobs.delay_us * MICROSECOND;
        packet->length = length;
        memcpy(packet->bytes, bytes, length);
    }
}

static void from_peer(const uint8_t *bytes, uint32_t length)
{
    travel(&down, bytes, length);
}

static void forward(void)
{
    for (packet_t *packet; (packet = hs_order_take(&from_device)) != NULL; free(packet)) {
        travel(&up, packet->bytes, packet->length);
    }
}

static bool at_access_point(const hs_frame_t *frame)
{
    packet_t *packet = malloc(sizeof *packet);
    if (packet == NULL) {
        exit(1);
    }
    packet->length = frame->length;
    memcpy(packet->bytes, frame->bytes, frame->length);
    hs_order_put(&from_device, frame->sequence, packet);
    forward();
    return true;
}

static void gone_from_device(const hs_frame_t *frame)
{
    if (!frame->taken) {
        hs_order_put(&from_device, frame->sequence, NULL);
        forward();
    }
    hs_driver_sent(frame);
}

/* ---- time -------------------------------------------------------------------------------------- */

static const packet_t *due(wire_t *wire)
{
    const packet_t *packet = &wire->packets[wire->first];
    if (wire->count == 0 || packet->time > now) {
        return NULL;
    }
    wire->first = (wire->first + 1) % WIRE;
    wire->count--;
    return packet;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t next_time(void)
{
    uint64_t next = earlier(hs_radio_next(now), hs_driver_next(now));
    next = earlier(next, down.count > 0 ? down.packets[down.first].time : HS_NEVER);
    next = earlier(next, up.count > 0 ? up.packets[up.first].time : HS_NEVER);
    next = earlier(next, retry_at);
    return earlier(next, earlier(hs_stack_state().timer, hs_peer_state().timer));
}

static void step(void)
{
    now = next_time() > now ? next_time() : now;
    hs_stack_set_now(now);
    hs_heap_task("tcpip");
    const packet_t *packet = NULL;
    if (retry_at <= now) {
        retry_at = HS_NEVER; /* send_datagrams does the rest */
    } else if ((packet = due(&down)) != NULL) {
        if (hs_radio_waiting(HS_ACCESS_POINT) >= hs_knobs.queue ||
            !hs_radio_send(HS_ACCESS_POINT, packet->bytes, packet->length, NULL)) {
            overflowed++;
        }
    } else if ((packet = due(&up)) != NULL) {
        hs_peer_input(now, packet->bytes, packet->length);
    } else if (hs_stack_state().timer <= now) {
        hs_stack_timers();
    } else if (hs_peer_state().timer <= now) {
        hs_peer_timers(now);
    } else if (hs_driver_next(now) <= now) {
        hs_driver_run(now);
    } else {
        hs_radio_run(now);
    }
}

/* ---- phases ------------------------------------------------------------------------------------ */

typedef struct progress {
    hs_phase_t phase;
    uint32_t to_send; /* datagrams */
    uint32_t received;
    uint32_t ticks;       /* that the sender waits when it finds no room */
    uint64_t begun, last; /* when the last byte came */
} progress_t;

static uint32_t datagram_out(void)
{
    return hs_knobs.back_off != 0 ? HS_DATAGRAM_OUT : HS_DATAGRAM;
}

/* ESP-IDF's iperf: datagrams back to back. Without room it sleeps and sends the same one again, and
 * sleeps twice as long each time, to 64 ticks; a new one begins with one tick. */
static void send_out(progress_t *run)
{
    while (run->to_send > 0 && retry_at == HS_NEVER && hs_driver_idle()) {
        if (hs_stack_datagram(datagram_out())) {
            run->to_send--;
            run->ticks = 1;
            continue;
        }
        retry_at = (now / TICK + run->ticks) * TICK;
        run->ticks *= run->ticks < TICKS_MAX ? 2 : 1;
    }
}

static void send_datagrams(progress_t *run)
{
    if (run->phase == HS_UDP_TX) {
        hs_heap_task("tcpip");
        send_out(run);
    } else if (run->phase == HS_UDP_RX) {
        for (; run->to_send > 0 &&
               hs_radio_waiting(HS_ACCESS_POINT) + down.count < hs_knobs.queue / 2;
             run->to_send--) {
            hs_peer_datagram(now);
        }
    }
}

static bool going_on(const progress_t *run)
{
    if (now > run->begun + PATIENCE) {
        return false;
    }
    if (run->phase >= HS_UDP_RX) {
        return run->to_send > 0 || down.count + up.count > 0 || !hs_driver_quiet() ||
               hs_radio_waiting(HS_ACCESS_POINT) > 0;
    }
    return !hs_stack_state().closed || !hs_peer_state().closed;
}

static void print_phase(const progress_t *run, size_t before)
{
    hs_driver_counts_t counts = hs_driver_counts();
    bool failed = hs_stack_state().failed || hs_peer_state().failed;
    printf("{\"phase\": \"%s\", \"bytes\": %u, \"ns\": %llu, \"failed\": %s, \"before\": %zu, "
           "\"peak\": %zu, \"peer_peak\": %zu, \"lost\": %u, \"overflowed\": %u, "
           "\"no_static\": %u, \"no_dynamic\": %u, \"no_transmit\": %u, \"rx_at_once\": %u, "
           "\"tx_at_once\": %u}\n",
           phase_names[run->phase], run->received, (unsigned long long)(run->last - run->begun),
           failed ? "true" : "false", before, hs_heap_peak(), hs_peer_peak(), lost, overflowed,
           counts.no_static, counts.no_dynamic, counts.no_transmit, counts.received, counts.sent);
}

static void run_phase(hs_phase_t phase)
{
    progress_t run = {.phase = phase, .ticks = 1, .begun = now, .last = now};
    uint32_t datagram = phase == HS_UDP_TX ? datagram_out() : HS_DATAGRAM;
    run.to_send = phase >= HS_UDP_RX ? (hs_knobs.bytes + datagram - 1) / datagram : 0;
    lost = overflowed = 0;
    hs_heap_task("tcpip");
    hs_heap_mark(phase_names[phase]);
    hs_heap_peak_restart();
    hs_driver_count_again();
    hs_driver_pace((const uint32_t[]){hs_knobs.tcp_rx_ns, hs_knobs.tcp_tx_ns, hs_knobs.udp_rx_ns,
                                      hs_knobs.udp_tx_ns}[phase]);
    size_t before = hs_heap_live();
    hs_peer_begin(now, phase, hs_knobs.bytes);
    hs_stack_begin(phase, hs_knobs.bytes);
    bool here = phase == HS_TCP_RX || phase == HS_UDP_RX; /* is where it is received */
    while (going_on(&run)) {
        send_datagrams(&run);
        step();
        uint32_t received = here ? hs_stack_state().received : hs_peer_state().received;
        run.last = received != run.received ? now : run.last;
        run.received = received;
    }
    print_phase(&run, before);
}

/* Runs the rest of a phase, and the timers that follow it. */
static void rest(void)
{
    for (uint64_t until = now + SECOND; next_time() <= until;) {
        step();
    }
    now += SECOND;
}

static void print_sizes(void)
{
    printf("{\"sizes\": {\"pbuf\": %zu, \"pbuf_custom\": %zu, \"tcp_seg\": %zu, \"tcp_pcb\": %zu, "
           "\"sys_timeo\": %zu}}\n",
           sizeof(struct pbuf), sizeof(struct pbuf_custom), sizeof(struct tcp_seg),
           sizeof(struct tcp_pcb), sizeof(struct sys_timeo));
}

int main(int count, char **words)
{
    static char config[1024];
    for (int i = 2; i < count; i++) {
        if (!hs_knobs_word(words[i])) {
            fprintf(stderr, "%s: not NAME=NUMBER with a name of knobs.h\n", words[i]);
            return 2;
        }
        snprintf(config + strlen(config), sizeof config - strlen(config), "%s%s",
                 *config != 0 ? " " : "", words[i]);
    }
    hs_window = (unsigned short)hs_knobs.window;
    hs_send_buffer = (unsigned short)hs_knobs.send_buffer;
    hs_segment = (unsigned short)hs_knobs.segment;
    hs_out_of_order = (unsigned short)hs_knobs.out_of_order;
    if (count < 2 || !hs_peer_start(from_peer) || !hs_heap_open(words[1], config)) {
        fputs("wifi OUT.hst [NAME=NUMBER...]\n", stderr);
        return 2;
    }
    const hs_radio_calls_t calls[HS_SIDES] = {
        [HS_ACCESS_POINT] = {hs_driver_arrived, hs_driver_missing},
        [HS_DEVICE] = {at_access_point, gone_from_device},
    };
    hs_radio_start(calls);
    hs_heap_task("wifi");
    hs_driver_start();
    hs_heap_mark("wifi started");
    hs_heap_task("tcpip");
    hs_stack_start(true, hs_driver_output);
    hs_heap_mark("tcpip started");
    for (int phase = 0; phase < HS_PHASES; phase++) {
        if ((hs_knobs.phases >> phase & 1u) != 0) {
            run_phase((hs_phase_t)phase);
            rest();
        }
    }
    hs_heap_mark("end");
    print_sizes();
    hs_peer_stop();
    return hs_heap_close() ? 0 : 1;
}
