/* RISC-V in machine mode, with the timer and the software interrupt of SiFive's CLINT. */
#include "board.h"
#include "cpu.h"
#include "small_kernel.h"

#define CLINT 0x02000000u
#define MSIP (*(volatile uint32_t *)CLINT)
#define MTIMECMP ((volatile uint32_t *)(CLINT + 0x4000u))
#define MTIME ((volatile uint32_t *)(CLINT + 0xBFF8u))
#define CLOCK 10000000u /* of mtime */

#define MSTATUS_MIE 8u
#define TASK_MSTATUS 0x1880u /* machine mode, interrupts on after mret */
#define INTERRUPT 0x80000000u
#define SOFTWARE 3u
#define TIMER 7u
#define EXTERNAL 11u

#define FRAME_WORDS 32u
#define FRAME_RA 0u
#define FRAME_A0 8u
#define FRAME_PC 30u
#define FRAME_STATUS 31u

_Alignas(16) uint8_t cpu_interrupt_stack[4096];
static uint32_t per_tick;
static uint64_t next_tick;

/* Every register but sp, which the task's frame is at; the handlers run on a stack of their own. */
__attribute__((naked, aligned(4))) void cpu_trap_entry(void)
{
    __asm__ volatile(
        ".option push\n.option arch, +zicsr\n"
        "addi sp, sp, -128\n"
        "sw x1, 0(sp)\nsw x3, 4(sp)\nsw x4, 8(sp)\nsw x5, 12(sp)\nsw x6, 16(sp)\nsw x7, 20(sp)\n"
        "sw x8, 24(sp)\nsw x9, 28(sp)\nsw x10, 32(sp)\nsw x11, 36(sp)\nsw x12, 40(sp)\n"
        "sw x13, 44(sp)\nsw x14, 48(sp)\nsw x15, 52(sp)\nsw x16, 56(sp)\nsw x17, 60(sp)\n"
        "sw x18, 64(sp)\nsw x19, 68(sp)\nsw x20, 72(sp)\nsw x21, 76(sp)\nsw x22, 80(sp)\n"
        "sw x23, 84(sp)\nsw x24, 88(sp)\nsw x25, 92(sp)\nsw x26, 96(sp)\nsw x27, 100(sp)\n"
        "sw x28, 104(sp)\nsw x29, 108(sp)\nsw x30, 112(sp)\nsw x31, 116(sp)\n"
        "csrr t0, mepc\nsw t0, 120(sp)\ncsrr t0, mstatus\nsw t0, 124(sp)\n"
        "csrr a0, mcause\nmv a1, sp\n"
        "la sp, cpu_interrupt_stack + 4096\n"
        "call cpu_trap\n"
        "mv sp, a0\n"
        "lw t0, 120(sp)\ncsrw mepc, t0\nlw t0, 124(sp)\ncsrw mstatus, t0\n"
        "lw x1, 0(sp)\nlw x3, 4(sp)\nlw x4, 8(sp)\nlw x5, 12(sp)\nlw x6, 16(sp)\nlw x7, 20(sp)\n"
        "lw x8, 24(sp)\nlw x9, 28(sp)\nlw x10, 32(sp)\nlw x11, 36(sp)\nlw x12, 40(sp)\n"
        "lw x13, 44(sp)\nlw x14, 48(sp)\nlw x15, 52(sp)\nlw x16, 56(sp)\nlw x17, 60(sp)\n"
        "lw x18, 64(sp)\nlw x19, 68(sp)\nlw x20, 72(sp)\nlw x21, 76(sp)\nlw x22, 80(sp)\n"
        "lw x23, 84(sp)\nlw x24, 88(sp)\nlw x25, 92(sp)\nlw x26, 96(sp)\nlw x27, 100(sp)\n"
        "lw x28, 104(sp)\nlw x29, 108(sp)\nlw x30, 112(sp)\nlw x31, 116(sp)\n"
        "addi sp, sp, 128\nmret\n"
        ".option pop\n");
}

static uint64_t read_time(void)
{
    uint32_t high, low;
    do {
        high = MTIME[1];
        low = MTIME[0];
    } while (MTIME[1] != high);
    return ((uint64_t)high << 32) | low;
}

uint32_t board_clock(void)
{
    return (uint32_t)(read_time() / (CLOCK / 1000000u));
}

static void set_alarm(uint64_t time)
{
    MTIMECMP[1] = UINT32_MAX;
    MTIMECMP[0] = (uint32_t)time;
    MTIMECMP[1] = (uint32_t)(time >> 32);
}

static void on_timer(void)
{
    do { /* no tick is lost on a slow host */
        next_tick += per_tick;
        kernel_tick();
        board_on_tick();
    } while (next_tick <= read_time());
    set_alarm(next_tick);
}

void *cpu_trap(uint32_t cause, uint32_t *frame)
{
    kernel_interrupts++;
    switch (cause) {
    case INTERRUPT | SOFTWARE:
        break;
    case INTERRUPT | TIMER:
        on_timer();
        break;
    case INTERRUPT | EXTERNAL:
        board_on_interrupt();
        break;
    default:
        board_fault(cause, frame[FRAME_PC]);
    }
    kernel_interrupts--;
    MSIP = 0;
    return kernel_switch(frame);
}

uint32_t cpu_mask(void)
{
    uint32_t before;
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrrci %0, mstatus, 8\n.option pop"
                     : "=r"(before)
                     :
                     : "memory");
    return before & MSTATUS_MIE ? 0 : 1;
}

void cpu_restore(uint32_t before)
{
    if (before == 0) {
        __asm__ volatile(".option push\n.option arch, +zicsr\ncsrsi mstatus, 8\n.option pop" ::
                             : "memory");
    }
}

void cpu_request_switch(void)
{
    MSIP = 1;
    (void)MSIP; /* the write has arrived */
}

void cpu_idle(void)
{
    __asm__ volatile("wfi");
}

void *cpu_frame(void *stack, uint32_t size, void (*entry)(void *), void *argument,
                void (*leave)(void))
{
    uint32_t *const frame = (uint32_t *)(((uintptr_t)stack + size) & ~(uintptr_t)15) - FRAME_WORDS;
    frame[FRAME_RA] = (uint32_t)(uintptr_t)leave;
    frame[FRAME_A0] = (uint32_t)(uintptr_t)argument;
    frame[FRAME_PC] = (uint32_t)(uintptr_t)entry;
    frame[FRAME_STATUS] = TASK_MSTATUS;
    return frame;
}

void cpu_start_ticks(uint32_t hertz)
{
    per_tick = CLOCK / hertz;
    next_tick = read_time() + per_tick;
    set_alarm(next_tick);
    const uint32_t enabled = 1u << SOFTWARE | 1u << TIMER | 1u << EXTERNAL;
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrw mtvec, %0\ncsrw mie, %1\n.option pop"
                     :
                     : "r"(cpu_trap_entry), "r"(enabled)
                     : "memory");
}

__attribute__((naked, section(".start"))) void cpu_reset(void)
{
    __asm__ volatile(".option push\n.option norelax\n"
                     "la gp, __global_pointer$\n.option pop\n"
                     "la sp, firmware_stack_end\n"
                     "call board_main\n"
                     "1: j 1b\n");
}
