/*
 * The functions of ESP-IDF that the glue calls do here as much as a recording meets. The sent bytes go
 * into a file. One task runs, in turns: each begins anew and ends at its delay.
 */
#include "sdk.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver/uart.h"
#include "driver/usb_serial_jtag.h"
#include "esp_heap_caps.h"
#include "esp_random.h"
#include "esp_system.h"
#include "esp_timer.h"
#include "freertos/task.h"

#define FIFO 128u /* bytes of a UART */

static FILE *line;

void sdk_line(const char *path)
{
    static char buffer[1 << 16]; /* so that the file asks for none */
    line = fopen(path, "wb");
    if (line == NULL || setvbuf(line, buffer, _IOFBF, sizeof buffer) != 0) {
        abort();
    }
}

/* ---- time, tasks, chance ---- */

static int64_t now;
static TaskFunction_t task;
static jmp_buf turn;

int64_t esp_timer_get_time(void)
{
    return now += 7;
}

uint32_t esp_random(void)
{
    return 0;
}

esp_reset_reason_t esp_reset_reason(void)
{
    return ESP_RST_PANIC;
}

TaskHandle_t xTaskGetCurrentTaskHandle(void)
{
    return (TaskHandle_t)(uintptr_t)0x3FC90000u;
}

char *pcTaskGetName(TaskHandle_t handle)
{
    static char name[] = "main";
    return handle == xTaskGetCurrentTaskHandle() ? name : NULL;
}

TickType_t xTaskGetTickCount(void)
{
    return (TickType_t)(now / 10000);
}

TickType_t xTaskGetTickCountFromISR(void)
{
    return xTaskGetTickCount();
}

BaseType_t xPortInIsrContext(void)
{
    return 0;
}

BaseType_t xTaskCreate(TaskFunction_t function, const char *const name, const uint32_t stack,
                       void *const parameters, UBaseType_t priority, TaskHandle_t *const created)
{
    (void)name;
    (void)stack;
    (void)parameters;
    (void)created;
    task = priority == tskIDLE_PRIORITY ? function : NULL;
    return pdPASS;
}

/* ---- lines ---- */

static size_t room;                     /* of the UART, in this turn */
static size_t usb_buffer, usb_buffered; /* 0: there is no driver */
static unsigned unplugged;              /* turns to go */
static int uart_baud;

void sdk_unplug(unsigned turns)
{
    unplugged = turns;
}

int sdk_uart_baud(void)
{
    return uart_baud;
}

void vTaskDelay(const TickType_t ticks)
{
    if (ticks == 0) {
        abort(); /* tasks of the lowest priority would starve */
    }
    longjmp(turn, 1);
}

void sdk_turn(void)
{
    room = FIFO;
    usb_buffered = 0;
    unplugged -= unplugged != 0;
    if (setjmp(turn) == 0) {
        task(NULL);
    }
    if (fflush(line) != 0) {
        abort();
    }
}

esp_err_t uart_driver_install(uart_port_t port, int received, int sent, int queue,
                              QueueHandle_t *handle, int flags)
{
    (void)port;
    (void)sent;
    (void)queue;
    (void)handle;
    (void)flags;
    return received > (int)FIFO ? ESP_OK : ESP_FAIL;
}

esp_err_t uart_param_config(uart_port_t port, const uart_config_t *config)
{
    (void)port;
    uart_baud = config->baud_rate;
    return ESP_OK;
}

esp_err_t uart_set_pin(uart_port_t port, int tx, int rx, int rts, int cts)
{
    (void)port;
    (void)tx;
    return rx == UART_PIN_NO_CHANGE && rts == rx && cts == rx ? ESP_OK : ESP_FAIL;
}

int uart_tx_chars(uart_port_t port, const char *bytes, uint32_t count)
{
    const size_t taken = count < room ? count : room;
    (void)port;
    room -= taken;
    return (int)fwrite(bytes, 1, taken, line);
}

int uart_write_bytes(uart_port_t port, const void *bytes, size_t count)
{
    (void)port;
    return (int)fwrite(bytes, 1, count, line);
}

esp_err_t usb_serial_jtag_driver_install(usb_serial_jtag_driver_config_t *config)
{
    usb_buffer = config->tx_buffer_size;
    return ESP_OK;
}

bool usb_serial_jtag_is_connected(void)
{
    return unplugged == 0;
}

/* All or nothing. Without a driver 4.4 answers with the number of an error. */
int usb_serial_jtag_write_bytes(const void *bytes, size_t count, TickType_t ticks)
{
    if (usb_buffer == 0) {
        return ESP_ERR_INVALID_ARG;
    }
    if (ticks != 0 || count > usb_buffer - usb_buffered) {
        return 0;
    }
    usb_buffered += count;
    return (int)fwrite(bytes, 1, count, line);
}

/* ---- the C library's aligned_alloc(), from 5.3 on; weak: a heap may have its own ---- */

void *heap_caps_aligned_alloc_default(size_t alignment, size_t size);
__attribute__((weak)) void *heap_caps_aligned_alloc_default(size_t alignment, size_t size)
{
    return heap_caps_aligned_alloc(alignment, size, MALLOC_CAP_DEFAULT);
}
