/* A region whose heap holds blocks already: a device's, as a log shows it. */
#ifndef HEAPSCOPE_NATIVE_HELD_H
#define HEAPSCOPE_NATIVE_HELD_H

#include "chip/chip.h"

/* Nothing where the region's heap is new. HS_ERR_ARGUMENT: the blocks do not lie in a
 * heap; HS_ERR_FORMAT: the allocator cannot hold them; HS_ERR_MEMORY. */
hs_status_t hs_held_load(hs_chip_region_t *region, const hs_lab_region_t *config);

#endif
