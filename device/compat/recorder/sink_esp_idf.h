/*
 * Sinks into what ESP-IDF drives, after its driver was installed. Both take what fits and never wait.
 *
 *   config.write = hs_recorder_uart_write; config.context = (void *)UART_NUM_1;
 *   config.write = hs_recorder_usb_serial_jtag_write;
 *
 * The console's UART may be shared with log text, whose driver must not turn line ends into others.
 */
#ifndef HEAPSCOPE_SINK_ESP_IDF_H
#define HEAPSCOPE_SINK_ESP_IDF_H

#include "driver/uart.h"
#include "sdkconfig.h"
#if defined(CONFIG_SOC_USB_SERIAL_JTAG_SUPPORTED)
#include "driver/usb_serial_jtag.h"
#endif

#include "heapscope/recorder.h"

/* hs_recorder_write_t, with the port's number as its context. */
static inline size_t hs_recorder_uart_write(void *context, const uint8_t *bytes, size_t count)
{
    const int taken =
        uart_tx_chars((uart_port_t)(uintptr_t)context, (const char *)bytes, (uint32_t)count);
    return taken < 0 ? HS_SINK_BROKEN : (size_t)taken;
}

#if defined(CONFIG_SOC_USB_SERIAL_JTAG_SUPPORTED)
/* hs_recorder_write_t. Bytes that nobody reads on the other side stay in the driver's buffer until that is full. */
static inline size_t hs_recorder_usb_serial_jtag_write(void *context, const uint8_t *bytes,
                                                       size_t count)
{
    (void)context;
    const int taken = usb_serial_jtag_write_bytes(bytes, count, 0);
    return taken < 0 ? HS_SINK_BROKEN : (size_t)taken;
}
#endif

#endif
