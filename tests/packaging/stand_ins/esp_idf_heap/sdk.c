/* The start-up and the functions of other components that the heap calls. */
#include "sdk.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "esp_heap_caps.h"
#include "esp_heap_caps_init.h"
#include "esp_system.h"
#include "freertos/task.h"

size_t sdk_alignment[2][FLAGS] = {{4, 4, 4, 4, 4}, {4, 4, 4, 4, 4}};
void *sdk_external;
size_t sdk_external_size;
uint32_t sdk_external_caps[3];
const void *sdk_clock_memory;
size_t sdk_clock_size;

/* ---- printing, tasks, locks, time -------------------------------------------------------------- */

static int print(const char *format, va_list arguments)
{
    return vprintf(format, arguments);
}

#define PRINTING(name)                                                                             \
    int name(const char *format, ...);                                                             \
    int name(const char *format, ...)                                                              \
    {                                                                                              \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        const int count = print(format, arguments);                                                \
        va_end(arguments);                                                                         \
        return count;                                                                              \
    }
#if ESP_IDF >= 403
PRINTING(esp_rom_printf)
#else
PRINTING(ets_printf)
#endif

int esp_log_early(const char *format, ...);
int esp_log_early(const char *format, ...)
{
    (void)format;
    return 0;
}

void esp_system_abort(const char *details)
{
    printf("%s\n", details);
    exit(3);
}

TaskHandle_t xTaskGetCurrentTaskHandle(void)
{
    static int running;
    return (TaskHandle_t)&running;
}

#if ESP_IDF < 403
#define pcTaskGetName pcTaskGetTaskName
#endif
char *pcTaskGetName(TaskHandle_t task)
{
    static char name[] = "main";
    (void)task;
    return name;
}

BaseType_t xPortInIsrContext(void)
{
    return 0;
}

BaseType_t xPortGetCoreID(void)
{
    return 0;
}

void vPortEnterCritical(portMUX_TYPE *mux)
{
    mux->count++;
}

void vPortExitCritical(portMUX_TYPE *mux)
{
    mux->count--;
}

uint32_t esp_cpu_get_cycle_count(void);
uint32_t esp_cpu_get_cycle_count(void)
{
    return 0;
}
uint32_t cpu_hal_get_cycle_count(void);
uint32_t cpu_hal_get_cycle_count(void)
{
    return 0;
}
unsigned xthal_get_ccount(void);
unsigned xthal_get_ccount(void)
{
    return 0;
}

/* ---- memory ------------------------------------------------------------------------------------ */

#if ESP_IDF >= 500
#include "esp_memory_utils.h"
bool esp_ptr_external_ram(const void *p)
{
    return (uintptr_t)p - (uintptr_t)sdk_external < sdk_external_size;
}
bool esp_ptr_internal(const void *p)
{
    return !esp_ptr_external_ram(p);
}
#if ESP_IDF >= 502
bool esp_ptr_in_rtc_dram_fast(const void *p)
{
    return (uintptr_t)p - (uintptr_t)sdk_clock_memory < sdk_clock_size;
}
bool esp_rtc_dram_match_rtc_iram(void)
{
    return false;
}
void *esp_ptr_rtc_dram_to_iram(const void *p)
{
    return (void *)(SDK_CLOCK_CODE + ((uintptr_t)p - (uintptr_t)sdk_clock_memory));
}
#endif
#endif

#if ESP_IDF >= 503
void esp_heap_adjust_alignment_to_hw(size_t *alignment, size_t *size, uint32_t *caps);
void esp_heap_adjust_alignment_to_hw(size_t *alignment, size_t *size, uint32_t *caps)
{
    static const uint32_t flags[FLAGS] = {MALLOC_CAP_DMA, MALLOC_CAP_DMA_DESC_AHB,
                                          MALLOC_CAP_DMA_DESC_AXI, MALLOC_CAP_CACHE_ALIGNED,
                                          MALLOC_CAP_SIMD};
    const int outside = (*caps & MALLOC_CAP_SPIRAM) != 0;
    bool any = false;
    for (int i = 0; i < FLAGS; i++) {
        if ((*caps & flags[i]) != 0) {
            any = true;
            if (*alignment < sdk_alignment[outside][i]) {
                *alignment = sdk_alignment[outside][i];
            }
        }
    }
    if (!any) {
        return;
    }
    *size = (*size + *alignment - 1) / *alignment * *alignment;
    if ((*caps & (MALLOC_CAP_DMA_DESC_AHB | MALLOC_CAP_DMA_DESC_AXI)) != 0) {
        *caps |= MALLOC_CAP_DMA;
    }
    *caps &=
        ~(uint32_t)(MALLOC_CAP_CACHE_ALIGNED | MALLOC_CAP_DMA_DESC_AHB | MALLOC_CAP_DMA_DESC_AXI);
    if (outside) {
        *caps &= ~(uint32_t)MALLOC_CAP_DMA;
    }
}
#endif

/* ---- the start --------------------------------------------------------------------------------- */

static void join_external(void)
{
    if (sdk_external != NULL) {
        if (heap_caps_add_region_with_caps(sdk_external_caps, (intptr_t)sdk_external,
                                           (intptr_t)sdk_external + (intptr_t)sdk_external_size) !=
            ESP_OK) {
            printf("external memory did not join\n");
            exit(4);
        }
    }
}

static void start_library(void)
{
    void *const block = heap_caps_malloc_default(64);
    if (block == NULL) {
        printf("the C library got no memory\n");
        exit(4);
    }
    heap_caps_free(block);
}

#if ESP_IDF >= 503
#include "esp_private/startup_internal.h"

ESP_SYSTEM_INIT_FN(init_psram, CORE, BIT(0), 103)
{
    join_external();
    return ESP_OK;
}

ESP_SYSTEM_INIT_FN(init_libc, CORE, BIT(0), 102)
{
    start_library();
    return ESP_OK;
}

extern const esp_system_init_fn_t __start_esp_system_init_fn[], __stop_esp_system_init_fn[];

void sdk_start(void)
{
    for (unsigned priority = 0; priority < 256; priority++) {
        const esp_system_init_fn_t *entry = __start_esp_system_init_fn;
        for (; entry < __stop_esp_system_init_fn; entry++) {
            if (entry->priority == priority && entry->fn() != ESP_OK) {
                printf("entry %u failed\n", priority);
                exit(4);
            }
        }
    }
}
#else
void sdk_start(void)
{
    heap_caps_init();
    start_library();
    join_external();
}
#endif
