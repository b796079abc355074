/*
 * A program that starts the recorder as an ESP-IDF project does. argv: a file, and the sink (menuconfig, uart,
 * usb: the names below). It prints how many turns the recording took and the UART's baud.
 */
#include <stdio.h>
#include <string.h>

#include "driver/usb_serial_jtag.h"
#include "esp_heap_caps.h"

#include "recorder_esp_idf.h"
#include "sdk.h"
#include "sink_esp_idf.h"

#define BLOCKS 60u
#define ROUNDS 400u

#if ESP_IDF_VERSION >= ESP_IDF_VERSION_VAL(5, 3, 0)
void *heap_caps_aligned_alloc_default(size_t alignment, size_t size);
#define ALIGNED(size) heap_caps_aligned_alloc_default(64, size)
#else
#define ALIGNED(size) heap_caps_aligned_alloc(64, size, MALLOC_CAP_DEFAULT)
#endif

static uint32_t seed = 1;
static void *blocks[BLOCKS];

static uint32_t below(uint32_t bound)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 16) % bound;
}

/* Requests of every kind. Reallocs grow, shrink, move within a heap and from one heap into another. */
static void play(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        void **const block = &blocks[below(BLOCKS)];
        const size_t size = 1u + below(600);
        const uint32_t memory = below(2) != 0 ? MALLOC_CAP_SPIRAM : MALLOC_CAP_INTERNAL;
        if (*block == NULL && below(4) == 0) {
            *block = ALIGNED(size);
        } else if (*block == NULL) {
            *block = heap_caps_malloc(size, memory | MALLOC_CAP_8BIT);
        } else if (below(3) == 0) {
            heap_caps_free(*block);
            *block = NULL;
        } else {
            *block = heap_caps_realloc(*block, size, memory | MALLOC_CAP_8BIT);
        }
        if (i % 40u == 0) {
            sdk_turn();
        }
    }
}

int main(int argc, char **argv)
{
    usb_serial_jtag_driver_config_t small = {.tx_buffer_size = 256, .rx_buffer_size = 256};
    const char *sink = argc > 2 ? argv[2] : "";
    sdk_line(argc > 1 ? argv[1] : "recorded.hst");
    void *before = heap_caps_malloc(100, MALLOC_CAP_8BIT); /* no event tells of it */
    hs_recorder_write_t write = NULL;
    if (strcmp(sink, "uart") == 0) {
        write = hs_recorder_uart_write;
    } else if (strncmp(sink, "usb", 3) == 0) {
        write = hs_recorder_usb_serial_jtag_write;
        if (strcmp(sink, "usb without driver") != 0) {
            (void)usb_serial_jtag_driver_install(&small);
        }
        sdk_unplug(strcmp(sink, "usb unplugged") == 0 ? 8 : 0);
    }
    hs_recorder_t *recorder = hs_recorder_esp_idf_start(write, NULL);
    if (recorder == NULL || hs_recorder_esp_idf_start(NULL, NULL) != recorder) {
        (void)puts("no recorder");
        return 1;
    }
    for (int i = 0; i < 40; i++) {
        sdk_turn();
    }
    play();
    heap_caps_free(before);
    hs_recorder_snapshot(recorder);
    unsigned turns = 0;
    for (hs_recorder_figures_t figures = {0}; turns < 500 && figures.snapshots < 2; turns++) {
        sdk_turn();
        hs_recorder_figures(recorder, &figures);
    }
    for (int i = 0; i < 40; i++) {
        sdk_turn();
    }
    (void)printf("baud %d\n", sdk_uart_baud());
    return 0;
}
