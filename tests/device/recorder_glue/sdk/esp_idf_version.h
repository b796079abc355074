/* The headers of this folder stand in for ESP-IDF's: the declarations that the recorder's glue uses, as the
 * release TEST_IDF has them (503 is 5.3), read in the branches release/v4.2 to release/v6.0. */
#ifndef TESTS_ESP_IDF_VERSION_H
#define TESTS_ESP_IDF_VERSION_H
#ifndef TEST_IDF
#define TEST_IDF 505
#endif
#if TEST_IDF == 402
#define ESP_IDF_VERSION_MAJOR 4
#define ESP_IDF_VERSION_MINOR 2
#elif TEST_IDF == 403
#define ESP_IDF_VERSION_MAJOR 4
#define ESP_IDF_VERSION_MINOR 3
#elif TEST_IDF == 404
#define ESP_IDF_VERSION_MAJOR 4
#define ESP_IDF_VERSION_MINOR 4
#elif TEST_IDF == 500
#define ESP_IDF_VERSION_MAJOR 5
#define ESP_IDF_VERSION_MINOR 0
#elif TEST_IDF == 501
#define ESP_IDF_VERSION_MAJOR 5
#define ESP_IDF_VERSION_MINOR 1
#elif TEST_IDF == 502
#define ESP_IDF_VERSION_MAJOR 5
#define ESP_IDF_VERSION_MINOR 2
#elif TEST_IDF == 503
#define ESP_IDF_VERSION_MAJOR 5
#define ESP_IDF_VERSION_MINOR 3
#elif TEST_IDF == 504
#define ESP_IDF_VERSION_MAJOR 5
#define ESP_IDF_VERSION_MINOR 4
#elif TEST_IDF == 505
#define ESP_IDF_VERSION_MAJOR 5
#define ESP_IDF_VERSION_MINOR 5
#elif TEST_IDF == 600
#define ESP_IDF_VERSION_MAJOR 6
#define ESP_IDF_VERSION_MINOR 0
#else
#error "TEST_IDF names no release"
#endif
#define ESP_IDF_VERSION_VAL(major, minor, patch) (((major) << 16) | ((minor) << 8) | (patch))
#define ESP_IDF_VERSION ESP_IDF_VERSION_VAL(ESP_IDF_VERSION_MAJOR, ESP_IDF_VERSION_MINOR, 0)
#endif
