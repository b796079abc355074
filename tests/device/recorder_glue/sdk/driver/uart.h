#ifndef TESTS_DRIVER_UART_H
#define TESTS_DRIVER_UART_H
#include <stddef.h>
#include <stdint.h>
#include "esp_err.h"
#include "esp_idf_version.h"
#include "freertos/FreeRTOS.h"
#if TEST_IDF < 502
typedef int uart_port_t;
#define UART_NUM_0 (0)
#define UART_NUM_1 (1)
#else
typedef enum { UART_NUM_0, UART_NUM_1, UART_NUM_MAX } uart_port_t;
#endif
#define UART_PIN_NO_CHANGE (-1)
typedef enum { UART_DATA_7_BITS = 2, UART_DATA_8_BITS = 3 } uart_word_length_t;
typedef enum { UART_STOP_BITS_1 = 1 } uart_stop_bits_t;
typedef enum { UART_PARITY_DISABLE = 0 } uart_parity_t;
typedef enum { UART_HW_FLOWCTRL_DISABLE = 0 } uart_hw_flowcontrol_t;
typedef struct {
    int baud_rate;
    uart_word_length_t data_bits;
    uart_parity_t parity;
    uart_stop_bits_t stop_bits;
    uart_hw_flowcontrol_t flow_ctrl;
    uint8_t rx_flow_ctrl_thresh;
    int source_clk;
} uart_config_t;
typedef void *QueueHandle_t;
esp_err_t uart_driver_install(uart_port_t uart_num, int rx_buffer_size, int tx_buffer_size,
                              int queue_size, QueueHandle_t *uart_queue, int intr_alloc_flags);
esp_err_t uart_param_config(uart_port_t uart_num, const uart_config_t *uart_config);
esp_err_t uart_set_pin(uart_port_t uart_num, int tx_io_num, int rx_io_num, int rts_io_num,
                       int cts_io_num);
int uart_tx_chars(uart_port_t uart_num, const char *buffer, uint32_t len);
#if TEST_IDF < 403
int uart_write_bytes(uart_port_t uart_num, const char *src, size_t size);
#else
int uart_write_bytes(uart_port_t uart_num, const void *src, size_t size);
#endif
#endif
