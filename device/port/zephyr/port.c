/* Zephyr: interrupts are masked, by a spin lock on several cores (irq_lock does both and nests). */
#include <stddef.h>

#include <zephyr/kernel.h>

#include "heapscope/port.h"

static unsigned int outside; /* what irq_lock() gave the outermost section */
static uint32_t depth;

bool hs_port_enter(void)
{
    const unsigned int before = irq_lock();
    if (depth++ == 0) {
        outside = before;
    }
    return true;
}

void hs_port_leave(void)
{
    if (--depth == 0) {
        irq_unlock(outside);
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

void hs_port_lock_region(void *context, uint32_t lock)
{
    (void)lock;
    hs_port_lock(context);
}

void hs_port_unlock_region(void *context, uint32_t lock)
{
    (void)lock;
    hs_port_unlock(context);
}

bool hs_port_in_interrupt(void)
{
    return k_is_in_isr();
}

uint32_t hs_port_clock(void)
{
    return (uint32_t)k_ticks_to_us_floor64((uint64_t)k_uptime_ticks());
}

void *hs_port_task(void *context)
{
    (void)context;
    return k_is_in_isr() || k_is_pre_kernel() ? NULL : (void *)k_current_get();
}

const char *hs_port_task_name(void *task)
{
    return task != NULL ? k_thread_name_get((k_tid_t)task) : NULL;
}
