/* The recorder's port for Zephyr: -DHS_RECORDER_PORT='"port_zephyr.h"', with several cores
 * -DHS_RECORDER_CORES=CONFIG_MP_MAX_NUM_CPUS. The clock counts hardware cycles: clock_hz is
 * sys_clock_hw_cycles_per_sec(). */
#ifndef HEAPSCOPE_RECORDER_PORT_ZEPHYR_H
#define HEAPSCOPE_RECORDER_PORT_ZEPHYR_H

#include <zephyr/kernel.h>

#define HS_RECORDER_CLOCK() k_cycle_get_32()
#define HS_RECORDER_TASK() ((uintptr_t)k_current_get())
#define HS_RECORDER_IN_INTERRUPT() k_is_in_isr()
#if defined(CONFIG_SMP)
#define HS_RECORDER_CORE() ((unsigned)arch_curr_cpu()->id)
#endif
#define HS_RECORDER_MASK() ((uintptr_t)arch_irq_lock())
#define HS_RECORDER_RESTORE(before) arch_irq_unlock((unsigned int)(before))

#endif
