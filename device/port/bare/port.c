/*
 * No operating system: interrupts are masked. The processor's own instructions for it are below; for
 * another processor define HS_BARE_MASK() and HS_BARE_RESTORE(before) on the command line or write
 * these two in a header that HS_BARE_HEADER names.
 *
 * On a second core masking holds nobody off. With HS_BARE_CORES above 1 there are spin locks, too, one for
 * each region; HS_BARE_CORE() must then give the number of the core that runs, from 0 on. They are words
 * of memory that the compiler's atomics exchange; a processor that has none (Cortex-M0+) needs
 * HS_BARE_TRY(lock), which takes the spin lock of that number and says whether it did, and
 * HS_BARE_GIVE(lock), both with a barrier. Without HS_BARE_CORE() it is an #error, unless HS_BARE_MASK()
 * and HS_BARE_RESTORE() are your own, with one spin lock in them.
 */
#include <stddef.h>
#include <stdint.h>

#include "heapscope/config.h"
#include "heapscope/port.h"

#ifdef HS_BARE_HEADER
#include HS_BARE_HEADER
#endif

#ifndef HS_BARE_CORES
#define HS_BARE_CORES 1
#endif
#if HS_BARE_CORES > 1 && !defined(HS_BARE_CORE) && !defined(HS_BARE_MASK)
#error "masking interrupts does not lock out the other cores: define HS_BARE_CORE"
#endif
#if HS_BARE_CORES > 1 && defined(HS_BARE_CORE)
#define SPINS 1
#else
#undef HS_BARE_CORE
#define HS_BARE_CORE() 0u
#define SPINS 0
#endif

#ifndef HS_BARE_CLOCK
#define HS_BARE_CLOCK() 0u /* microseconds */
#endif

/* Each core's own: what mask() gave the outermost section, and how many sections it is in. */
static uint32_t outside[HS_BARE_CORES];
static uint32_t depth[HS_BARE_CORES];

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
    const uint32_t core = HS_BARE_CORE();
    state =
        depth[core] != 0 ? outside[core] : state; /* a section raises the level as handlers do */
    return (state & 0xFu) != 0;
}

#else
#error "define HS_BARE_MASK and HS_BARE_RESTORE for this processor"
#endif

/* ---- sections --------------------------------------------------------------------------------- */

static void core_enter(void)
{
    const uint32_t before = mask();
    const uint32_t core = HS_BARE_CORE();
    if (depth[core]++ == 0) {
        outside[core] = before;
    }
}

static void core_leave(void)
{
    const uint32_t core = HS_BARE_CORE();
    if (--depth[core] == 0) {
        restore(outside[core]);
    }
}

#if SPINS

#define SPIN_LOCKS (HS_LOCK_COUNT + 1)
#define OWN HS_LOCK_COUNT /* of hs_port_enter() */

#ifndef HS_BARE_TRY
#if __GCC_ATOMIC_INT_LOCK_FREE != 2
#error "this processor has no atomic exchange: define HS_BARE_TRY and HS_BARE_GIVE"
#endif
static uint32_t words[SPIN_LOCKS];
#define HS_BARE_TRY(lock) (__atomic_exchange_n(&words[lock], 1u, __ATOMIC_ACQUIRE) == 0)
#define HS_BARE_GIVE(lock) __atomic_store_n(&words[lock], 0u, __ATOMIC_RELEASE)
#endif

/* The core that holds it, plus one, and how often. Only that core finds its own number there. */
static volatile uint32_t holder[SPIN_LOCKS];
static uint32_t holds[SPIN_LOCKS];

static void hold(uint32_t lock)
{
    core_enter();
    const uint32_t core = HS_BARE_CORE() + 1u;
    if (holder[lock] != core) {
        while (!HS_BARE_TRY(lock)) {
        }
        holder[lock] = core;
    }
    holds[lock]++;
}

static void release(uint32_t lock)
{
    if (--holds[lock] == 0) {
        holder[lock] = 0;
        HS_BARE_GIVE(lock);
    }
    core_leave();
}

#else

#define OWN 0

static void hold(uint32_t lock)
{
    (void)lock;
    core_enter();
}

static void release(uint32_t lock)
{
    (void)lock;
    core_leave();
}

#endif

bool hs_port_enter(void)
{
    hold(OWN);
    return true;
}

void hs_port_leave(void)
{
    release(OWN);
}

void hs_port_lock(void *context)
{
    (void)context;
    hold(OWN);
}

void hs_port_unlock(void *context)
{
    (void)context;
    release(OWN);
}

void hs_port_lock_region(void *context, uint32_t lock)
{
    (void)context;
    hold(lock);
}

void hs_port_unlock_region(void *context, uint32_t lock)
{
    (void)context;
    release(lock);
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
