/* lwIP's platform: 32-bit x86, one thread, no console. */
#ifndef HEAPSCOPE_WIFI_CC_H
#define HEAPSCOPE_WIFI_CC_H

#include <stdlib.h>

#define LWIP_PLATFORM_DIAG(message)                                                                \
    do {                                                                                           \
    } while (0)
#define LWIP_PLATFORM_ASSERT(message) abort()

/* Ports and initial sequence numbers that are the same in every run. */
unsigned hs_random(void);
#define LWIP_RAND() hs_random()

#endif
