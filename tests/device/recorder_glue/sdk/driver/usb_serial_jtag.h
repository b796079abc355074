#ifndef TESTS_DRIVER_USB_SERIAL_JTAG_H
#define TESTS_DRIVER_USB_SERIAL_JTAG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "esp_err.h"
#include "esp_idf_version.h"
#include "freertos/FreeRTOS.h"
#if TEST_IDF < 403
#error "not before 4.3"
#endif
typedef struct {
    uint32_t tx_buffer_size;
    uint32_t rx_buffer_size;
} usb_serial_jtag_driver_config_t;
esp_err_t usb_serial_jtag_driver_install(usb_serial_jtag_driver_config_t *config);
#if TEST_IDF < 600
int usb_serial_jtag_write_bytes(const void *src, size_t size, TickType_t ticks_to_wait);
#else
int usb_serial_jtag_write_bytes(const void *src, size_t size, uint32_t ticks_to_wait);
#endif
#if TEST_IDF >= 501
bool usb_serial_jtag_is_connected(void);
#endif
#endif
