/* A recording into a file of the machine that QEMU runs on, by semihosting. */
#include "sink_semihosting.h"

#define EVENTS 600u
#define EXIT 0x18
#define EXIT_WELL 0x20026u /* of an application, on 32-bit machines */

static _Alignas(8) unsigned char memory[8192];
__attribute__((used, aligned(16))) static unsigned char stack[4096];
static hs_recorder_semihosting_t file;
static hs_recorder_config_t config;

void *memset(void *to, int value, size_t count);
void *memcpy(void *to, const void *from, size_t count);
void start(void);
int begin(void);

void *memset(void *to, int value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ((volatile unsigned char *)to)[i] = (unsigned char)value;
    }
    return to;
}

void *memcpy(void *to, const void *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ((volatile unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    }
    return to;
}

int begin(void)
{
    hs_recorder_semihosting_open(&file, "recorded.hst");
    config.write = hs_recorder_semihosting_write;
    config.context = &file;
    config.boot = 9;
    config.clock_hz = 1000;
    config.chip = "qemu";
    hs_recorder_t *recorder = hs_recorder_open(memory, sizeof memory, &config);
    for (unsigned i = 0; i < EVENTS; i++) {
        void *const block = (void *)(uintptr_t)(0x1000u + 16u * (i / 2u % 8u));
        if (i % 2u == 0) {
            hs_recorder_allocated(recorder, HS_EVENT_MALLOC, block, 12, 0, HS_RECORDER_CALLER);
        } else {
            hs_recorder_freed(recorder, block);
        }
        if (i % 50u == 0) {
            (void)hs_recorder_drain(recorder, 1000);
        }
    }
    (void)hs_recorder_drain(recorder, 1000);
    (void)hs_recorder_flush(recorder);
    (void)hs_recorder_semihosting_call(EXIT, (const uintptr_t *)EXIT_WELL);
    return 0;
}

#if defined(__riscv)
__attribute__((naked, section(".text.start"))) void start(void)
{
    __asm__ volatile("la sp, stack + 4096\n\tcall begin\n1:\tj 1b");
}
#else
__attribute__((section(".vectors"), used)) static void *const vectors[] = {stack + sizeof stack,
                                                                           (void *)begin};
void start(void)
{
    (void)begin();
}
#endif
