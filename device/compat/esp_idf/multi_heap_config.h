/* Which poisoning multi_heap has, by the names of ESP-IDF's private header: its test programs ask. */
#ifndef HEAPSCOPE_MULTI_HEAP_CONFIG_H
#define HEAPSCOPE_MULTI_HEAP_CONFIG_H

#include <sdkconfig.h>

#if defined(CONFIG_HEAP_POISONING_LIGHT) || defined(CONFIG_HEAP_POISONING_COMPREHENSIVE)
#define MULTI_HEAP_POISONING
#endif
#if defined(CONFIG_HEAP_POISONING_COMPREHENSIVE)
#define MULTI_HEAP_POISONING_SLOW
#endif

#endif
