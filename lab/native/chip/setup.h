/* From a configuration to regions with heaps and start-up blocks. */
#ifndef HEAPSCOPE_NATIVE_SETUP_H
#define HEAPSCOPE_NATIVE_SETUP_H

#include "chip/chip.h"
#include "rows/replay.h"

/* HS_ERR_ARGUMENT: too many regions, kind or allocator unknown; HS_ERR_MEMORY: region `*where` is
 * unfit for its allocator (UINT32_MAX: host memory); HS_ERR_FORMAT: its blocks are not what its
 * allocator can hold. *unplaced: start-up bytes that found no room.
 * *kinds: how many kinds the regions name. */
hs_status_t hs_chip_init(hs_chip_t *chip, const hs_lab_config_t *config, uint32_t *where,
                         uint32_t *kinds, uint64_t *unplaced);

#endif
