/*
 * The hooks of the recorder want these things of a processor and its system. They are macros, since a hook
 * has no time for calls. Those below fit a bare processor with one core. Others go into a header that HS_RECORDER_PORT
 * names on the compiler's command line (-DHS_RECORDER_PORT='"my_port.h"'); what it leaves out is taken
 * from here.
 */
#ifndef HEAPSCOPE_RECORDER_PORT_H
#define HEAPSCOPE_RECORDER_PORT_H

#include <stdint.h>

#ifdef HS_RECORDER_PORT
#include HS_RECORDER_PORT
#endif

/* Stands before each function that a hook runs through: a section in RAM where the flash may be off
 * (ESP-IDF: IRAM_ATTR). */
#ifndef HS_RECORDER_CODE
#define HS_RECORDER_CODE
#endif

/* A clock of 32 bits that goes round. */
#ifndef HS_RECORDER_CLOCK
#define HS_RECORDER_CLOCK() UINT32_C(0)
#endif

/* Handle of the running task, 0 before there are any; and whether an interrupt handler runs. */
#ifndef HS_RECORDER_TASK
#define HS_RECORDER_TASK() ((uintptr_t)0)
#endif
#ifndef HS_RECORDER_IN_INTERRUPT
#if defined(__arm__) && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
static inline uint32_t hs_recorder_exception(void)
{
    uint32_t number;
    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    return number;
}
#define HS_RECORDER_IN_INTERRUPT() (hs_recorder_exception() != 0)
#else
#define HS_RECORDER_IN_INTERRUPT() 0
#endif
#endif

/* Number of the core that runs, below HS_RECORDER_CORES. */
#ifndef HS_RECORDER_CORE
#define HS_RECORDER_CORE() 0u
#endif

/* The next number of the order of events. With several cores it must be one step for all of them. */
#ifndef HS_RECORDER_NEXT
#if HS_RECORDER_CORES > 1
#define HS_RECORDER_NEXT(counter) __atomic_fetch_add((counter), 1u, __ATOMIC_RELAXED)
#else
#define HS_RECORDER_NEXT(counter) ((*(counter))++)
#endif
#endif

/* A word that another core or an interrupt reads or writes. */
#ifndef HS_RECORDER_LOAD
#if HS_RECORDER_CORES > 1
#define HS_RECORDER_LOAD(word) __atomic_load_n((word), __ATOMIC_ACQUIRE)
#define HS_RECORDER_STORE(word, value) __atomic_store_n((word), (value), __ATOMIC_RELEASE)
#else
#define HS_RECORDER_LOAD(word) (*(const volatile uint32_t *)(word))
#if defined(__GNUC__)
#define HS_RECORDER_STORE(word, value)                                                             \
    do {                                                                                           \
        __asm__ volatile("" ::: "memory"); /* the record before its number */                      \
        *(volatile uint32_t *)(word) = (value);                                                    \
    } while (0)
#else
#define HS_RECORDER_STORE(word, value) ((void)(*(volatile uint32_t *)(word) = (value)))
#endif
#endif
#endif

/* Keeps interrupts of this core off between the two; sections nest. */
#ifndef HS_RECORDER_MASK
#if defined(__riscv)
static inline uintptr_t hs_recorder_mask(void)
{
    uintptr_t before;
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrrci %0, mstatus, 8\n.option pop"
                     : "=r"(before)
                     :
                     : "memory");
    return before & 8u;
}
static inline void hs_recorder_restore(uintptr_t before)
{
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrs mstatus, %0\n.option pop"
                     :
                     : "r"(before)
                     : "memory");
}
#elif defined(__arm__) && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
static inline uintptr_t hs_recorder_mask(void)
{
    uintptr_t before;
    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(before) : : "memory");
    return before;
}
static inline void hs_recorder_restore(uintptr_t before)
{
    __asm__ volatile("msr primask, %0" : : "r"(before) : "memory");
}
#elif defined(__XTENSA__)
static inline uintptr_t hs_recorder_mask(void)
{
    uintptr_t before;
    __asm__ volatile("rsil %0, 3" : "=a"(before) : : "memory");
    return before;
}
static inline void hs_recorder_restore(uintptr_t before)
{
    __asm__ volatile("wsr.ps %0\n\trsync" : : "a"(before) : "memory");
}
#else /* a host, whose signal handlers must not record */
static inline uintptr_t hs_recorder_mask(void)
{
    return 0;
}
static inline void hs_recorder_restore(uintptr_t before)
{
    (void)before;
}
#endif
#define HS_RECORDER_MASK() hs_recorder_mask()
#define HS_RECORDER_RESTORE(before) hs_recorder_restore(before)
#endif

#endif
