/*
 * The gain of knowing the future: the blocks of a loaded trace placed by somebody who knows all lifetimes (offline
 * dynamic storage allocation). Blocks have whole granules of 8 bytes and no header, and none is ever moved but by
 * realloc.
 *
 * Blocks are placed one after the other at the lowest address at which no block placed before is live at the same
 * time, in several orders (the longest lived first, the largest first, both); then those that are placed highest come
 * earlier, again and again (Joslin and Clements 1999, "squeaky wheel"). The work has a bound, so that what is found
 * is the same on every machine.
 */
#ifndef HEAPSCOPE_NATIVE_OFFLINE_H
#define HEAPSCOPE_NATIVE_OFFLINE_H

#include "offline/blocks.h"
#include "rows/trials.h"

#define HS_OFFLINE_BLOCKS_MOST 2000000u /* more are not placed */

/* Memory: some 60 bytes a block. HS_ERR_MEMORY. */
hs_status_t hs_offline(const hs_fit_t *fit, hs_lab_offline_t *out);
/* Sets the offset of each block; `top`: the granules that they take, 0: no placement was found. HS_ERR_MEMORY. */
hs_status_t hs_offline_place(hs_offline_blocks_t *blocks, uint64_t *top);

#endif
