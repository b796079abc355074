/* A small firmware for an ESP32, for its memory alone: it is linked and never run. The sizes are those
 * of a device with Wi-Fi and a TLS client, rounded. */
#include <stdint.h>

#define IN(section_name) __attribute__((section(section_name)))
#define IN_IRAM(section_name) __attribute__((section(section_name), noinline))

/* dram0.bss */
uint8_t g_wifi_rx_buffers[20480];
uint8_t g_lwip_pool[9216];
uint8_t g_idle_stacks[2][1536];
static volatile uint8_t s_log_ring[2048];

/* dram0.data */
uint32_t g_phy_calibration[476] = {1};
const char *g_device_name = "heapscope";

/* rtc.data: kept in deep sleep */
IN(".rtc.data.boots") uint32_t g_boots[4] = {1};

/* iram0.text: what must run while flash cannot be read */
IN_IRAM(".iram1.tick") uint32_t tick_interrupt(uint32_t now)
{
    s_log_ring[now % sizeof(s_log_ring)] = g_wifi_rx_buffers[now % sizeof(g_wifi_rx_buffers)];
    return now + g_phy_calibration[now % 476];
}

IN_IRAM(".iram1.flash") uint32_t flash_read(uint32_t address)
{
    return g_lwip_pool[address % sizeof(g_lwip_pool)] + g_idle_stacks[address & 1][7];
}

/* The size of what the SDK keeps in IRAM: its interrupt handlers, FreeRTOS, the Wi-Fi driver. */
IN_IRAM(".iram1.sdk") void sdk_in_iram(void)
{
    __asm__ volatile(".zero 76800");
}

/* flash: no RAM */
uint32_t _start(uint32_t now)
{
    sdk_in_iram();
    g_boots[0] += (uint32_t)g_device_name[now % 9];
    return tick_interrupt(now) + flash_read(now);
}
