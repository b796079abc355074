/*
 * The recorder in an ESP-IDF project, with what menuconfig says (CONFIG_HEAPSCOPE_RECORDER...):
 *
 *   hs_recorder_esp_idf_start(NULL, NULL);    in app_main, first of all
 *
 * docs/guide/recorder-esp-idf.md is the way there.
 */
#ifndef HEAPSCOPE_RECORDER_ESP_IDF_H
#define HEAPSCOPE_RECORDER_ESP_IDF_H

#include "esp_idf_version.h"

#include "recorder_glue.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens the one recorder, records from now on, and starts the task that drains it, at the idle task's
 * priority. `write` NULL: the sink that menuconfig names, whose driver this installs. NULL: there is no
 * place for the recorder or its task, or menuconfig names no sink and `write` is NULL. A second call returns the same recorder. */
hs_recorder_t *hs_recorder_esp_idf_start(hs_recorder_write_t write, void *context);

/* For a recorder's configuration: the walk of all heaps, from 5.3 on; earlier releases have none. Sizes are
 * what blocks hold (walked_sizes). A block of MALLOC_CAP_EXEC that an ESP32 gives by the address of its
 * instruction bus is walked by its other address. */
#if ESP_IDF_VERSION >= ESP_IDF_VERSION_VAL(5, 3, 0)
size_t hs_recorder_esp_idf_walk(void *context, uintptr_t after, hs_recorder_block_t *out,
                                size_t capacity);
#define HS_RECORDER_ESP_IDF_WALK hs_recorder_esp_idf_walk
#else
#define HS_RECORDER_ESP_IDF_WALK NULL
#endif

#ifdef __cplusplus
}
#endif

#endif
