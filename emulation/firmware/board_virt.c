/* QEMU's RISC-V board "virt": UART, a second one on PCI, a network device on virtio. */
#include "board.h"

#include "memory.h"
#include "network_device.h"
#include "sampler.h"

#define TEST_DEVICE (*(volatile uint32_t *)0x00100000u)
#define TEST_PASS 0x5555u
#define TEST_FAIL 0x3333u
#define PLIC 0x0C000000u
#define PLIC_PRIORITY ((volatile uint32_t *)PLIC)
#define PLIC_ENABLE ((volatile uint32_t *)(PLIC + 0x2000u))
#define PLIC_THRESHOLD (*(volatile uint32_t *)(PLIC + 0x200000u))
#define PLIC_CLAIM (*(volatile uint32_t *)(PLIC + 0x200004u))
#define VIRTIO_FIRST 1u
#define VIRTIO_LAST 8u
#define CONSOLE ((volatile uint8_t *)0x10000000u)
#define LINE_STATUS 5u
#define LINE_FREE 0x20u

/* PCI: the configuration space, and the ports as they appear in memory. */
#define PCI_CONFIG 0x30000000u
#define PCI_PORTS 0x03000000u
#define PCI_SLOTS 32u
#define SERIAL_ID 0x00021B36u /* QEMU's pci-serial */
#define SERIAL_PORT 0x1000u
#define PCI_COMMAND 1u /* words of a slot's configuration */
#define PCI_BAR0 4u
#define PCI_ANSWER_PORTS 1u

static volatile uint8_t *stream;

static void put(volatile uint8_t *port, uint8_t byte)
{
    while ((port[LINE_STATUS] & LINE_FREE) == 0) {
    }
    port[0] = byte;
}

void board_console(char byte)
{
    put(CONSOLE, (uint8_t)byte);
}

void board_stream(const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count && stream != NULL; i++) {
        put(stream, bytes[i]);
    }
}

static void find_stream(void)
{
    for (uint32_t slot = 0; slot < PCI_SLOTS; slot++) {
        volatile uint32_t *const config = (volatile uint32_t *)(PCI_CONFIG + (slot << 15));
        if (config[0] == SERIAL_ID) {
            config[PCI_BAR0] = SERIAL_PORT;
            config[PCI_COMMAND] = PCI_ANSWER_PORTS;
            stream = (volatile uint8_t *)(PCI_PORTS + SERIAL_PORT);
        }
    }
}

_Noreturn void board_end(int code)
{
    TEST_DEVICE = code == 0 ? TEST_PASS : ((uint32_t)code << 16) | TEST_FAIL;
    for (;;) {
    }
}

void board_on_tick(void)
{
    sampler_on_tick();
}

void board_on_interrupt(void)
{
    for (uint32_t source = PLIC_CLAIM; source != 0; source = PLIC_CLAIM) {
        network_on_interrupt();
        PLIC_CLAIM = source;
    }
}

void board_main(void)
{
    for (uint32_t source = VIRTIO_FIRST; source <= VIRTIO_LAST; source++) {
        PLIC_PRIORITY[source] = 1;
        PLIC_ENABLE[0] |= 1u << source;
    }
    PLIC_THRESHOLD = 0;
    find_stream();
    firmware_main();
}
