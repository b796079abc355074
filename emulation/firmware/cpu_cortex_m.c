/* Cortex-M: SysTick, and PendSV, which switches tasks when no handler runs. */
#include "board.h"
#include "cpu.h"
#include "small_kernel.h"

#define CLOCK 25000000u /* of SysTick */
#define SYSTICK ((volatile uint32_t *)0xE000E010u)
#define SYSTICK_ON 7u /* the processor's clock, with interrupts */
#define ICSR (*(volatile uint32_t *)0xE000ED04u)
#define ICSR_PENDSV (1u << 28)
#define SHPR3 (*(volatile uint32_t *)0xE000ED20u)
#define PENDSV_LOWEST (0xFFu << 16)

#define SAVED_WORDS 8u   /* r4 to r11 */
#define STACKED_WORDS 8u /* r0 to r3, r12, lr, pc, xpsr */
#define THUMB_STATE 0x01000000u
#define VECTORS (16u + 32u)
#define NETWORK_VECTOR (16u + 13u)

extern uint8_t firmware_interrupt_stack_end[];

__attribute__((naked)) void cpu_reset(void)
{
    __asm__ volatile("cpsid i\n" /* until kernel_start() */
                     "ldr r0, =firmware_stack_end\n"
                     "msr psp, r0\n"
                     "movs r0, #2\n"
                     "msr control, r0\n"
                     "isb\n"
                     "bl board_main\n"
                     "1: b 1b\n");
}

__attribute__((naked)) void cpu_on_pendsv(void)
{
    __asm__ volatile("push {r3, lr}\n"
                     "cpsid i\n"
                     "mrs r0, psp\n"
                     "stmdb r0!, {r4-r11}\n"
                     "bl kernel_switch\n"
                     "ldmia r0!, {r4-r11}\n"
                     "msr psp, r0\n"
                     "cpsie i\n"
                     "pop {r3, pc}\n");
}

static void on_systick(void)
{
    kernel_interrupts++;
    kernel_tick();
    board_on_tick();
    kernel_interrupts--;
}

static void on_device(void)
{
    kernel_interrupts++;
    board_on_interrupt();
    kernel_interrupts--;
}

__attribute__((used)) static void report_fault(const uint32_t *stacked)
{
    uint32_t number;
    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    board_fault(number, stacked[6]);
}

__attribute__((naked)) static void on_fault(void)
{
    __asm__ volatile("tst lr, #4\n"
                     "ite eq\n"
                     "mrseq r0, msp\n"
                     "mrsne r0, psp\n"
                     "b report_fault\n");
}

__attribute__((section(".vectors"), used)) static void (*const vectors[VECTORS])(void) = {
    (void (*)(void))firmware_interrupt_stack_end,
    cpu_reset,
    [2 ... 6] = on_fault,
    [14] = cpu_on_pendsv,
    [15] = on_systick,
    [NETWORK_VECTOR] = on_device,
};

uint32_t cpu_mask(void)
{
    uint32_t before;
    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(before) : : "memory");
    return before;
}

void cpu_restore(uint32_t before)
{
    __asm__ volatile("msr primask, %0\n\tisb" : : "r"(before) : "memory");
}

void cpu_request_switch(void)
{
    ICSR = ICSR_PENDSV;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
}

void cpu_idle(void)
{
    __asm__ volatile("wfi");
}

void *cpu_frame(void *stack, uint32_t size, void (*entry)(void *), void *argument,
                void (*leave)(void))
{
    uint32_t *const end = (uint32_t *)(((uintptr_t)stack + size) & ~(uintptr_t)7);
    uint32_t *const stacked = end - STACKED_WORDS;
    stacked[0] = (uint32_t)(uintptr_t)argument;
    stacked[5] = (uint32_t)(uintptr_t)leave;
    stacked[6] = (uint32_t)(uintptr_t)entry & ~UINT32_C(1);
    stacked[7] = THUMB_STATE;
    return stacked - SAVED_WORDS;
}

void cpu_start_ticks(uint32_t hertz)
{
    SHPR3 |=
        PENDSV_LOWEST; /* all others have one priority, so that no handler interrupts another */
    SYSTICK[1] = CLOCK / hertz - 1;
    SYSTICK[2] = 0;
    SYSTICK[0] = SYSTICK_ON;
}
