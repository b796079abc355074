#include "link.h"

#include <stdlib.h>
#include <string.h>

#include <pj/errno.h>
#include <pj/ip_helper.h>
#include <pj/sock.h>

#include "recorded.h"
#undef pj_sock_sendto
#undef pj_sock_close

#define PACKETS_MAX 256
#define PACKET_MAX 2048

typedef struct packet {
    uint64_t due;
    uint64_t sequence;
    pj_sock_t socket;
    pj_sockaddr to;
    int to_length;
    pj_ssize_t length;
    uint8_t bytes[PACKET_MAX];
} packet_t;

static hs_link_plan_t plan;
static packet_t *packets[PACKETS_MAX];
static size_t waiting;
static uint64_t sent;
static uint32_t chance;
static unsigned first_host = 1, hosts = 1;

void hs_link_begin(hs_link_plan_t wanted)
{
    plan = wanted;
    chance = wanted.seed * 2654435761u + 1;
}

/* Below `limit`. */
static uint32_t draw(uint32_t limit)
{
    chance = chance * 1664525u + 1013904223u;
    return limit == 0 ? 0 : (chance >> 8) % limit;
}

pj_status_t hs_link_sendto(pj_sock_t socket, const void *bytes, pj_ssize_t *length, unsigned flags,
                           const pj_sockaddr_t *to, int to_length)
{
    bool lost = draw(1000) < plan.lost_per_mille;
    uint64_t delay = (plan.delay_ms + draw(plan.jitter_ms + 1)) * UINT64_C(1000);
    if (delay == 0 && !lost) {
        return pj_sock_sendto(socket, bytes, length, flags, to, to_length);
    }
    if (lost || waiting == PACKETS_MAX || *length > PACKET_MAX) {
        return PJ_SUCCESS;
    }
    packet_t *packet = calloc(1, sizeof *packet);
    if (packet == NULL) {
        return PJ_ENOMEM;
    }
    packet->due = hs_link_now() + delay;
    packet->sequence = sent++;
    packet->socket = socket;
    packet->to_length = to_length;
    packet->length = *length;
    memcpy(&packet->to, to, (size_t)to_length);
    memcpy(packet->bytes, bytes, (size_t)*length);
    packets[waiting++] = packet;
    return PJ_SUCCESS;
}

static void drop(size_t index)
{
    free(packets[index]);
    packets[index] = packets[--waiting];
}

/* Packets on their way through a socket are lost with it: another one may get its number. */
pj_status_t hs_link_close(pj_sock_t socket)
{
    for (size_t i = waiting; i-- > 0;) {
        if (packets[i]->socket == socket) {
            drop(i);
        }
    }
    return pj_sock_close(socket);
}

static bool before(const packet_t *a, const packet_t *b)
{
    return a->due != b->due ? a->due < b->due : a->sequence < b->sequence;
}

/* The next one's index; `waiting` at the end. */
static size_t earliest(void)
{
    size_t match = waiting;
    for (size_t i = 0; i < waiting; i++) {
        if (match == waiting || before(packets[i], packets[match])) {
            match = i;
        }
    }
    return match;
}

uint64_t hs_link_next(void)
{
    size_t next = earliest();
    return next == waiting ? HS_LINK_NEVER : packets[next]->due;
}

bool hs_link_deliver(void)
{
    bool any = false;
    for (size_t next = earliest(); next < waiting && packets[next]->due <= hs_link_now();
         next = earliest()) {
        packet_t *packet = packets[next];
        pj_ssize_t length = packet->length;
        pj_sock_sendto(packet->socket, packet->bytes, &length, 0, &packet->to, packet->to_length);
        drop(next);
        any = true;
    }
    return any;
}

/* ---- the host's addresses ---------------------------------------------------------------------- */

void hs_link_hosts(unsigned first, unsigned count)
{
    first_host = first;
    hosts = count;
}

static void host(unsigned index, pj_sockaddr *out)
{
    pj_sockaddr_init(PJ_AF_INET, out, NULL, 0);
    out->ipv4.sin_addr.s_addr = pj_htonl(0x7F000001u + (first_host << 16) + (index << 8));
}

pj_status_t hs_link_host(int family, pj_sockaddr *address)
{
    (void)family;
    host(0, address);
    return PJ_SUCCESS;
}

pj_status_t pj_enum_ip_interface(int family, unsigned *count, pj_sockaddr addresses[])
{
    (void)family;
    unsigned given = hosts < *count ? hosts : *count;
    for (unsigned i = 0; i < given; i++) {
        host(i, &addresses[i]);
    }
    *count = given;
    return PJ_SUCCESS;
}

pj_status_t pj_enum_ip_interface2(const pj_enum_ip_option *options, unsigned *count,
                                  pj_sockaddr addresses[])
{
    (void)options;
    return pj_enum_ip_interface(PJ_AF_INET, count, addresses);
}
