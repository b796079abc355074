/* Stands in for Zephyr's header: the same declarations of what the port uses. */
#ifndef TESTS_ZEPHYR_KERNEL_H
#define TESTS_ZEPHYR_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

struct k_thread;
typedef struct k_thread *k_tid_t;

k_tid_t k_current_get(void);
uint32_t k_cycle_get_32(void);
bool k_is_in_isr(void);

struct _cpu {
    uint8_t id;
};
typedef struct _cpu _cpu_t;

#if defined(CONFIG_SMP)
_cpu_t *tests_cpu(void);
static inline _cpu_t *arch_curr_cpu(void)
{
    return tests_cpu();
}
#endif
static inline unsigned int arch_irq_lock(void)
{
    return 1;
}
static inline void arch_irq_unlock(unsigned int key)
{
    (void)key;
}

#endif
