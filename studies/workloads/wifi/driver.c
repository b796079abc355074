#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "knobs.h"
#include "lwip/pbuf.h"

#define ETHERNET 14 /* of a frame as the driver keeps it, before the packet */

/* The fields of ESP-IDF's esp_custom_pbuf_t: a pbuf, its free function, the network interface, the
 * driver's buffer. */
typedef struct reference {
    struct pbuf_custom pbuf;
    void *interface;
    void *buffer;
} reference_t;

typedef enum job_kind { DRIVER, RECEIVE, SEND } job_kind_t;

typedef struct job {
    struct job *next;
    job_kind_t kind;
    uint32_t sequence, length;
    void *buffer;
    reference_t *reference;
    uint8_t bytes[HS_PACKET_MAX];
} job_t;

typedef struct jobs {
    job_t *first, **end;
} jobs_t;

static jobs_t urgent, usual; /* the driver's, lwIP's */
static job_t *running;
static uint64_t running_until;
static uint32_t frame_ns;
static uint32_t used_static, used_dynamic, used_transmit;
static hs_order_t order;
static hs_driver_counts_t counts;

static void *need(void *block)
{
    if (block == NULL) {
        fputs("no memory\n", stderr);
        exit(1);
    }
    return block;
}

static void push(jobs_t *jobs, job_t *job)
{
    job->next = NULL;
    if (jobs->first == NULL) {
        jobs->end = &jobs->first;
    }
    *jobs->end = job;
    jobs->end = &job->next;
}

static job_t *job_of(job_kind_t kind, uint32_t sequence, uint32_t length)
{
    job_t *job = need(calloc(1, sizeof *job));
    job->kind = kind;
    job->sequence = sequence;
    job->length = length;
    return job;
}

static void *dynamic_buffer(uint32_t length)
{
    return need(hs_heap_malloc(hs_knobs.around_bytes + ETHERNET + length));
}

void hs_driver_start(void)
{
    for (uint32_t i = 0; i < hs_knobs.static_rx; i++) {
        need(hs_heap_malloc(hs_knobs.static_bytes));
    }
    for (uint32_t i = 0; i < hs_knobs.mgmt_rx; i++) {
        need(hs_heap_malloc(hs_knobs.mgmt_bytes));
    }
    for (uint32_t i = 0; hs_knobs.tx_static != 0 && i < hs_knobs.tx_buffers; i++) {
        need(dynamic_buffer(HS_PACKET_MAX));
    }
}

void hs_driver_pace(uint32_t ns)
{
    frame_ns = ns;
}

/* ---- receiving --------------------------------------------------------------------------------- */

bool hs_driver_arrived(const hs_frame_t *frame)
{
    if (used_static == hs_knobs.static_rx) {
        counts.no_static++;
        return false;
    }
    used_static++;
    job_t *job = job_of(DRIVER, frame->sequence, frame->length);
    memcpy(job->bytes, frame->bytes, frame->length);
    push(&urgent, job);
    return true;
}

static void hand_on(void)
{
    for (job_t *job; (job = hs_order_take(&order)) != NULL;) {
        hs_heap_task("wifi");
        job->kind = RECEIVE;
        job->reference = need(hs_heap_malloc(sizeof *job->reference));
        job->reference->buffer = job->buffer;
        push(&usual, job);
    }
}

void hs_driver_missing(const hs_frame_t *frame)
{
    if (!frame->taken) {
        hs_order_put(&order, frame->sequence, NULL);
        hand_on();
    }
}

/* Out of the static buffer. */
static void copy(job_t *job)
{
    used_static--;
    if (hs_knobs.dynamic_rx != 0 && used_dynamic == hs_knobs.dynamic_rx) {
        counts.no_dynamic++;
        hs_order_put(&order, job->sequence, NULL);
        free(job);
    } else {
        used_dynamic++;
        counts.received = used_dynamic > counts.received ? used_dynamic : counts.received;
        hs_heap_task("wifi");
        job->buffer = dynamic_buffer(job->length);
        memcpy(job->buffer, job->bytes, job->length);
        hs_order_put(&order, job->sequence, job);
    }
    hand_on();
}

static void on_free(struct pbuf *packet)
{
    reference_t *reference = (reference_t *)packet;
    used_dynamic--;
    hs_heap_free(reference->buffer);
    hs_heap_free(reference);
}

static void receive(job_t *job)
{
    reference_t *reference = job->reference;
    reference->pbuf.custom_free_function = on_free;
    struct pbuf *packet =
        pbuf_alloced_custom(PBUF_RAW, (u16_t)job->length, PBUF_REF, &reference->pbuf,
                            reference->buffer, (u16_t)job->length);
    hs_stack_input(packet);
}

/* ---- sending ----------------------------------------------------------------------------------- */

bool hs_driver_output(struct pbuf *packet)
{
    if (used_transmit == hs_knobs.tx_buffers) {
        counts.no_transmit++;
        return false;
    }
    used_transmit++;
    counts.sent = used_transmit > counts.sent ? used_transmit : counts.sent;
    job_t *job = job_of(SEND, 0, packet->tot_len);
    job->buffer = hs_knobs.tx_static != 0 ? NULL : dynamic_buffer(packet->tot_len);
    pbuf_copy_partial(packet, job->bytes, packet->tot_len, 0);
    push(&usual, job);
    return true;
}

void hs_driver_sent(const hs_frame_t *frame)
{
    used_transmit--;
    hs_heap_task("wifi");
    hs_heap_free(frame->held);
}

/* ---- the processor ----------------------------------------------------------------------------- */

static uint64_t time_of(const job_t *job)
{
    uint64_t driver = (uint64_t)frame_ns * hs_knobs.driver_percent / 100;
    switch (job->kind) {
    case DRIVER:
        return driver;
    case RECEIVE:
        return frame_ns - driver;
    case SEND:
        break;
    }
    return frame_ns;
}

static void finish(job_t *job)
{
    hs_heap_task("tcpip");
    switch (job->kind) {
    case DRIVER:
        copy(job);
        return;
    case RECEIVE:
        receive(job);
        break;
    case SEND:
        if (!hs_radio_send(HS_DEVICE, job->bytes, job->length, job->buffer)) {
            need(NULL);
        }
        break;
    }
    free(job);
}

uint64_t hs_driver_next(uint64_t now)
{
    if (running != NULL) {
        return running_until;
    }
    return urgent.first != NULL || usual.first != NULL ? now : HS_NEVER;
}

void hs_driver_run(uint64_t now)
{
    if (hs_driver_next(now) > now) {
        return;
    }
    if (running == NULL) {
        jobs_t *jobs = urgent.first != NULL ? &urgent : &usual;
        running = jobs->first;
        jobs->first = running->next;
        running_until = now + time_of(running);
    } else {
        job_t *done = running;
        running = NULL;
        finish(done);
    }
}

bool hs_driver_idle(void)
{
    bool behind = usual.first == NULL && (running == NULL || running->kind != SEND);
    switch (hs_knobs.back_off) {
    case 1:
        return true;
    case 2:
        return behind;
    default:
        return behind && used_transmit < hs_knobs.tx_buffers;
    }
}

bool hs_driver_quiet(void)
{
    return running == NULL && urgent.first == NULL && usual.first == NULL && used_transmit == 0;
}

hs_driver_counts_t hs_driver_counts(void)
{
    return counts;
}

void hs_driver_count_again(void)
{
    counts = (hs_driver_counts_t){.received = used_dynamic, .sent = used_transmit};
}
