/* Each sink of ESP-IDF and of sockets as the function that a recorder calls. */
#include "sink_esp_idf.h"
#include "sink_socket.h"

hs_recorder_write_t every_sink[];
hs_recorder_write_t every_sink[] = {
    hs_recorder_uart_write,
    hs_recorder_uart_write_whole,
    hs_recorder_udp_write,
    hs_recorder_tcp_write,
#if HS_RECORDER_HAS_USB_SERIAL_JTAG
    hs_recorder_usb_serial_jtag_write,
#endif
};
