/*
 * The settings of a run: the device's options, the link, the processor. Every one can be given as a
 * word, NAME=NUMBER.
 */
#ifndef HEAPSCOPE_WIFI_KNOBS_H
#define HEAPSCOPE_WIFI_KNOBS_H

#include <stdbool.h>
#include <stdint.h>

/* Name, what it is without a word. */
#define HS_KNOBS(X)                                                                                  \
    /* the device's options */                                                                       \
    X(window, 5744)                                                                                  \
    X(send_buffer, 5744)                                                                             \
    X(segment, 1440)                                                                                 \
    X(static_rx, 10)                                                                                 \
    X(dynamic_rx, 32) /* 0: any number */                                                            \
    X(tx_buffers, 32)                                                                                \
    X(tx_static, 0)                                                                                  \
    X(block_ack, 6)      /* frames of an aggregate, either way; 0: each alone */                     \
    X(out_of_order, 999) /* segments kept while an earlier one is missing */                         \
    /* sizes of the driver's blocks, bytes */                                                        \
    X(static_bytes, 0)                                                                               \
    X(around_bytes, 0) /* of a dynamic buffer, beside its frame */                                   \
    X(mgmt_bytes, 0)                                                                                 \
    X(mgmt_rx, 0)                                                                                    \
    /* the link */                                                                                   \
    X(delay_us, 1000)    /* one way between the access point and the other side */                   \
    X(rate_kbps, 150000) /* in the air */                                                            \
    X(lost, 0)           /* of 10 000 packets, behind the access point, both ways */                 \
    X(errors, 0)         /* of 10 000 frames in the air, which are sent again */                     \
    X(queue, 256)        /* frames that the access point keeps */                                    \
    X(peer_window, 65535)                                                                            \
    X(peer_send_buffer, 65535)                                                                       \
    X(access_ns, 95500) /* silence and mean backoff before a transmission */                         \
    X(preamble_ns, 36000)                                                                            \
    X(ack_ns, 42000) /* silence and the acknowledgement after it */                                  \
    X(seed, 1)                                                                                       \
    /* the device's processor: for a frame in or out, by phase */                                    \
    X(tcp_rx_ns, 0)                                                                                  \
    X(tcp_tx_ns, 0)                                                                                  \
    X(udp_rx_ns, 0)                                                                                  \
    X(udp_tx_ns, 0)                                                                                  \
    X(driver_percent, 30) /* of what a received frame takes */                                       \
    X(read_us, 0)         /* the application leaves for so long what it could read */                \
    /* datagrams are sent as ESP-IDF's iperf sends them: 1 with the processor's time behind the    \
     * driver's buffers, 2 before them; 0: one as soon as it has a buffer */ \
    X(back_off, 0)                                                                                   \
    /* what is done: bytes of each phase; phases as bits, in order */                                \
    X(bytes, 1000000)                                                                                \
    X(phases, 15)

typedef struct hs_knobs {
#define FIELD(name, value) uint32_t name;
    HS_KNOBS(FIELD)
#undef FIELD
} hs_knobs_t;

extern hs_knobs_t hs_knobs;

/* A word into hs_knobs. false: not one. */
bool hs_knobs_word(const char *word);

#endif
