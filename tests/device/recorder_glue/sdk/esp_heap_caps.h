#ifndef TESTS_ESP_HEAP_CAPS_H
#define TESTS_ESP_HEAP_CAPS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "esp_err.h"
#include "esp_idf_version.h"
#define MALLOC_CAP_DEFAULT (1 << 12)
void *heap_caps_malloc(size_t size, uint32_t caps);
void heap_caps_free(void *ptr);
void *heap_caps_realloc(void *ptr, size_t size, uint32_t caps);
void *heap_caps_calloc(size_t n, size_t size, uint32_t caps);
void *heap_caps_aligned_alloc(size_t alignment, size_t size, uint32_t caps);
void *heap_caps_aligned_calloc(size_t alignment, size_t n, size_t size, uint32_t caps);
#if TEST_IDF < 404
void heap_caps_aligned_free(void *ptr);
#else
void __attribute__((deprecated)) heap_caps_aligned_free(void *ptr);
#endif
void *heap_caps_malloc_prefer(size_t size, size_t num, ...);
void *heap_caps_realloc_prefer(void *ptr, size_t size, size_t num, ...);
void *heap_caps_calloc_prefer(size_t n, size_t size, size_t num, ...);
#if TEST_IDF >= 503
typedef struct walker_heap_info {
    intptr_t start;
    intptr_t end;
} walker_heap_into_t; /* spelt so there */
typedef struct walker_block_info {
    void *ptr;
    size_t size;
    bool used;
} walker_block_info_t;
typedef bool (*heap_caps_walker_cb_t)(walker_heap_into_t heap_info, walker_block_info_t block_info,
                                      void *user_data);
void heap_caps_walk_all(heap_caps_walker_cb_t walker_func, void *user_data);
#endif
#endif
