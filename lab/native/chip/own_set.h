/*
 * The memory that a set of regions takes on a chip (device/src/regions): control data in front
 * of a region, and a record for each region that is added later. The set's own code is not part of
 * the lab, whose regions can have other allocators; tests/device/test_emulated_lab.py holds the two
 * together, address by address.
 */
#ifndef HEAPSCOPE_NATIVE_OWN_SET_H
#define HEAPSCOPE_NATIVE_OWN_SET_H

#include "chip/chip.h"
#include "rows/replay.h"

typedef struct hs_own_set {
    uint32_t host;  /* the region that the control data lie in; UINT32_MAX: none */
    uint32_t front; /* their bytes, from its start */
    bool whole;     /* every region but private heaps is of the set */
} hs_own_set_t;

/* Has the region one of our own heaps, in a set? */
bool hs_own_set_has(const hs_lab_region_t *config);

hs_own_set_t hs_own_set(const hs_lab_config_t *config);
/* Takes the records of the added regions from the heaps, as the set does when it is given them. */
void hs_own_set_add(hs_chip_t *chip, const hs_lab_config_t *config);

#endif
