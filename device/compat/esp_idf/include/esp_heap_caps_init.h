/* The interface of ESP-IDF by which heaps come into being: docs/reference/esp_idf.md. */
#ifndef ESP_HEAP_CAPS_INIT_H
#define ESP_HEAP_CAPS_INIT_H

#include <esp_err.h>
#include <esp_heap_caps.h>
#include <heap_memory_layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the heaps of the memory layout. On a chip the start-up code calls it, once; on a host the
 * first allocation does, followed by heap_caps_enable_nonos_stack_heaps(). */
void heap_caps_init(void);
void heap_caps_enable_nonos_stack_heaps(void);

/* Memory from `start` to before `end` becomes a heap, tried before all others of its priority; it may
 * lie in a block that was allocated before. Capabilities: those of the layout's region that `start`
 * lies in. ESP_ERR_INVALID_ARG, ESP_ERR_NOT_FOUND: in no region; and as the next one. */
esp_err_t heap_caps_add_region(intptr_t start, intptr_t end);
/* `caps`: SOC_MEMORY_TYPE_NO_PRIOS of them. ESP_ERR_INVALID_ARG; ESP_FAIL: it overlaps a heap;
 * ESP_ERR_INVALID_SIZE: too small; ESP_ERR_NO_MEM: no memory for its description. */
esp_err_t heap_caps_add_region_with_caps(const uint32_t caps[], intptr_t start, intptr_t end);

#ifdef __cplusplus
}
#endif

#endif
