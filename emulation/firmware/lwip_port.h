/* The network of the firmware. */
#ifndef FIRMWARE_LWIP_PORT_H
#define FIRMWARE_LWIP_PORT_H

#include <stdbool.h>

#include "small_kernel.h"

/* Begins lwIP's task and takes the network device into use. False: there is no device. */
bool lwip_port_open(void);

#endif
