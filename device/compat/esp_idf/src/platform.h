/*
 * The functions that the interfaces need from their surroundings: by default ESP-IDF's on a chip and
 * the C library's on a host. Each macro may be defined on the compiler's command line; the function
 * that it names must then be declared by HEAPSCOPE_ESP_PLATFORM_HEADER.
 */
#ifndef HEAPSCOPE_ESP_PLATFORM_H
#define HEAPSCOPE_ESP_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#include <sdkconfig.h>
#include "heapscope/guard.h"
#include "release.h"

#ifdef HEAPSCOPE_ESP_PLATFORM_HEADER
#include HEAPSCOPE_ESP_PLATFORM_HEADER
#endif

#ifdef ESP_PLATFORM /* the ROM's printing needs neither a lock nor memory */
#include "freertos/FreeRTOS.h"
#if __has_include("esp_rom_sys.h")
#include "esp_rom_sys.h"
#else /* the name in 4.2, whose header differs from chip to chip */
int ets_printf(const char *format, ...);
#define esp_rom_printf ets_printf
#endif
#define HEAPSCOPE_ESP_PRINT(...) esp_rom_printf(__VA_ARGS__)
#define HEAPSCOPE_ESP_ERROR(...) esp_rom_printf(__VA_ARGS__)
#if !defined(MULTI_HEAP_LOCK) && !defined(portENTER_CRITICAL_SAFE)
#define MULTI_HEAP_LOCK(lock) portENTER_CRITICAL((portMUX_TYPE *)(lock))
#define MULTI_HEAP_UNLOCK(lock) portEXIT_CRITICAL((portMUX_TYPE *)(lock))
#elif !defined(MULTI_HEAP_LOCK) /* allocations may come from interrupt handlers, and either core */
#define MULTI_HEAP_LOCK(lock) portENTER_CRITICAL_SAFE((portMUX_TYPE *)(lock))
#define MULTI_HEAP_UNLOCK(lock) portEXIT_CRITICAL_SAFE((portMUX_TYPE *)(lock))
#endif
#else
#include <stdio.h>
#define HEAPSCOPE_ESP_PRINT(...) printf(__VA_ARGS__)
#define HEAPSCOPE_ESP_ERROR(...) fprintf(stderr, __VA_ARGS__)
#ifndef MULTI_HEAP_LOCK
#define MULTI_HEAP_LOCK(lock) heapscope_esp_lock(lock)
#define MULTI_HEAP_UNLOCK(lock) heapscope_esp_unlock(lock)
#endif
#endif

/* On a host: the program may define them; by default nothing is locked. `lock`: as it was given. */
void heapscope_esp_lock(void *lock);
void heapscope_esp_unlock(void *lock);

/* A fault that a free or a realloc met, or an invalid address: reported, then abort(). The program
 * may define it, and come back from it: the call is then refused. */
void heapscope_esp_fault(const hs_fault_t *fault);
void heapscope_esp_print_fault(const hs_fault_t *fault);
void heapscope_esp_not_a_block(const void *address); /* heapscope_esp_fault() of an address */

/* A refused free or realloc where the guard is left out, which tells it otherwise. */
static inline void heapscope_esp_refused(hs_status_t status, const void *address)
{
#if HS_GUARD || HS_OWNERS
    (void)status;
    (void)address;
#else
    if (status != HS_OK) {
        heapscope_esp_not_a_block(address);
    }
#endif
}

/* 1: each block of heap_caps knows its task. */
#if defined(CONFIG_HEAP_TASK_TRACKING) && CONFIG_HEAP_TASK_TRACKING
#define HEAPSCOPE_ESP_TASKS 1
#else
#define HEAPSCOPE_ESP_TASKS 0
#endif

/* 1: the program's hooks are called. */
#if defined(CONFIG_HEAP_USE_HOOKS) && CONFIG_HEAP_USE_HOOKS
#define HEAPSCOPE_ESP_HOOKS 1
#else
#define HEAPSCOPE_ESP_HOOKS 0
#endif

/* The guards of blocks of multi_heap, and of those of heap_caps, by the project's configuration; faults
 * are reported as heapscope_esp_telling says. */
extern const hs_guard_config_t heapscope_esp_guard;
extern const hs_guard_config_t heapscope_esp_owned;

/* A check does not end the program: it sets this while it looks. There is one for all tasks, as in
 * ESP-IDF, so only one task may check at a time. */
typedef enum heapscope_esp_telling {
    HEAPSCOPE_ESP_FATAL, /* heapscope_esp_fault() */
    HEAPSCOPE_ESP_SILENT,
    HEAPSCOPE_ESP_PRINTED
} heapscope_esp_telling_t;
extern heapscope_esp_telling_t heapscope_esp_telling;

#if defined(CONFIG_HEAP_POISONING_COMPREHENSIVE) && CONFIG_HEAP_POISONING_COMPREHENSIVE
#define HEAPSCOPE_ESP_LEVEL HS_GUARD_FILL
#elif defined(CONFIG_HEAP_POISONING_LIGHT) && CONFIG_HEAP_POISONING_LIGHT
#define HEAPSCOPE_ESP_LEVEL HS_GUARD_CANARIES
#else
#define HEAPSCOPE_ESP_LEVEL HS_GUARD_LINKS
#endif

/* Before the payload and behind it there are two words and one of canaries, where firmware written for
 * ESP-IDF has them; walkers see them, as there. */
#define HEAPSCOPE_ESP_HEAD ((size_t)(HEAPSCOPE_ESP_LEVEL == HS_GUARD_LINKS ? 0 : 8))
#define HEAPSCOPE_ESP_TAIL ((size_t)(HEAPSCOPE_ESP_LEVEL == HS_GUARD_LINKS ? 0 : 4))

/* The size to ask the heap for: whole words, and room for an aligned pointer at least (blocks with
 * canaries are aligned whatever they hold). */
static inline size_t heapscope_esp_size(size_t size)
{
    if (size == 0 || size > SIZE_MAX - 3) {
        return size;
    }
    const size_t words = (size + 3) & ~(size_t)3;
    return HEAPSCOPE_ESP_HEAD == 0 && words < sizeof(void *) ? sizeof(void *) : words;
}

#endif
