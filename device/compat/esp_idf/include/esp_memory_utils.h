/* Which memory does an address lie in? ESP-IDF's, where the program has it; else by the host's table. */
#ifndef HEAPSCOPE_ESP_MEMORY_UTILS_H
#define HEAPSCOPE_ESP_MEMORY_UTILS_H
#ifdef __GNUC__
#pragma GCC system_header
#endif

#if defined(__has_include_next) && __has_include_next(<esp_memory_utils.h>)
#include_next <esp_memory_utils.h>
#elif defined(ESP_PLATFORM) /* its place until 4.4 */
#include <soc/soc_memory_layout.h>
#else

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

bool esp_ptr_in_dram(const void *p);
bool esp_ptr_in_iram(const void *p);
bool esp_ptr_in_diram_dram(const void *p); /* memory that both buses see, by the data bus */
bool esp_ptr_in_diram_iram(const void *p); /* by the instruction bus */
bool esp_ptr_in_rtc_dram_fast(const void *p);
bool esp_ptr_external_ram(const void *p);
bool esp_ptr_internal(const void *p);
bool esp_ptr_executable(const void *p);
bool esp_ptr_dma_capable(const void *p);
bool esp_ptr_byte_accessible(const void *p);
/* The same bytes by the other bus. */
void *esp_ptr_diram_dram_to_iram(const void *p);
void *esp_ptr_diram_iram_to_dram(const void *p);

#ifdef __cplusplus
}
#endif

#endif
#endif
