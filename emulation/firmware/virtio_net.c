/* A network device of virtio 1.0 behind memory-mapped registers: a queue for each direction. */
#include "network_device.h"

#include <stddef.h>
#include <string.h>

#include "cpu.h"

#define SLOTS 8u
#define SLOT(i) ((volatile uint32_t *)(0x10001000u + 0x1000u * (i)))
#define MAGIC 0x74726976u
#define NETWORK 1u
/* Registers, in words. */
enum {
    R_MAGIC = 0x00 / 4,
    R_VERSION = 0x04 / 4,
    R_DEVICE = 0x08 / 4,
    R_DRIVER_FEATURES = 0x20 / 4,
    R_DRIVER_FEATURES_WORD = 0x24 / 4,
    R_QUEUE = 0x30 / 4,
    R_QUEUE_SIZE = 0x38 / 4,
    R_QUEUE_READY = 0x44 / 4,
    R_NOTIFY = 0x50 / 4,
    R_INTERRUPT = 0x60 / 4,
    R_INTERRUPT_DONE = 0x64 / 4,
    R_STATUS = 0x70 / 4,
    R_DESCRIPTORS = 0x80 / 4,
    R_AVAILABLE = 0x90 / 4,
    R_USED = 0xA0 / 4,
    R_MAC = 0x100 / 4,
};
#define ACKNOWLEDGE 1u
#define DRIVER 2u
#define DRIVER_OK 4u
#define FEATURES_OK 8u
#define FEATURE_MAC (1u << 5)
#define FEATURE_VERSION_1 1u /* in the second word */

#define ENTRIES 8u
#define DEVICE_WRITES 2u
#define NO_INTERRUPT 1u
#define HEADER 12u

typedef struct descriptor {
    uint32_t address, address_high, size;
    uint16_t flags, next;
} descriptor_t;

typedef struct queue {
    _Alignas(16) descriptor_t descriptors[ENTRIES];
    struct {
        uint16_t flags, index, ring[ENTRIES];
    } available;
    struct {
        _Alignas(4) uint16_t flags;
        uint16_t index;
        struct {
            uint32_t id, size;
        } ring[ENTRIES];
    } used;
    uint16_t seen;
    uint8_t buffers[ENTRIES][HEADER + NETWORK_FRAME_MAX];
} queue_t;

static queue_t receive, transmit;
static volatile uint32_t *device;

#define FENCE() __asm__ volatile("fence" ::: "memory")

static void open_queue(uint32_t number, queue_t *queue, uint16_t flags)
{
    for (uint32_t i = 0; i < ENTRIES; i++) {
        queue->descriptors[i] = (descriptor_t){
            .address = (uint32_t)(uintptr_t)queue->buffers[i],
            .size = sizeof queue->buffers[i],
            .flags = flags,
        };
    }
    device[R_QUEUE] = number;
    device[R_QUEUE_SIZE] = ENTRIES;
    device[R_DESCRIPTORS] = (uint32_t)(uintptr_t)queue->descriptors;
    device[R_AVAILABLE] = (uint32_t)(uintptr_t)&queue->available;
    device[R_USED] = (uint32_t)(uintptr_t)&queue->used;
    device[R_QUEUE_READY] = 1;
}

static void offer(queue_t *queue, uint32_t entry)
{
    queue->available.ring[queue->available.index % ENTRIES] = (uint16_t)entry;
    FENCE();
    queue->available.index++;
    FENCE();
}

/* An entry that the device has done with; ENTRIES: none. */
static uint32_t take_used(queue_t *queue, uint32_t *size)
{
    FENCE();
    if (*(volatile uint16_t *)&queue->used.index == queue->seen) {
        return ENTRIES;
    }
    FENCE();
    const uint32_t at = queue->seen++ % ENTRIES;
    *size = queue->used.ring[at].size;
    return queue->used.ring[at].id;
}

bool network_open(void)
{
    for (uint32_t i = 0; i < SLOTS && device == NULL; i++) {
        if (SLOT(i)[R_MAGIC] == MAGIC && SLOT(i)[R_VERSION] == 2 && SLOT(i)[R_DEVICE] == NETWORK) {
            device = SLOT(i);
        }
    }
    if (device == NULL) {
        return false;
    }
    device[R_STATUS] = 0;
    device[R_STATUS] = ACKNOWLEDGE | DRIVER;
    device[R_DRIVER_FEATURES_WORD] = 0;
    device[R_DRIVER_FEATURES] = FEATURE_MAC;
    device[R_DRIVER_FEATURES_WORD] = 1;
    device[R_DRIVER_FEATURES] = FEATURE_VERSION_1;
    device[R_STATUS] = ACKNOWLEDGE | DRIVER | FEATURES_OK;
    if ((device[R_STATUS] & FEATURES_OK) == 0) {
        return false;
    }
    open_queue(0, &receive, DEVICE_WRITES);
    open_queue(1, &transmit, 0);
    transmit.available.flags = NO_INTERRUPT;
    device[R_STATUS] = ACKNOWLEDGE | DRIVER | FEATURES_OK | DRIVER_OK;
    return true;
}

void network_receive(void)
{
    for (uint32_t entry = 0; entry < ENTRIES; entry++) {
        offer(&receive, entry);
    }
    device[R_NOTIFY] = 0;
}

void network_address(uint8_t address[6])
{
    const volatile uint8_t *const mac = (const volatile uint8_t *)&device[R_MAC];
    for (uint32_t i = 0; i < 6; i++) {
        address[i] = mac[i];
    }
}

/* From one task only. */
void network_send(const void *frame, uint32_t size)
{
    static uint32_t sent;
    uint32_t entry = sent, ignored;
    if (sent < ENTRIES) {
        sent++;
    } else {
        do {
            entry = take_used(&transmit, &ignored);
        } while (entry == ENTRIES);
    }
    memset(transmit.buffers[entry], 0, HEADER);
    memcpy(transmit.buffers[entry] + HEADER, frame, size);
    transmit.descriptors[entry].size = HEADER + size;
    offer(&transmit, entry);
    device[R_NOTIFY] = 1;
}

void network_on_interrupt(void)
{
    if (device == NULL) {
        return;
    }
    device[R_INTERRUPT_DONE] = device[R_INTERRUPT];
    uint32_t size, entry;
    while ((entry = take_used(&receive, &size)) != ENTRIES) {
        if (size > HEADER && size <= HEADER + NETWORK_FRAME_MAX) {
            void *const block = network_take_block(size - HEADER);
            if (block != NULL) {
                memcpy(block, receive.buffers[entry] + HEADER, size - HEADER);
                network_received(block, size - HEADER);
            }
        }
        offer(&receive, entry);
    }
    device[R_NOTIFY] = 0;
}
