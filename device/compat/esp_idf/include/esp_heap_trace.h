/* The interface of ESP-IDF to a record of each allocation: docs/reference/esp_idf.md. */
#ifndef ESP_HEAP_TRACE_H
#define ESP_HEAP_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <esp_err.h>
#include <sdkconfig.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef CONFIG_HEAP_TRACING_STACK_DEPTH
#define CONFIG_HEAP_TRACING_STACK_DEPTH 0
#endif

typedef enum {
    HEAP_TRACE_ALL,
    HEAP_TRACE_LEAKS,
} heap_trace_mode_t;

typedef struct heap_trace_record_t {
    uint32_t ccount; /* the cycle counter at the allocation; bit 0: the CPU */
    void *address;   /* NULL: the record is empty */
    size_t size;
    bool freed;
#if CONFIG_HEAP_TRACING_STACK_DEPTH > 0
    void *alloced_by[CONFIG_HEAP_TRACING_STACK_DEPTH];
    void *freed_by[CONFIG_HEAP_TRACING_STACK_DEPTH];
#endif
    /* The links of a list of sys/queue.h. */
    struct {
        struct heap_trace_record_t *tqe_next;
        struct heap_trace_record_t **tqe_prev;
    } tailq_list;
} heap_trace_record_t;

typedef struct {
    heap_trace_mode_t mode;
    size_t total_allocations;
    size_t total_frees;
    size_t count;
    size_t capacity;
    size_t high_water_mark; /* of count */
    size_t has_overflowed;
#if defined(CONFIG_HEAP_TRACE_HASH_MAP) && CONFIG_HEAP_TRACE_HASH_MAP
    size_t total_hashmap_hits;
    size_t total_hashmap_miss;
#endif
} heap_trace_summary_t;

/* The buffer is the program's. ESP_ERR_INVALID_STATE: tracing is under way; ESP_ERR_INVALID_ARG: only
 * one of both is zero. NULL and 0 take the buffer away. */
esp_err_t heap_trace_init_standalone(heap_trace_record_t *record_buffer, size_t num_records);
esp_err_t heap_trace_init_tohost(void); /* ESP_ERR_NOT_SUPPORTED: heapscope's recorder does that */

/* All records and counts begin anew. ESP_ERR_INVALID_STATE: no buffer. */
esp_err_t heap_trace_start(heap_trace_mode_t mode);
/* ESP_ERR_INVALID_STATE: not under way. */
esp_err_t heap_trace_stop(void);
esp_err_t heap_trace_alloc_pause(void); /* frees are still recorded */
/* Keeps the records. ESP_ERR_INVALID_STATE: under way already, or no buffer. */
esp_err_t heap_trace_resume(void);

size_t heap_trace_get_count(void);
/* ESP_ERR_INVALID_ARG: no such record; ESP_ERR_INVALID_STATE: `record` NULL. Oldest first. O(index). */
esp_err_t heap_trace_get(size_t index, heap_trace_record_t *record);
esp_err_t heap_trace_summary(heap_trace_summary_t *summary); /* ESP_ERR_INVALID_ARG: NULL */
void heap_trace_dump(void);                                  /* to stdout */
void heap_trace_dump_caps(const uint32_t caps);              /* MALLOC_CAP_INTERNAL, _SPIRAM */

#ifdef __cplusplus
}
#endif

#endif
