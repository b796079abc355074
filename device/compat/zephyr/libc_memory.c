/* The RAM behind the program, for CONFIG_HEAPSCOPE_LIBC_ARENA_SIZE -1: as Zephyr's own
 * arena of the C library would take it. Compiled with HS_LIBC_MEMORY HS_LIBC_QUERIED. */
#include <stddef.h>
#include <stdint.h>

#include <zephyr/kernel.h>
#include <zephyr/linker/linker-defs.h>

#include "memory.h"

void *hs_libc_memory(size_t *size)
{
    const uintptr_t begin = (uintptr_t)_end;
#if CONFIG_XTENSA && (CONFIG_SOC_FAMILY_INTEL_ADSP || CONFIG_HAS_ESPRESSIF_HAL)
    extern char _heap_sentry[]; /* the linker scripts of these know the end */
    const uintptr_t end = (uintptr_t)_heap_sentry;
#else
    const uintptr_t end =
        (uintptr_t)CONFIG_SRAM_BASE_ADDRESS + (uintptr_t)CONFIG_SRAM_SIZE * UINT32_C(1024);
#endif
    *size = end > begin ? (size_t)(end - begin) : 0;
    return (void *)begin;
}
