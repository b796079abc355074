#ifndef TESTS_ESP_RANDOM_H
#define TESTS_ESP_RANDOM_H
#include <stdint.h>
#include "esp_idf_version.h"
#if TEST_IDF < 404
#error "not before 4.4"
#endif
uint32_t esp_random(void);
#endif
