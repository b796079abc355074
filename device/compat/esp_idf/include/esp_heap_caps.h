/*
 * The interface of ESP-IDF to all memory of a chip, asked for by capability, over
 * heapscope/regions.h. Names, values, types and behaviour are the original's;
 * docs/reference/esp_idf.md has each function and what is different.
 */
#ifndef ESP_HEAP_CAPS_H
#define ESP_HEAP_CAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <esp_attr.h>
#include <esp_err.h>
#include <multi_heap.h>
#include <sdkconfig.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(CONFIG_HEAP_PLACE_FUNCTION_INTO_FLASH) && CONFIG_HEAP_PLACE_FUNCTION_INTO_FLASH
#define HEAP_IRAM_ATTR
#else
#define HEAP_IRAM_ATTR IRAM_ATTR
#endif

/* A chip that protects its memory has no executable heap, and no name for it. */
#if !defined(ESP_PLATFORM) || (defined(CONFIG_HEAP_HAS_EXEC_HEAP) && CONFIG_HEAP_HAS_EXEC_HEAP)
#define MALLOC_CAP_EXEC (1 << 0)
#endif
#define MALLOC_CAP_32BIT (1 << 1) /* aligned 32-bit access */
#define MALLOC_CAP_8BIT (1 << 2)  /* access of any width */
#define MALLOC_CAP_DMA (1 << 3)
#define MALLOC_CAP_PID2 (1 << 4)
#define MALLOC_CAP_PID3 (1 << 5)
#define MALLOC_CAP_PID4 (1 << 6)
#define MALLOC_CAP_PID5 (1 << 7)
#define MALLOC_CAP_PID6 (1 << 8)
#define MALLOC_CAP_PID7 (1 << 9)
#define MALLOC_CAP_SPIRAM (1 << 10)
#define MALLOC_CAP_INTERNAL (1 << 11)
#define MALLOC_CAP_DEFAULT (1 << 12) /* malloc() may give it out */
#define MALLOC_CAP_IRAM_8BIT (1 << 13)
#define MALLOC_CAP_RETENTION (1 << 14)
#define MALLOC_CAP_RTCRAM (1 << 15)
#define MALLOC_CAP_SPM (1 << 16)
#define MALLOC_CAP_TCM MALLOC_CAP_SPM /* the old name */
#define MALLOC_CAP_DMA_DESC_AHB (1 << 17)
#define MALLOC_CAP_DMA_DESC_AXI (1 << 18)
#define MALLOC_CAP_CACHE_ALIGNED (1 << 19)
#define MALLOC_CAP_SIMD (1 << 20)
#define MALLOC_CAP_SPIRAM_NO_ENC (1 << 21)
#define MALLOC_CAP_INVALID (1u << 31) /* no memory has it; where heaps are named: all of them */

/* ---- blocks; NULL: size 0, or no heap that has all of `caps` has room ------------------------- */

void *heap_caps_malloc(size_t size, uint32_t caps);
void *heap_caps_calloc(size_t n, size_t size, uint32_t caps);
/* Moves a block to where `caps` are. NULL: the block is untouched; with size 0 it is freed. */
void *heap_caps_realloc(void *ptr, size_t size, uint32_t caps);
/* NULL is fine; an address where no used block begins is reported and ends the program. */
void heap_caps_free(void *ptr);

/* `alignment`: a power of two; for any other value NULL. */
void *heap_caps_aligned_alloc(size_t alignment, size_t size, uint32_t caps);
void *heap_caps_aligned_calloc(size_t alignment, size_t n, size_t size, uint32_t caps);
void __attribute__((deprecated)) heap_caps_aligned_free(void *ptr);

/* `num` capabilities follow, each a uint32_t, which are tried in turn. */
void *heap_caps_malloc_prefer(size_t size, size_t num, ...);
void *heap_caps_realloc_prefer(void *ptr, size_t size, size_t num, ...);
void *heap_caps_calloc_prefer(size_t n, size_t size, size_t num, ...);

/* malloc(), realloc() and memalign() of the C library call these: DEFAULT and INTERNAL memory until
 * heap_caps_malloc_extmem_enable(); then, up to `limit` bytes, INTERNAL is preferred, above
 * SPIRAM, and any DEFAULT will do. */
void *heap_caps_malloc_default(size_t size);
void *heap_caps_realloc_default(void *ptr, size_t size);
void *heap_caps_aligned_alloc_default(size_t alignment, size_t size);
void heap_caps_malloc_extmem_enable(size_t limit);

/* These do as those without `_base` do, but a failure is not reported. */
void *heap_caps_malloc_base(size_t size, uint32_t caps);
void *heap_caps_calloc_base(size_t n, size_t size, uint32_t caps);
void *heap_caps_realloc_base(void *ptr, size_t size, uint32_t caps);
void *heap_caps_aligned_alloc_base(size_t alignment, size_t size, uint32_t caps);

size_t heap_caps_get_allocated_size(void *ptr);
size_t heap_caps_get_containing_block_size(void *ptr);

/* ---- what is reported: each allocation, free and failure --------------------------------------- */

typedef void (*esp_alloc_failed_hook_t)(size_t size, uint32_t caps, const char *function_name);
/* For requests that no heap could serve and for capabilities that none has; not for size 0.
 * ESP_ERR_INVALID_ARG: NULL. */
esp_err_t heap_caps_register_failed_alloc_callback(esp_alloc_failed_hook_t callback);

/* Defined by the program, or not at all. Called in the allocating task. */
__attribute__((weak)) void esp_heap_trace_alloc_hook(void *ptr, size_t size, uint32_t caps);
__attribute__((weak)) void esp_heap_trace_free_hook(void *ptr);

/* ---- questions over the heaps that have all of `caps`; bytes ---------------------------------- */

size_t heap_caps_get_total_size(uint32_t caps);
size_t heap_caps_get_free_size(uint32_t caps);
/* The sum of the heaps' lowest, without heaps that were added after the start. */
size_t heap_caps_get_minimum_free_size(uint32_t caps);
size_t heap_caps_get_largest_free_block(uint32_t caps);
void heap_caps_get_info(multi_heap_info_t *info, uint32_t caps);
void heap_caps_print_heap_info(uint32_t caps);

/* Minima count from `start` on; `stop` puts those of all time back. ESP_FAIL: stop without start. */
esp_err_t heap_caps_monitor_local_minimum_free_size_start(void);
esp_err_t heap_caps_monitor_local_minimum_free_size_stop(void);

/* false: a heap is corrupt, or no heap is at `addr`. MALLOC_CAP_INVALID: all heaps. */
bool heap_caps_check_integrity_all(bool print_errors);
bool heap_caps_check_integrity(uint32_t caps, bool print_errors);
bool heap_caps_check_integrity_addr(intptr_t addr, bool print_errors);

void heap_caps_dump(uint32_t caps); /* every block; MALLOC_CAP_INVALID: of all heaps */
void heap_caps_dump_all(void);

typedef struct walker_heap_info {
    intptr_t start;
    intptr_t end;
} walker_heap_into_t;
typedef struct walker_block_info {
    void *ptr;
    size_t size;
    bool used;
} walker_block_info_t;
/* false: on to the next heap. The callback may neither allocate nor free. */
typedef bool (*heap_caps_walker_cb_t)(walker_heap_into_t heap_info, walker_block_info_t block_info,
                                      void *user_data);
void heap_caps_walk(uint32_t caps, heap_caps_walker_cb_t walker_func, void *user_data);
void heap_caps_walk_all(heap_caps_walker_cb_t walker_func, void *user_data);

#ifdef __cplusplus
}
#endif

#endif
