/* Which memory an address lies in. */
#pragma once
#include <stdbool.h>
bool esp_ptr_external_ram(const void *p);
bool esp_ptr_internal(const void *p);
#if ESP_IDF >= 502
bool esp_ptr_in_rtc_dram_fast(const void *p);
bool esp_rtc_dram_match_rtc_iram(void);
void *esp_ptr_rtc_dram_to_iram(const void *p);
#endif
