/*
 * A sketch recorded by one build flag, -Wl,@arduino_wrap.opt (beside this file, with its path):
 * arduino_esp32_wrap.opt on the cores for ESP32. The flag wraps the heap and brings this file in. It opens
 * the recorder before the sketch begins, and drains after each loop().
 *
 * HS_RECORDER_SERIAL: where the recording goes; a sketch that prints on the same one costs the chunk that
 * it prints into. HS_RECORDER_MEMORY: bytes for the recorder.
 */
#if defined(ARDUINO)

#include <Arduino.h>

#include "recorder_glue.h"

#ifndef HS_RECORDER_SERIAL
#define HS_RECORDER_SERIAL Serial
#endif
#ifndef HS_RECORDER_MEMORY
#define HS_RECORDER_MEMORY 4096
#endif
#ifndef HS_RECORDER_BAUD
#define HS_RECORDER_BAUD 115200
#endif

namespace
{
alignas(8) unsigned char memory[HS_RECORDER_MEMORY];
hs_recorder_config_t config;
hs_recorder_t *recorder;

size_t write(void *, const uint8_t *bytes, size_t count)
{
    const int room = HS_RECORDER_SERIAL.availableForWrite();
    const size_t taken = room < 0 ? 0 : (size_t)room < count ? (size_t)room : count;
    return taken == 0 ? 0 : HS_RECORDER_SERIAL.write(bytes, taken);
}
} // namespace

extern "C" void hs_recorder_arduino(void) __attribute__((constructor));

extern "C" void hs_recorder_arduino(void)
{
    if (recorder != nullptr) {
        return;
    }
    config.write = write;
    config.boot = (uint32_t)micros() | 1u;
    config.clock_hz = 1000000;
    config.address_shift = 2;
    config.late = true;
    config.sdk = "arduino";
    recorder = hs_recorder_open(memory, sizeof memory, &config);
#if defined(ARDUINO_ARCH_ESP32)
    hs_recorder_esp_idf(recorder);
#else
    hs_recorder_libc(recorder);
#endif
}

/* Cores call this after each loop(). */
void serialEventRun(void)
{
    static bool begun;
    if (!begun) {
        begun = true;
        HS_RECORDER_SERIAL.begin(HS_RECORDER_BAUD);
    }
    if (recorder != nullptr) {
        (void)hs_recorder_drain(recorder, 256);
        (void)hs_recorder_flush(recorder);
    }
}

#endif
