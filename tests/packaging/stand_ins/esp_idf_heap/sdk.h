/* The stand-in for ESP-IDF, as far as the programs here know it. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* ESP-IDF's start-up up to app_main(): its own calls, or the entries of all components in their order;
 * external memory joins, and the C library allocates. */
void sdk_start(void);

/* The chip: how memory for hardware is aligned, by flag, inside and outside. */
enum { FLAG_DMA, FLAG_AHB, FLAG_AXI, FLAG_CACHE, FLAG_SIMD, FLAGS };
extern size_t sdk_alignment[2][FLAGS];

/* Memory that the chip's table does not have. */
extern void *sdk_external;
extern size_t sdk_external_size;
extern uint32_t sdk_external_caps[3];

/* The real-time clock's memory, by the data bus and by the instruction bus. */
extern const void *sdk_clock_memory;
extern size_t sdk_clock_size;
#define SDK_CLOCK_CODE 0x70000000u
