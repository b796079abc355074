/* lwIP's platform. */
#ifndef FIRMWARE_CC_H
#define FIRMWARE_CC_H

#include <stdio.h>
#include <stdlib.h>

#define LWIP_NO_UNISTD_H 1
#define LWIP_NO_CTYPE_H 1
#define LWIP_PROVIDE_ERRNO 1
#define SSIZE_MAX 0x7FFFFFFF
typedef int ssize_t;

#define LWIP_PLATFORM_DIAG(message)                                                                \
    do {                                                                                           \
        printf message;                                                                            \
    } while (0)
#define LWIP_PLATFORM_ASSERT(message)                                                              \
    do {                                                                                           \
        printf("lwIP: %s\n", message);                                                             \
        abort();                                                                                   \
    } while (0)

unsigned network_random(void);
#define LWIP_RAND() network_random()

#endif
