/*
 * Sinks into what ESP-IDF drives, after its driver was installed. docs/guide/recorder-esp-idf.md names the
 * releases that each function was read in.
 *
 *   config.write = hs_recorder_uart_write; config.context = (void *)UART_NUM_1;        a UART of its own
 *   config.write = hs_recorder_uart_write_whole; config.context = (void *)UART_NUM_0;  the console's
 *   config.write = hs_recorder_usb_serial_jtag_write;
 */
#ifndef HEAPSCOPE_SINK_ESP_IDF_H
#define HEAPSCOPE_SINK_ESP_IDF_H

#include "driver/uart.h"
#include "esp_idf_version.h"
#include "soc/soc_caps.h"
/* 4.3 has the driver, too, but its answer does not tell what it took. */
#if defined(SOC_USB_SERIAL_JTAG_SUPPORTED) && SOC_USB_SERIAL_JTAG_SUPPORTED &&                     \
    ESP_IDF_VERSION >= ESP_IDF_VERSION_VAL(4, 4, 0)
#define HS_RECORDER_HAS_USB_SERIAL_JTAG 1
#include "driver/usb_serial_jtag.h"
#else
#define HS_RECORDER_HAS_USB_SERIAL_JTAG 0
#endif

#include "heapscope/recorder.h"

/* hs_recorder_write_t, with the port's number as its context: what fits into the UART's own 128 bytes, at
 * once. It passes by the driver's buffer, so the driver must have none and nobody else may write there. */
static inline size_t hs_recorder_uart_write(void *context, const uint8_t *bytes, size_t count)
{
    const int taken =
        uart_tx_chars((uart_port_t)(uintptr_t)context, (const char *)bytes, (uint32_t)count);
    return taken < 0 ? HS_SINK_BROKEN : (size_t)taken;
}

/* hs_recorder_write_t, likewise: all of it, and the drain's task waits for the line. The driver takes no
 * other text meanwhile, so log lines that go through the driver stand between chunks. */
static inline size_t hs_recorder_uart_write_whole(void *context, const uint8_t *bytes, size_t count)
{
    const int taken = uart_write_bytes((uart_port_t)(uintptr_t)context, (const char *)bytes, count);
    return taken < 0 ? HS_SINK_BROKEN : (size_t)taken;
}

#if HS_RECORDER_HAS_USB_SERIAL_JTAG
/* hs_recorder_write_t; never waits. The driver takes a piece whole or not at all, and one that is larger
 * than its buffer never: so the pieces are one packet of USB, and any buffer of the driver holds them. */
static inline size_t hs_recorder_usb_serial_jtag_write(void *context, const uint8_t *bytes,
                                                       size_t count)
{
    enum { PACKET = 64 };
    (void)context;
#if ESP_IDF_VERSION >= ESP_IDF_VERSION_VAL(5, 1, 0)
    if (!usb_serial_jtag_is_connected()) {
        return HS_SINK_BROKEN; /* whoever plugs in is a new listener */
    }
#endif
    size_t taken = 0;
    while (taken < count) { /* bound: `count` */
        const size_t piece = count - taken < PACKET ? count - taken : PACKET;
        /* 4.4's answers without a driver with the number of an error, above 0. */
        const int sent = usb_serial_jtag_write_bytes(bytes + taken, piece, 0);
        if (sent != (int)piece) {
            return sent == 0 ? taken : HS_SINK_BROKEN;
        }
        taken += piece;
    }
    return taken;
}
#endif

#endif
