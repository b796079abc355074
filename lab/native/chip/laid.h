/* Regions whose heaps hold the blocks of a recorded moment, each where it lay. */
#ifndef HEAPSCOPE_NATIVE_LAID_H
#define HEAPSCOPE_NATIVE_LAID_H

#include "chip/chip.h"
#include "heapscope/trace.h"

/* Brings the regions that can be to where the recorded ones were: they hold just these blocks, which are
 * given as allocations in the order of their addresses (new_key 1: the size is all that the block may use);
 * start-up use is among them. Returns the regions, by
 * bit. A region stays as it is where a block is of a private heap, or its allocator cannot have one there. */
uint32_t hs_chip_lay(hs_chip_t *chip, const hs_event_t *blocks, size_t count);

/* The place of such a block. false: none of these regions holds it. */
bool hs_chip_laid(const hs_chip_t *chip, uint32_t regions, uint64_t address, hs_place_t *place);

#endif
