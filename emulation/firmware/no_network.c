/* An image without a network: the board's interrupt finds nothing to do. */
#include "network_device.h"

void network_on_interrupt(void) {}
