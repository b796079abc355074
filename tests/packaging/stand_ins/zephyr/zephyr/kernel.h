/* The declarations of Zephyr's that our code uses. tests/packaging/stand_ins/zephyr/kernel.c defines some. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zephyr/sys/sys_heap.h>
typedef struct {
    int64_t ticks;
} k_timeout_t;
#define K_NO_WAIT ((k_timeout_t){0})
struct k_heap {
    struct sys_heap heap;
};
struct k_thread {
    struct k_heap *resource_pool;
};
typedef struct k_thread *k_tid_t;
void *k_malloc(size_t size);
void *k_calloc(size_t nmemb, size_t size);
void *k_realloc(void *ptr, size_t size);
void *k_aligned_alloc(size_t align, size_t size);
void k_free(void *ptr);
void *z_thread_aligned_alloc(size_t align, size_t size);
void *z_thread_malloc(size_t size);
void *k_heap_alloc(struct k_heap *h, size_t bytes, k_timeout_t timeout);
void k_heap_free(struct k_heap *h, void *mem);
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
