/*
 * No operating system: interrupts are masked. The processor's own instructions for it are below; for
 * another processor define HS_BARE_MASK() and HS_BARE_RESTORE(before) on the command line or write
 * these two in a header that HS_BARE_HEADER names.
 *
 * On a second core masking holds nobody off: HS_BARE_CORES above 1 is an #error unless
 * HS_BARE_MASK() and HS_BARE_RESTORE() are your own, with a spin lock in them.
 */
#include <stddef.h>
#include <stdint.h>

#include "heapscope/port.h"

#ifdef HS_BARE_HEADER
#include HS_BARE_HEADER
#endif

#ifndef HS_BARE_CORES
#define HS_BARE_CORES 1
#endif
#if HS_BARE_CORES > 1 && !defined(HS_BARE_MASK)
#error                                                                                             \
    "masking interrupts does not lock out the other cores: define HS_BARE_MASK and HS_BARE_RESTORE"
#endif

#ifndef HS_BARE_CLOCK
#define HS_BARE_CLOCK() 0u /* microseconds */
#endif

static uint32_t outside; /* what mask() gave the outermost section */
static uint32_t depth;

#ifdef HS_BARE_MASK

static uint32_t mask(void)
{
    return HS_BARE_MASK();
}

static void restore(uint32_t before)
{
    HS_BARE_RESTORE(before);
}

static bool in_interrupt(void)
{
    return false;
}

#elif defined(__riscv)

#define MSTATUS_MIE 8u

static uint32_t mask(void)
{
    uintptr_t before;
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrrci %0, mstatus, 8\n.option pop"
                     : "=r"(before)
                     :
                     : "memory");
    return (uint32_t)before & MSTATUS_MIE;
}

static void restore(uint32_t before)
{
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrs mstatus, %0\n.option pop"
                     :
                     : "r"((uintptr_t)before)
                     : "memory");
}

static bool in_interrupt(void) /* nothing says so but what the handlers themselves keep */
{
    return false;
}

#elif defined(__arm__) && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'

static uint32_t mask(void)
{
    uint32_t before;
    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(before) : : "memory");
    return before;
}

static void restore(uint32_t before)
{
    __asm__ volatile("msr primask, %0" : : "r"(before) : "memory");
}

static bool in_interrupt(void)
{
    uint32_t number;
    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    return number != 0;
}

#elif defined(__xtensa__)

static uint32_t mask(void)
{
    uint32_t before;
    __asm__ volatile("rsil %0, 3" : "=a"(before) : : "memory");
    return before;
}

static void restore(uint32_t before)
{
    __asm__ volatile("wsr %0, ps\n\trsync" : : "a"(before) : "memory");
}

static bool in_interrupt(void)
{
    uint32_t state;
    __asm__ volatile("rsr %0, ps" : "=a"(state));
    state = depth != 0 ? outside : state; /* a section raises the level as a handler does */
    return (state & 0xFu) != 0;
}

#else
#error "define HS_BARE_MASK and HS_BARE_RESTORE for this processor"
#endif

bool hs_port_enter(void)
{
    const uint32_t before = mask();
    if (depth++ == 0) {
        outside = before;
    }
    return true;
}

void hs_port_leave(void)
{
    if (--depth == 0) {
        restore(outside);
    }
}

void hs_port_lock(void *context)
{
    (void)context;
    (void)hs_port_enter();
}

void hs_port_unlock(void *context)
{
    (void)context;
    hs_port_leave();
}

bool hs_port_in_interrupt(void)
{
    return in_interrupt();
}

uint32_t hs_port_clock(void)
{
    return HS_BARE_CLOCK();
}

void *hs_port_task(void *context)
{
    (void)context;
    return NULL;
}

const char *hs_port_task_name(void *task)
{
    (void)task;
    return NULL;
}
