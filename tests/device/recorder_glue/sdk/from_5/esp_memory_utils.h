#ifndef TESTS_ESP_MEMORY_UTILS_H
#define TESTS_ESP_MEMORY_UTILS_H
#include <stdbool.h>
bool esp_ptr_external_ram(const void *p);
#endif
