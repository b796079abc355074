/* The start-up code's calls, an application that calls nothing but ESP-IDF's functions, and the
 * functions of other components that the heap calls. */
#include <stdarg.h>
#include <stdio.h>

#include "esp_heap_caps.h"
#include "esp_heap_caps_init.h"
#include "esp_heap_task_info.h"
#include "esp_rom_sys.h"
#include "esp_system.h"
#include "freertos/task.h"
#include "heapscope/config.h"

int esp_rom_printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int count = vprintf(format, arguments);
    va_end(arguments);
    return count;
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

char *pcTaskGetName(TaskHandle_t task)
{
    static char name[] = "main";
    (void)task;
    return name;
}

int main(void)
{
    heap_caps_init();
    const size_t early = heap_caps_get_total_size(MALLOC_CAP_8BIT);
    heap_caps_enable_nonos_stack_heaps();
    const size_t late = heap_caps_get_total_size(MALLOC_CAP_8BIT);

    char *block = heap_caps_malloc(1000, MALLOC_CAP_DMA);
    void *words = heap_caps_malloc(1000, MALLOC_CAP_EXEC);
    if (block == NULL || words == NULL || heap_caps_get_allocated_size(block) < 1000 ||
        !heap_caps_check_integrity_all(true)) {
        return 1;
    }
#ifdef CONFIG_HEAP_POISONING_DISABLED
    printf("plain");
#else
    block[1000] ^= 1;
    printf(heap_caps_check_integrity_all(false) ? "overflow not found" : "overflow found");
    block[1000] ^= 1;
#endif
    heap_caps_free(block);
    heap_caps_free(words);
    printf(" guard %d owners %d kinds %d stack %d\n", HS_GUARD, HS_OWNERS, HS_KINDS_MAX,
           (int)(late - early));
#ifdef CONFIG_HEAP_ABORT_WHEN_ALLOCATION_FAILS
    heap_caps_malloc(1 << 20, MALLOC_CAP_DMA);
#endif
    return 0;
}
