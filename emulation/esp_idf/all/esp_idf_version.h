/* ESP-IDF's release, given as ESP_IDF=503 for 5.3. */
#pragma once
#define ESP_IDF_VERSION_MAJOR (ESP_IDF / 100)
#define ESP_IDF_VERSION_MINOR (ESP_IDF % 100)
