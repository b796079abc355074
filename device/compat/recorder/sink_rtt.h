/*
 * A sink that a debugger reads: an up-buffer in the layout of SEGGER's RTT, which J-Link, OpenOCD and
 * probe-rs find by its name in memory and empty while the program runs. Any other debugger may read the
 * same ring: `written` and `read` are offsets into `bytes`.
 *
 *   static hs_recorder_rtt_t rtt;
 *   hs_recorder_rtt_open(&rtt, bytes, sizeof bytes);
 *   config.write = hs_recorder_rtt_write; config.context = &rtt;   (or called from your own write)
 */
#ifndef HEAPSCOPE_SINK_RTT_H
#define HEAPSCOPE_SINK_RTT_H

#include <stddef.h>
#include <stdint.h>

#include "heapscope/recorder_port.h"

typedef struct hs_recorder_rtt {
    char id[16];
    int32_t up_count;
    int32_t down_count;
    const char *name;
    uint8_t *bytes;
    uint32_t size;
    uint32_t written; /* by the chip */
    uint32_t read;    /* by the debugger */
    uint32_t flags;   /* 0: what does not fit is not written */
} hs_recorder_rtt_t;

static inline void hs_recorder_rtt_open(hs_recorder_rtt_t *rtt, uint8_t *bytes, uint32_t size)
{
    /* The name is put together here, so that it is in memory once, and last. */
    static const char backwards[] = "TTR REGGES";
    *rtt = (hs_recorder_rtt_t){.up_count = 1, .name = "heapscope", .bytes = bytes, .size = size};
    for (unsigned i = 0; i < sizeof backwards - 1u; i++) {
        rtt->id[i] = backwards[sizeof backwards - 2u - i];
    }
}

/* hs_recorder_write_t. One byte of the ring stays free, so that full is not empty. Bound: `count`. */
static inline size_t hs_recorder_rtt_write(void *context, const uint8_t *bytes, size_t count)
{
    hs_recorder_rtt_t *rtt = (hs_recorder_rtt_t *)context;
    const uint32_t read = HS_RECORDER_LOAD(&rtt->read);
    uint32_t at = rtt->written;
    size_t taken = 0;
    for (; taken < count; taken++) {
        const uint32_t next = at + 1u < rtt->size ? at + 1u : 0u;
        if (next == read) {
            break;
        }
        rtt->bytes[at] = bytes[taken];
        at = next;
    }
    HS_RECORDER_STORE(&rtt->written, at);
    return taken;
}

#endif
