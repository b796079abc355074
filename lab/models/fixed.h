/*
 * The device's pool of fixed blocks (device/src/pool/fixed.c) as a model: its words lie where those of
 * the device's struct lie with pointers of 4 bytes. It has no row in the list of models: its name tells
 * the size of its blocks ("fixed:64:8", allocators.c), and only rules place blocks in it.
 */
#ifndef HEAPSCOPE_MODELS_FIXED_H
#define HEAPSCOPE_MODELS_FIXED_H

#include "model.h"

extern const hs_model_t hs_model_fixed;

/* hs_fixed_memory() of a 32-bit chip; 0: a value that it refuses. `alignment` 0: 8. */
uint32_t hs_fixed_model_memory(uint32_t count, uint32_t block, uint32_t alignment);

#endif
