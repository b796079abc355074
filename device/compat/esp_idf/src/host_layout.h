/* A host's memory, laid out as an ESP32 with external RAM has it; a program may define its own. */
#ifndef HEAPSCOPE_ESP_HOST_LAYOUT_H
#define HEAPSCOPE_ESP_HOST_LAYOUT_H

#include <heap_memory_layout.h>

/* Adds external RAM, as a chip's start-up code does after the heaps are made and before main. */
void heapscope_esp_host_start(void);
/* The type of memory of the program's own variables; NULL: not the address of one. */
const soc_memory_type_desc_t *heapscope_esp_host_data(intptr_t address);

#endif
