/* An application that calls nothing but ESP-IDF's functions. */
#include <stdio.h>

#include "esp_heap_caps.h"
#include "esp_heap_caps_init.h"
#include "heapscope/config.h"
#include "sdk.h"

int main(void)
{
    sdk_start();
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
