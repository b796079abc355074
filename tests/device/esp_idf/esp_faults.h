/* Faults are counted here instead of ending the program. */
#ifndef HEAPSCOPE_TESTS_ESP_FAULTS_H
#define HEAPSCOPE_TESTS_ESP_FAULTS_H

#include <stddef.h>

size_t esp_faults(void); /* since it was last asked */

#endif
