/* The recorder as menuconfig says: its memory, its configuration, its sink, and the task that drains it. */
#include "sdkconfig.h"

#include "esp_attr.h"
#include "esp_system.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"

#include "recorder_esp_idf.h"
#include "sink_esp_idf.h"

#if ESP_IDF_VERSION >= ESP_IDF_VERSION_VAL(4, 4, 0)
#include "esp_random.h"
#endif
#if defined(CONFIG_HEAPSCOPE_RECORDER_USB_SERIAL_JTAG) && !HS_RECORDER_HAS_USB_SERIAL_JTAG
#error "USB serial JTAG is a sink from ESP-IDF 4.4 on: choose another one in menuconfig"
#endif
#if ESP_IDF_VERSION < ESP_IDF_VERSION_VAL(4, 3, 0)
#define pcTaskGetName pcTaskGetTaskName
#endif

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

#define STACK_BYTES 3072u
#define DRAINED_AT_ONCE 256u
#define PERIOD_MS 50u /* a listener sees an event after this and the line's time */

/* Start-up code clears neither: the next boot finds the last one's events. */
#if defined(CONFIG_HEAPSCOPE_RECORDER_BLACK_BOX)
#define BLACK_BOX true
static __NOINIT_ATTR _Alignas(8) unsigned char memory[CONFIG_HEAPSCOPE_RECORDER_BYTES];
#else
#define BLACK_BOX false
static _Alignas(8) unsigned char memory[CONFIG_HEAPSCOPE_RECORDER_BYTES];
#endif
#if defined(CONFIG_HEAPSCOPE_RECORDER_AUTOMATIC)
#define AUTOMATIC true
#else
#define AUTOMATIC false
#endif

static hs_recorder_config_t config;
static hs_recorder_t *recorder;

static const char *name_of(void *context, uintptr_t task)
{
    (void)context;
    return pcTaskGetName((TaskHandle_t)task);
}

static const char *reset_of(esp_reset_reason_t reason)
{
    switch (reason) {
    case ESP_RST_POWERON:
        return "power on";
    case ESP_RST_SW:
        return "software";
    case ESP_RST_PANIC:
        return "panic";
    case ESP_RST_INT_WDT:
    case ESP_RST_TASK_WDT:
    case ESP_RST_WDT:
        return "watchdog";
    case ESP_RST_BROWNOUT:
        return "brownout";
    case ESP_RST_DEEPSLEEP:
        return "deep sleep";
    default:
        return NULL;
    }
}

/* The sink of menuconfig; false: it names none, or its driver does not come up. */
static bool sink_open(void)
{
#if defined(CONFIG_HEAPSCOPE_RECORDER_UART)
    enum { RECEIVED = 256 }; /* the driver wants more than the UART holds */
    const uart_port_t port = (uart_port_t)CONFIG_HEAPSCOPE_RECORDER_UART_NUMBER;
    const uart_config_t line = {.baud_rate = CONFIG_HEAPSCOPE_RECORDER_UART_BAUD,
                                .data_bits = UART_DATA_8_BITS,
                                .parity = UART_PARITY_DISABLE,
                                .stop_bits = UART_STOP_BITS_1,
                                .flow_ctrl = UART_HW_FLOWCTRL_DISABLE};
    config.write = hs_recorder_uart_write_whole;
    config.context = (void *)(uintptr_t)port;
    return uart_driver_install(port, RECEIVED, 0, 0, NULL, 0) == ESP_OK &&
           uart_param_config(port, &line) == ESP_OK &&
           uart_set_pin(port, CONFIG_HEAPSCOPE_RECORDER_UART_TX, UART_PIN_NO_CHANGE,
                        UART_PIN_NO_CHANGE, UART_PIN_NO_CHANGE) == ESP_OK;
#elif defined(CONFIG_HEAPSCOPE_RECORDER_USB_SERIAL_JTAG)
    usb_serial_jtag_driver_config_t driver = {.tx_buffer_size = 1024, .rx_buffer_size = 256};
    config.write = hs_recorder_usb_serial_jtag_write;
    return usb_serial_jtag_driver_install(&driver) == ESP_OK;
#else
    return false;
#endif
}

static void drain(void *context)
{
    (void)context;
    for (;;) {
        while (hs_recorder_drain(recorder, DRAINED_AT_ONCE) != 0) {
            taskYIELD();
        }
        (void)hs_recorder_flush(recorder);
        vTaskDelay(pdMS_TO_TICKS(PERIOD_MS) != 0 ? pdMS_TO_TICKS(PERIOD_MS) : 1);
    }
}

hs_recorder_t *hs_recorder_esp_idf_start(hs_recorder_write_t write, void *context)
{
    if (recorder != NULL) {
        return recorder;
    }
    const uint32_t boot = esp_random();
    config = (hs_recorder_config_t){
        .write = write,
        .context = context,
        .walk = HS_RECORDER_ESP_IDF_WALK,
        .task_name = name_of,
        .chip = CONFIG_IDF_TARGET,
        .sdk = "esp-idf v" TEXT(ESP_IDF_VERSION_MAJOR) "." TEXT(ESP_IDF_VERSION_MINOR),
        .boot = boot != 0 ? boot : 1u,
        .reset = reset_of(esp_reset_reason()),
        .clock_hz = 1000000,
        .address_shift = 2,
        .late = true,
        .automatic = AUTOMATIC,
        .black_box = BLACK_BOX,
        .level = (hs_recorder_level_t)CONFIG_HEAPSCOPE_RECORDER_LEVEL,
        .sampling = CONFIG_HEAPSCOPE_RECORDER_SAMPLING,
        .snapshot_ticks = CONFIG_HEAPSCOPE_RECORDER_SNAPSHOT_SECONDS * UINT32_C(1000000)};
    config.walked_sizes = config.walk != NULL;
    if (write == NULL && !sink_open()) {
        return NULL;
    }
    hs_recorder_t *opened = hs_recorder_open(memory, sizeof memory, &config);
    if (opened == NULL) {
        return NULL;
    }
    recorder = opened;
    if (xTaskCreate(drain, "heapscope", STACK_BYTES, NULL, tskIDLE_PRIORITY, NULL) != pdPASS) {
        recorder = NULL;
        return NULL;
    }
    hs_recorder_esp_idf(recorder);
    return recorder;
}
