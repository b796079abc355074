/* 4.2 has no chip with it. */
#ifndef TESTS_SOC_CAPS_H
#define TESTS_SOC_CAPS_H
#include "esp_idf_version.h"
#if TEST_IDF >= 403 && !defined(__XTENSA__)
#define SOC_USB_SERIAL_JTAG_SUPPORTED 1
#endif
#endif
