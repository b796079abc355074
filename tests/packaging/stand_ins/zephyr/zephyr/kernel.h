/* The part of Zephyr that the port uses, so that it compiles; nothing of it runs. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
typedef struct k_thread *k_tid_t;
unsigned int irq_lock(void);
void irq_unlock(unsigned int key);
bool k_is_in_isr(void);
bool k_is_pre_kernel(void);
int64_t k_uptime_ticks(void);
uint64_t k_ticks_to_us_floor64(uint64_t ticks);
k_tid_t k_current_get(void);
uint32_t k_cycle_get_32(void);
unsigned int arch_irq_lock(void);
void arch_irq_unlock(unsigned int key);
const char *k_thread_name_get(k_tid_t thread);
