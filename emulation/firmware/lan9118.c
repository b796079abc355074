/* The network device LAN9118: frames go through two queues of words. */
#include "network_device.h"

#include <stddef.h>
#include <string.h>

/* Registers, in words. */
#define DEVICE ((volatile uint32_t *)0x40200000u)
enum {
    R_RECEIVED = 0x00 / 4,
    R_TRANSMIT = 0x20 / 4,
    R_RECEIVED_STATUS = 0x40 / 4,
    R_INTERRUPT_CONFIG = 0x54 / 4,
    R_INTERRUPT = 0x58 / 4,
    R_INTERRUPT_ENABLE = 0x5C / 4,
    R_ORDER = 0x64 / 4,
    R_LEVELS = 0x68 / 4,
    R_TRANSMIT_CONFIG = 0x70 / 4,
    R_RECEIVED_COUNT = 0x7C / 4,
    R_TRANSMIT_ROOM = 0x80 / 4,
    R_MAC_COMMAND = 0xA4 / 4,
    R_MAC_DATA = 0xA8 / 4,
};
#define ORDER_OF_BYTES 0x87654321u
#define INTERRUPTS_ON 0x111u /* push-pull, active high */
#define RECEIVED_INTERRUPT (1u << 3)
#define TRANSMIT_ON 2u
#define ONE_PIECE 0x3000u /* the first of a frame, and its last */
#define MAC_BUSY (1u << 31)
#define MAC_READ (1u << 30)
#define MAC_CONTROL 1u
#define MAC_ADDRESS_HIGH 2u
#define MAC_ADDRESS_LOW 3u
#define MAC_SENDS 0x8u
#define MAC_RECEIVES 0x4u
#define STATUS_ERROR (1u << 15)
#define CHECKSUM 4u /* bytes behind a frame */

static bool receives;

static void write_mac(uint32_t number, uint32_t value)
{
    DEVICE[R_MAC_DATA] = value;
    DEVICE[R_MAC_COMMAND] = MAC_BUSY | number;
    while ((DEVICE[R_MAC_COMMAND] & MAC_BUSY) != 0) {
    }
}

static uint32_t read_mac(uint32_t number)
{
    DEVICE[R_MAC_COMMAND] = MAC_BUSY | MAC_READ | number;
    while ((DEVICE[R_MAC_COMMAND] & MAC_BUSY) != 0) {
    }
    return DEVICE[R_MAC_DATA];
}

bool network_open(void)
{
    if (DEVICE[R_ORDER] != ORDER_OF_BYTES) {
        return false;
    }
    DEVICE[R_INTERRUPT_CONFIG] = INTERRUPTS_ON; /* first: until then the line is active low */
    DEVICE[R_TRANSMIT_CONFIG] = TRANSMIT_ON;
    DEVICE[R_LEVELS] = 0; /* one frame is enough */
    write_mac(MAC_CONTROL, MAC_SENDS);
    return true;
}

void network_receive(void)
{
    receives = true; /* before the first interrupt, which must be answered */
    DEVICE[R_INTERRUPT_ENABLE] = RECEIVED_INTERRUPT;
    write_mac(MAC_CONTROL, MAC_SENDS | MAC_RECEIVES);
}

void network_address(uint8_t address[6])
{
    const uint32_t low = read_mac(MAC_ADDRESS_LOW), high = read_mac(MAC_ADDRESS_HIGH);
    memcpy(address, &low, 4);
    memcpy(address + 4, &high, 2);
}

/* From one task only. */
void network_send(const void *frame, uint32_t size)
{
    const uint32_t words = (size + 3) / 4;
    while ((DEVICE[R_TRANSMIT_ROOM] & 0xFFFFu) < 4 * words + 8) {
    }
    DEVICE[R_TRANSMIT] = ONE_PIECE | size;
    DEVICE[R_TRANSMIT] = size;
    for (uint32_t i = 0; i < words; i++) {
        uint32_t word = 0;
        const uint32_t left = size - 4 * i;
        memcpy(&word, (const uint8_t *)frame + 4 * i, left < 4 ? left : 4);
        DEVICE[R_TRANSMIT] = word;
    }
}

/* Takes a frame's words out of the device, into `block` unless it is NULL. */
static void take_words(uint8_t *block, uint32_t size, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++) {
        const uint32_t word = DEVICE[R_RECEIVED];
        if (block != NULL && 4 * i < size) {
            memcpy(block + 4 * i, &word, size - 4 * i < 4 ? size - 4 * i : 4);
        }
    }
}

void network_on_interrupt(void)
{
    if (!receives) {
        return;
    }
    DEVICE[R_INTERRUPT] = RECEIVED_INTERRUPT;
    while ((DEVICE[R_RECEIVED_COUNT] >> 16 & 0xFFu) != 0) {
        const uint32_t status = DEVICE[R_RECEIVED_STATUS];
        const uint32_t whole = status >> 16 & 0x3FFFu;
        const uint32_t size = whole > CHECKSUM ? whole - CHECKSUM : 0;
        const bool good = (status & STATUS_ERROR) == 0 && size != 0 && size <= NETWORK_FRAME_MAX;
        void *const block = good ? network_take_block(size) : NULL;
        take_words(block, size, (whole + 3) / 4);
        if (block != NULL) {
            network_received(block, size);
        }
    }
}
