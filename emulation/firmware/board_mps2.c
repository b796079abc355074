/* Arm's board MPS2 with the image AN386 (a Cortex-M4), as QEMU has it. */
#include "board.h"

#include "memory.h"
#include "network_device.h"
#include "sampler.h"

#define UART(i) ((volatile uint32_t *)(0x40004000u + 0x1000u * (i)))
#define UART_STATE 1u /* words */
#define UART_CONTROL 2u
#define UART_DIVIDER 4u
#define UART_FULL 1u
#define UART_SENDS 1u
#define CONSOLE 0u
#define STREAM 1u
/* A counter with a prescaler. */
#define FPGA ((volatile uint32_t *)0x40028000u)
#define FPGA_COUNTER 6u
#define FPGA_PRESCALE 7u
#define CLOCKS_PER_MICROSECOND 25u
#define NVIC_ENABLE (*(volatile uint32_t *)0xE000E100u)
#define NETWORK_INTERRUPT 13u

static void put(uint32_t port, uint8_t byte)
{
    while ((UART(port)[UART_STATE] & UART_FULL) != 0) {
    }
    UART(port)[0] = byte;
}

void board_console(char byte)
{
    put(CONSOLE, (uint8_t)byte);
}

void board_stream(const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        put(STREAM, bytes[i]);
    }
}

uint32_t board_clock(void)
{
    return FPGA[FPGA_COUNTER];
}

/* Semihosting: there is nothing on the board that switches it off. */
_Noreturn void board_end(int code)
{
    const uint32_t block[2] = {0x20026u, (uint32_t)code}; /* the application ended */
    register uint32_t operation __asm__("r0") = 0x20u;    /* SYS_EXIT_EXTENDED */
    register const uint32_t *argument __asm__("r1") = block;
    for (;;) {
        __asm__ volatile("bkpt 0xAB" : : "r"(operation), "r"(argument) : "memory");
    }
}

void board_on_tick(void)
{
    sampler_on_tick();
}

void board_on_interrupt(void)
{
    network_on_interrupt();
}

void board_main(void)
{
    for (uint32_t port = CONSOLE; port <= STREAM; port++) {
        UART(port)[UART_DIVIDER] = 16;
        UART(port)[UART_CONTROL] = UART_SENDS;
    }
    FPGA[FPGA_PRESCALE] = CLOCKS_PER_MICROSECOND - 1;
    NVIC_ENABLE = 1u << NETWORK_INTERRUPT;
    firmware_main();
}
